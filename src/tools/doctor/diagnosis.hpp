#pragma once

#include <optional>
#include <string>
#include <vector>

#include "programs/examining/examination.hpp"
#include "tools/doctor/program_file.hpp"

namespace tutti::tools {

/// Whether a launcher says that it has fewer processors than ranks were asked for.
bool lacks_slots(const std::string& said);

/// What is known of how somebody wants to run a program under Tutti.
struct Circumstances {
  std::string launcher;  ///< its name: "mpirun"
  std::string mpi,
      launcher_version;  ///< the MPI that it starts, openmpi, and its version as fingerprints have it
  std::optional<ProgramFile> program = {};
  /// The worlds that the launcher made of the processes that it started to look around: one, if all
  /// is well.
  std::vector<Examination> worlds = {};
  std::string trouble = {};  ///< how it ended, if badly
  std::string said = {};     ///< and the first and last that it said
  std::string library = {};  ///< what serves: the MPI's name, or abi for the standard's own ABI
};

/// Something that keeps Tutti from working, or from working as well as it could.
struct Finding {
  enum class Weight {
    error,    ///< programs do not run, or run without Tutti
    warning,  ///< they run, but not as they should
    note      ///< to be known
  };
  std::string name;  ///< short and lasting, for scripts: "preload-lost"
  Weight weight;
  std::string what;    ///< one line
  std::string remedy;  ///< one line; empty: there is nothing to do
};

/// All findings, what is worse first.
std::vector<Finding> diagnose(const Circumstances& circumstances);

std::string_view name(Finding::Weight weight);

/// Whether nothing was found but what is to be known.
bool is_sound(const std::vector<Finding>& findings);

}  // namespace tutti::tools
