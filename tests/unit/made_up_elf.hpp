#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace tutti {

/// A file of this machine as far as it says which libraries it needs, and where they are looked
/// for, by entries such as {DT_NEEDED, "libc.so.6"}. No linker can start it.
inline std::string made_up_elf(const std::vector<std::pair<Elf64_Sxword, std::string>>& entries) {
  const std::string interpreter("/lib64/ld-linux-x86-64.so.2\0", 28);
  std::string texts(1, '\0');
  std::vector<Elf64_Dyn> dynamic(entries.size() + 2);  // and where the texts are, and the end
  for (std::size_t i = 0; i < entries.size(); ++i) {
    dynamic[i].d_tag = entries[i].first;
    dynamic[i].d_un.d_val = texts.size();
    texts += entries[i].second + '\0';
  }
  constexpr std::uint64_t address = 0x400000;  // of the file in memory
  Elf64_Ehdr header{};
  std::ifstream("/proc/self/exe", std::ios::binary).read(reinterpret_cast<char*>(&header), sizeof header);
  std::vector<Elf64_Phdr> segments(3);
  header.e_phoff = sizeof header;
  header.e_phnum = static_cast<Elf64_Half>(segments.size());
  const std::uint64_t at_dynamic = header.e_phoff + segments.size() * sizeof(Elf64_Phdr),
                      at_interpreter = at_dynamic + dynamic.size() * sizeof(Elf64_Dyn),
                      at_texts = at_interpreter + interpreter.size();
  const auto set = [](Elf64_Phdr& segment, Elf64_Word kind, std::uint64_t offset, std::uint64_t bytes) {
    segment.p_type = kind;
    segment.p_offset = offset;
    segment.p_filesz = bytes;
  };
  set(segments[0], PT_INTERP, at_interpreter, interpreter.size());
  set(segments[1], PT_LOAD, 0, at_texts + texts.size());
  segments[1].p_vaddr = address;
  set(segments[2], PT_DYNAMIC, at_dynamic, dynamic.size() * sizeof(Elf64_Dyn));
  dynamic[entries.size()].d_tag = DT_STRTAB;
  dynamic[entries.size()].d_un.d_ptr = address + at_texts;
  const auto bytes_of = [](const auto& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof values[0]);
  };
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + bytes_of(segments) +
         bytes_of(dynamic) + interpreter + texts;
}

}  // namespace tutti
