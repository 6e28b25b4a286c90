// Programs that open the MPI library and look its functions up by its handle (Python's ctypes,
// Julia's MPI.jl) ask nobody else for them: what serves them is dlsym itself.

#include <dlfcn.h>

#include <cstring>

#include "run/mpi/loaded_mpi.hpp"

namespace {

using tutti::run::c_library_lookup;
using tutti::run::Lookup;
using tutti::run::next_function;

bool is_of_mpi(const char* name) {
  return std::strncmp(name, "MPI_", 4) == 0 || std::strncmp(name, "PMPI_", 5) == 0;
}

// Where an address lies: the first byte of its file; null if in none.
const void* file_at(const void* address) {
  Dl_info place{};
  return address && dladdr(address, &place) != 0 ? place.dli_fbase : nullptr;
}

// This library's own function of a name; null where only what it needs has one.
[[gnu::noinline]] void* own_function(const char* name) {
  static void* const own = [] {
    Dl_info place{};
    return dladdr(reinterpret_cast<void*>(&own_function), &place) != 0
               ? dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
               : nullptr;
  }();
  void* const found = own ? c_library_lookup()(own, name) : nullptr;
  return file_at(found) == file_at(reinterpret_cast<void*>(&own_function)) ? found : nullptr;
}

// Whether what was found is ours, and the MPI library has nothing of that name: programs find out
// in this way what their library has, and what it lacks they do not find here either.
bool is_ours_alone(const void* found, const char* name) {
  return found && found == own_function(name) && !next_function(name);
}

// Our function, where the library that was asked is the one that ours calls. What failed on the way
// to an address is no error of the program's, which may ask dlerror and not look at the address.
[[gnu::noinline]] void* lookup_of_mpi(void* handle, const char* name) noexcept {
  void* const theirs = c_library_lookup()(handle, name);
  if (!theirs || is_ours_alone(theirs, name)) return nullptr;
  void* const ours = theirs == next_function(name) ? own_function(name) : nullptr;
  dlerror();
  return ours ? ours : theirs;
}

void* nothing(void*, const char*) noexcept {
  return nullptr;
}

// What looks a name up.
Lookup* lookup_for(void* handle, const char* name) noexcept {
  if (!is_of_mpi(name)) return c_library_lookup();
  if (handle != RTLD_NEXT && handle != RTLD_DEFAULT) return &lookup_of_mpi;
  return is_ours_alone(c_library_lookup()(RTLD_DEFAULT, name), name) ? &nothing : c_library_lookup();
}

}  // namespace

// Who calls decides what RTLD_NEXT and RTLD_DEFAULT mean: the C library's function has to be jumped
// to, and not called. GCC does so when it optimizes, as nothing is left to do, not even for
// exceptions; Clang does so when it is told to, in a function that may throw.
#ifdef __clang__
#define TUTTI_OPTIMIZED
#define TUTTI_JUMP [[clang::musttail]]
#else
#define TUTTI_OPTIMIZED optimize("O2"),
#define TUTTI_JUMP
#endif
extern "C" __attribute__((visibility("default"), TUTTI_OPTIMIZED no_sanitize("address", "thread"))) void*
jump_to_lookup(void* handle, const char* name) __asm__("dlsym");
void* jump_to_lookup(void* handle, const char* name) {
  Lookup* const next = lookup_for(handle, name);
  TUTTI_JUMP return next(handle, name);
}
