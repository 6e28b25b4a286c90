#include "tools/doctor/elf_file.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "base/split.hpp"

namespace tutti::tools {
namespace {

// Values that lie one behind the other in a file, as many as there are of them.
template <typename Value>
std::vector<Value> values_at(std::ifstream& file, std::uint64_t offset, std::uint64_t count) {
  std::vector<Value> values(count);
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(Value)));
  values.resize(static_cast<std::size_t>(file.gcount()) / sizeof(Value));
  return values;
}

std::string text_at(std::ifstream& file, std::uint64_t offset) {
  std::string text;
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  std::getline(file, text, '\0');
  return text;
}

using Segments = std::vector<Elf64_Phdr>;

// The first segment of a kind, or null.
const Elf64_Phdr* segment_of(const Segments& segments, Elf64_Word kind) {
  const auto found = std::ranges::find(segments, kind, &Elf64_Phdr::p_type);
  return found == segments.end() ? nullptr : &*found;
}

void read_libraries_named(std::ifstream& file, const Segments& segments, ElfFile& into) {
  constexpr std::uint64_t most_entries = 1 << 16;  // no linker writes more
  const Elf64_Phdr* const dynamic = segment_of(segments, PT_DYNAMIC);
  if (!dynamic) return;
  std::vector<std::uint64_t> names, folders;  // from the beginning of the texts on
  std::uint64_t texts = 0;                    // an address
  const std::uint64_t entries = std::min(dynamic->p_filesz / sizeof(Elf64_Dyn), most_entries);
  for (const Elf64_Dyn& entry : values_at<Elf64_Dyn>(file, dynamic->p_offset, entries)) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_RUNPATH) folders.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_STRTAB) texts = entry.d_un.d_ptr;
    into.has_other_folders |= entry.d_tag == DT_RPATH;
  }
  const auto in_memory = std::ranges::find_if(segments, [texts](const Elf64_Phdr& segment) {
    return segment.p_type == PT_LOAD && segment.p_vaddr <= texts &&
           texts - segment.p_vaddr < segment.p_filesz;
  });
  if (in_memory == segments.end()) return;
  const std::uint64_t begin = in_memory->p_offset + (texts - in_memory->p_vaddr);
  for (const std::uint64_t name : names) into.libraries.push_back(text_at(file, begin + name));
  for (const std::uint64_t list : folders) into.folders = split(text_at(file, begin + list), ':');
  into.has_other_folders |= std::ranges::any_of(into.folders, [](const std::string& folder) {
    return !folder.starts_with('/') || folder.find('$') != folder.npos;
  });
}

// The machine of this very process.
Elf64_Half own_machine() {
  static const Elf64_Half machine = [] {
    std::ifstream self("/proc/self/exe", std::ios::binary);
    Elf64_Ehdr header{};
    self.read(reinterpret_cast<char*>(&header), sizeof header);
    return header.e_machine;
  }();
  return machine;
}

// The linker's cache, as glibc's ldconfig writes it since version 2.2: a head, an entry for each
// library, and the texts, which entries find from the beginning on.
struct CacheHead {
  char magic[20];
  std::uint32_t entries, bytes_of_texts, others[5];
};
struct CacheEntry {
  std::int32_t kind;
  std::uint32_t name, file, system;
  std::uint64_t capabilities;
};
static_assert(sizeof(CacheHead) == 48 && sizeof(CacheEntry) == 24);
constexpr std::string_view cache_magic = "glibc-ld.so.cache1.1";

// What is read of a text at a place; zeros where it ends before.
template <typename Value>
Value value_in(std::string_view text, std::size_t at) {
  Value value{};
  if (at < text.size()) std::memcpy(&value, text.data() + at, std::min(sizeof value, text.size() - at));
  return value;
}

std::string_view word_in(std::string_view text, std::size_t at) {
  text.remove_prefix(std::min(at, text.size()));
  return text.substr(0, text.find('\0'));
}

// A library of this machine.
std::optional<ElfFile> library_at(const std::string& path) {
  auto library = look_at_elf(path);
  return library && library->is_of_this_machine ? library : std::nullopt;
}

// The library of that name in one of some folders or in the cache.
std::optional<ElfFile> library_named(std::string_view name, const std::vector<std::string>& folders,
                                     std::string_view cache) {
  for (const std::string& folder : folders)
    if (auto library = library_at(fmt::format("{}/{}", folder, name))) return library;
  const auto head = value_in<CacheHead>(cache, 0);
  for (std::size_t i = 0, at = sizeof head; i < head.entries && at < cache.size();
       ++i, at += sizeof(CacheEntry)) {
    const auto entry = value_in<CacheEntry>(cache, at);
    const auto text = cache.substr(std::min<std::size_t>(entry.name, cache.size()), name.size() + 1);
    if (!text.starts_with(name) || !text.ends_with('\0')) continue;
    if (auto library = library_at(std::string(word_in(cache, entry.file)))) return library;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ElfFile> look_at_elf(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  Elf64_Ehdr header{};
  stream.read(reinterpret_cast<char*>(&header), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  ElfFile file{.is_of_this_machine =
                   header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == own_machine()};
  if (!file.is_of_this_machine) return file;
  const auto segments = values_at<Elf64_Phdr>(stream, header.e_phoff, header.e_phnum);
  if (const Elf64_Phdr* const interpreter = segment_of(segments, PT_INTERP))
    file.interpreter = text_at(stream, interpreter->p_offset);
  read_libraries_named(stream, segments, file);
  return file;
}

std::optional<std::vector<std::string>> libraries_by_cache(const ElfFile& file, const std::string& cache) {
  const auto known = read_file(cache);
  if (!known || !known->starts_with(cache_magic) || std::getenv("LD_LIBRARY_PATH")) return std::nullopt;
  std::vector<std::string> all;
  std::vector<ElfFile> files{file};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const ElfFile from = files[i];
    if (from.has_other_folders) return std::nullopt;
    for (const std::string& name : from.libraries) {
      if (std::ranges::find(all, name) != all.end()) continue;
      if (name.find('/') != name.npos) return std::nullopt;
      auto library = library_named(name, from.folders, *known);
      if (!library) return std::nullopt;
      all.push_back(name);
      files.push_back(std::move(*library));
    }
  }
  return all;
}

}  // namespace tutti::tools
