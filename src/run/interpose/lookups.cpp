// Programs that open the MPI library and look its functions up by its handle (Python's ctypes,
// Julia's MPI.jl) ask nobody else for them: what serves them is dlsym itself.

#include <dlfcn.h>

#include <cstring>

#include "run/mpi/loaded_mpi.hpp"

namespace {

using tutti::run::c_library_lookup;

bool is_of_mpi(const char* name) {
  return std::strncmp(name, "MPI_", 4) == 0 || std::strncmp(name, "PMPI_", 5) == 0;
}

// Where an address lies: the first byte of its file; null if in none.
const void* file_at(const void* address) {
  Dl_info place{};
  return address && dladdr(address, &place) != 0 ? place.dli_fbase : nullptr;
}

// Our function, where we have one and the library that was asked is the one that ours calls.
[[gnu::noinline]] void* lookup_of_mpi(void* handle, const char* name) noexcept {
  static void* const own = [] {
    Dl_info place{};
    return dladdr(reinterpret_cast<void*>(&lookup_of_mpi), &place) != 0
               ? dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
               : nullptr;
  }();
  void* const theirs = c_library_lookup()(handle, name);
  if (!theirs || !own) return theirs;
  void* const ours = c_library_lookup()(own, name);
  // What ours needs has functions of MPI, too.
  if (file_at(ours) != file_at(reinterpret_cast<void*>(&lookup_of_mpi))) return theirs;
  return theirs == tutti::run::next_function(name) ? ours : theirs;
}

}  // namespace

// Who calls decides what RTLD_NEXT and RTLD_DEFAULT mean: the C library's function has to be jumped
// to, and not called. Compilers do so when they optimize, as nothing is left to do, not even for
// exceptions.
extern "C" __attribute__((visibility("default"), optimize("O2"), no_sanitize("address", "thread"))) void*
dlsym(void* handle, const char* name) noexcept {
  tutti::run::Lookup* const next =
      handle == RTLD_NEXT || handle == RTLD_DEFAULT || !is_of_mpi(name) ? c_library_lookup() : &lookup_of_mpi;
  return next(handle, name);
}
