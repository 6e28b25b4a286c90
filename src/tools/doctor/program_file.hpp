#pragma once

#include <string>
#include <vector>

namespace tutti::tools {

/// What can be said of a program by looking at its file.
struct ProgramFile {
  enum class Kind { missing, not_executable, script, other_machine, fixed, dynamic };
  std::string path;
  Kind kind = Kind::missing;  ///< fixed: linked statically
  bool changes_user = false;  ///< setuid or setgid, by somebody else than who looks
  /// A dynamic one's, by name, as the linker finds them here.
  std::vector<std::string> libraries = {}, missing_libraries = {};
  std::string asan_options = "";  ///< what ASAN_OPTIONS is here

  /// The MPI whose library it needs, as files of Tutti's name it (openmpi, mpich, smpi); empty:
  /// none that is linked.
  std::string mpi() const;
  /// Whether it is compiled for the standard's own ABI, which any MPI may be behind.
  bool is_of_standard_abi() const;
  bool uses_mpi() const { return is_of_standard_abi() || !mpi().empty(); }
  /// Whether it ends at once where a library is loaded before it: AddressSanitizer as a shared
  /// library wants to be the first, unless it is told not to look.
  bool refuses_preload() const;
  /// Why the system preloads nothing into it, in a sentence; empty: it does.
  std::string why_nothing_is_preloaded() const;
};

/// The path of a program as a shell finds it; empty if there is none.
std::string path_of_program(const std::string& name);

/// Which of a program's libraries are looked for.
enum class WantedLibraries {
  all,             ///< as the linker finds them here, or does not
  enough_for_mpi,  ///< those that tell which MPI it needs
  none
};

/// Looks at a file, or the first of that name in PATH. To ask the linker is to start a process;
/// what tells the MPI is found in files, where these can tell.
ProgramFile look_at_program(const std::string& name, WantedLibraries wanted = WantedLibraries::all);

/// The libraries in what ldd(1) prints.
void read_libraries(const std::string& listing, ProgramFile& program);

/// Where the program stands among the words that start it through a launcher, behind wrappers such
/// as env;
/// `words.size()` if none is to be found.
std::size_t position_of_program(const std::vector<std::string>& words);

}  // namespace tutti::tools
