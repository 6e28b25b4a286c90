#include "run/mpi/loaded_mpi.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

namespace tutti::run {
namespace {

// A function that every MPI library has, and nothing else.
constexpr const char* mark = "PMPI_Get_library_version";

// What the dynamic linker knows of a loaded object: its file, and the names of those it needs.
struct Object {
  std::string file, name;
  std::vector<std::string> needs;
};

Object described(const dl_phdr_info& info) {
  Object object{info.dlpi_name, "", {}};
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* const entries =
        reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    const char* strings = nullptr;
    for (const auto* entry = entries; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_STRTAB) {
        // Some architectures leave the address as it stands in the file.
        const ElfW(Addr) at = entry->d_un.d_ptr;
        strings = reinterpret_cast<const char*>(at < info.dlpi_addr ? info.dlpi_addr + at : at);
      }
    for (const auto* entry = entries; strings && entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_NEEDED) object.needs.emplace_back(strings + entry->d_un.d_val);
      if (entry->d_tag == DT_SONAME) object.name = strings + entry->d_un.d_val;
    }
  }
  return object;
}

std::vector<Object> loaded_objects() {
  std::vector<Object> objects;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* all) {
        static_cast<std::vector<Object>*>(all)->push_back(described(*info));
        return 0;
      },
      &objects);
  return objects;
}

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
  const std::vector<Object> objects = loaded_objects();
  const std::string own = own_file();
  const auto is_needed = [&](const Object& library, bool by_us) {
    return std::ranges::any_of(objects, [&](const Object& object) {
      return (object.file == own) == by_us &&
             std::ranges::find(object.needs, library.name) != object.needs.end();
    });
  };
  Found found;
  for (const Object& object : objects) {
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

std::vector<std::string> loaded_files() {
  std::vector<std::string> names;
  for (const Object& object : loaded_objects())
    names.push_back(object.file.substr(object.file.rfind('/') + 1));
  return names;
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
