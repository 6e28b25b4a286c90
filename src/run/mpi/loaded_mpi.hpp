#pragma once

namespace tutti::run {

/// What the handles of an MPI library are, which is what counts for a library built on top of it:
/// Open MPI's, MPICH's (which Intel MPI, Cray MPICH, MVAPICH and ParaStation MPI have as well), or
/// those of the standard's own ABI.
/// Source: MPI Forum, MPI 5.0, chapter 20; the MPICH ABI Compatibility Initiative.
enum class Handles { unknown, open_mpi, mpich, standard };

/// An MPI library that is loaded into this process.
struct LoadedMpi {
  void* handle = nullptr;  ///< as dlsym takes it
  const char* file = "";   ///< its path

  explicit operator bool() const { return handle != nullptr; }
  /// A function of that name; null where it has none.
  void* function(const char* name) const;
  /// Told by functions and symbols that only libraries with such handles have, and not by texts.
  Handles handles() const;
};

/// The library that the program's calls are meant for. Where a preloaded library of ours has
/// brought an MPI along, and the program has another one, it is that. False while none is loaded.
LoadedMpi mpi_of_program();

/// The library that this copy of Tutti has brought along, where the program has another one.
LoadedMpi mpi_brought_along();

/// The C library's own dlsym, whose name a preloaded library of ours has as well.
using Lookup = void*(void*, const char*) noexcept;
Lookup* c_library_lookup();

/// The function that comes behind this library's own of that name: that of the next library in the
/// order of the dynamic linker, which may be a tool's. Where the program has opened its MPI for
/// itself alone, as Python does, or runs on another MPI than comes next, it is that of its MPI.
/// Null where there is none.
void* next_function(const char* name);

}  // namespace tutti::run
