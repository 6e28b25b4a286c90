// Programs that open the MPI library and look its functions up by its handle (Python's ctypes,
// Julia's MPI.jl) ask nobody else for them: what serves them is dlsym itself.

#include <dlfcn.h>

#include <cstring>
#include <initializer_list>

namespace {

using Lookup = void*(void*, const char*) noexcept;

// The C library's own dlsym, under the version it has on this architecture.
Lookup* find_lookup() {
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.27", "GLIBC_2.0"})
    if (void* found = dlvsym(RTLD_NEXT, "dlsym", version)) return reinterpret_cast<Lookup*>(found);
  return nullptr;
}

Lookup* lookup() {
  static Lookup* const found = find_lookup();
  return found;
}

bool is_of_mpi(const char* name) {
  return std::strncmp(name, "MPI_", 4) == 0 || std::strncmp(name, "PMPI_", 5) == 0;
}

// This library's own function of a name, or null.
[[gnu::noinline]] void* own_function(const char* name) {
  static void* const own = [] {
    Dl_info place{};
    return dladdr(reinterpret_cast<void*>(&own_function), &place) != 0
               ? dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
               : nullptr;
  }();
  return own ? lookup()(own, name) : nullptr;
}

// Our function, where the library that was asked is the one that ours calls.
[[gnu::noinline]] void* lookup_of_mpi(void* handle, const char* name) noexcept {
  void* const theirs = lookup()(handle, name);
  if (!theirs || theirs != lookup()(RTLD_NEXT, name)) return theirs;
  void* const ours = own_function(name);
  return ours ? ours : theirs;
}

// Programs find out in this way what their MPI library has: what it lacks they do not find here
// either.
bool is_ours_alone(const char* name) {
  void* const first = lookup()(RTLD_DEFAULT, name);
  return first && first == own_function(name) && !lookup()(RTLD_NEXT, name);
}

void* nothing(void*, const char*) noexcept {
  return nullptr;
}

// What looks a name up.
Lookup* lookup_for(void* handle, const char* name) noexcept {
  if (!is_of_mpi(name)) return lookup();
  if (is_ours_alone(name)) return &nothing;
  return handle == RTLD_NEXT || handle == RTLD_DEFAULT ? lookup() : &lookup_of_mpi;
}

}  // namespace

// Who calls decides what RTLD_NEXT and RTLD_DEFAULT mean: the C library's function has to be jumped
// to, and not called. Compilers do so when they optimize, as nothing is left to do, not even for
// exceptions.
extern "C" __attribute__((visibility("default"), optimize("O2"), no_sanitize("address", "thread"))) void*
dlsym(void* handle, const char* name) noexcept {
  Lookup* const next = lookup_for(handle, name);
  return next(handle, name);
}
