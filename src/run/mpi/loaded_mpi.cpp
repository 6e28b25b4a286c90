#include "run/mpi/loaded_mpi.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "run/mpi/loaded_objects.hpp"

namespace tutti::run {
namespace {

// A function that every MPI library has, and nothing else.
constexpr const char* mark = "PMPI_Get_library_version";

// The C library's dlsym, under the version that it has on this architecture.
Lookup* find_lookup() {
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.27", "GLIBC_2.0"})
    if (void* found = dlvsym(RTLD_NEXT, "dlsym", version)) return reinterpret_cast<Lookup*>(found);
  return nullptr;
}

// The path of the file that an address lies in.
const char* file_of(const void* address) {
  Dl_info place{};
  return address && dladdr(address, &place) != 0 && place.dli_fname ? place.dli_fname : "";
}

// This library's own path, in which nobody looks for an MPI.
const char* own_file() {
  static const char own = 0;
  return file_of(&own);
}

struct Found {
  LoadedMpi of_program, brought_along;
};

// Looks through all loaded objects. An MPI that only this library needs has been brought along.
Found look() {
  const std::vector<LoadedObject> objects = loaded_objects();
  const std::string own = own_file();
  const auto is_needed = [&](const LoadedObject& library, bool by_us) {
    return std::ranges::any_of(objects, [&](const LoadedObject& object) {
      return (object.file == own) == by_us &&
             std::ranges::find(object.needs, library.name) != object.needs.end();
    });
  };
  Found found;
  for (const LoadedObject& object : objects) {
    if (object.file.empty() || object.file == own) continue;
    void* const handle = dlopen(object.file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) continue;
    const char* const file = file_of(c_library_lookup()(handle, mark));
    if (object.file == file) {
      const bool brought = is_needed(object, true) && !is_needed(object, false);
      LoadedMpi& place = brought ? found.brought_along : found.of_program;
      if (!place) place = {handle, file};
    } else {
      dlclose(handle);
    }
  }
  if (!found.of_program) std::swap(found.of_program, found.brought_along);
  return found;
}

// What has been found, once there is a library: calls come when the program's has been loaded.
const Found& known() {
  static constinit std::atomic<const Found*> kept{nullptr};
  static constexpr Found none;
  if (const Found* found = kept.load()) return *found;
  const Found now = look();
  if (!now.of_program) return none;
  kept = new Found(now);
  return *kept.load();
}

// Whether a library says that it has the standard's ABI. Those with handles of their own answer -1,
// or have no such function.
bool is_of_standard_abi(const LoadedMpi& mpi) {
  using Version = int(int*, int*);
  auto* const version = reinterpret_cast<Version*>(mpi.function("PMPI_Abi_get_version"));
  int major = -1, minor = -1;
  return version && version(&major, &minor) == 0 && major >= 1;
}

}  // namespace

void* LoadedMpi::function(const char* name) const {
  return handle ? c_library_lookup()(handle, name) : nullptr;
}

Handles LoadedMpi::handles() const {
  if (!handle) return Handles::unknown;
  if (is_of_standard_abi(*this)) return Handles::standard;
  if (function("ompi_mpi_comm_world")) return Handles::open_mpi;
  if (function("MPIR_Dup_fn")) return Handles::mpich;
  return Handles::unknown;
}

Lookup* c_library_lookup() {
  static Lookup* const found = find_lookup();
  return found;
}

LoadedMpi mpi_of_program() {
  return known().of_program;
}

LoadedMpi mpi_brought_along() {
  return known().brought_along;
}

void* next_function(const char* name) {
  if (!mpi_brought_along())
    if (void* const next = c_library_lookup()(RTLD_NEXT, name)) return next;
  return mpi_of_program().function(name);
}

}  // namespace tutti::run
