#include "run/mpi/loaded_objects.hpp"

#include <dlfcn.h>
#include <link.h>

#include <string_view>

namespace tutti::run {
namespace {

// What stands in an object's dynamic section, and the texts that it refers to.
struct DynamicSection {
  const ElfW(Dyn) * entries = nullptr;
  const char* texts = nullptr;

  explicit DynamicSection(const dl_phdr_info& info) {
    for (int i = 0; i < info.dlpi_phnum; ++i)
      if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
        entries = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    for (const auto* entry = entries; entry && entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_STRTAB) {
        // Some architectures leave the address as it stands in the file.
        const ElfW(Addr) at = entry->d_un.d_ptr;
        texts = reinterpret_cast<const char*>(at < info.dlpi_addr ? info.dlpi_addr + at : at);
      }
  }
  /// Calls visit(text) for each entry of a kind.
  template <typename Visit>
  void for_each(decltype(ElfW(Dyn)::d_tag) kind, Visit&& visit) const {
    for (const auto* entry = entries; texts && entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == kind) visit(texts + entry->d_un.d_val);
  }
};

LoadedObject described(const dl_phdr_info& info) {
  LoadedObject object{info.dlpi_name, "", {}};
  const DynamicSection section(info);
  section.for_each(DT_NEEDED, [&](const char* name) { object.needs.emplace_back(name); });
  section.for_each(DT_SONAME, [&](const char* name) { object.name = name; });
  return object;
}

// A library that is looked for by its name as a library, its file's, or with its folder.
struct Sought {
  std::string_view name;
  std::string file = {};  // which may be unloaded by another thread once nobody looks
};

int is_sought(dl_phdr_info* info, std::size_t, void* with) {
  auto& sought = *static_cast<Sought*>(with);
  const std::string_view file = info->dlpi_name;
  bool is_it = file == sought.name || file.substr(file.rfind('/') + 1) == sought.name;
  if (!is_it)
    DynamicSection(*info).for_each(DT_SONAME, [&](const char* name) { is_it |= name == sought.name; });
  if (is_it) sought.file = info->dlpi_name;
  return is_it;
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

// The linker, asked for what is not loaded, would look for it in all its folders.
void* loaded_library(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (Sought sought{name}; dl_iterate_phdr(is_sought, &sought) != 0)
      if (void* library = dlopen(sought.file.c_str(), RTLD_LAZY | RTLD_NOLOAD)) return library;
  return nullptr;
}

}  // namespace tutti::run
