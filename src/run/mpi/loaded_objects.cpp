#include "run/mpi/loaded_objects.hpp"

#include <dlfcn.h>
#include <link.h>

namespace tutti::run {
namespace {

LoadedObject described(const dl_phdr_info& info) {
  LoadedObject object{info.dlpi_name, "", {}};
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

}  // namespace

std::vector<LoadedObject> loaded_objects() {
  std::vector<LoadedObject> objects;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* all) {
        static_cast<std::vector<LoadedObject>*>(all)->push_back(described(*info));
        return 0;
      },
      &objects);
  return objects;
}

std::vector<std::string> loaded_files() {
  std::vector<std::string> names;
  for (const LoadedObject& object : loaded_objects())
    names.push_back(object.file.substr(object.file.rfind('/') + 1));
  return names;
}

void* loaded_library(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) return library;
  return nullptr;
}

}  // namespace tutti::run
