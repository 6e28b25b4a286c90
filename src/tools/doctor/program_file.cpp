#include "tools/doctor/program_file.hpp"

#include <elf.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>

#include "base/shell.hpp"
#include "base/split.hpp"

namespace tutti::tools {
namespace {

namespace fs = std::filesystem;

bool is_executable(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none) && access(path.c_str(), X_OK) == 0;
}

// The dynamic linker that a program asks to be started by; empty if none.
std::string interpreter_of(std::ifstream& file, const Elf64_Ehdr& header) {
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff) +
               i * static_cast<std::streamoff>(header.e_phentsize));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return "";
    if (segment.p_type != PT_INTERP || segment.p_filesz > PATH_MAX) continue;
    std::string path(segment.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    file.read(path.data(), static_cast<std::streamsize>(path.size()));
    return path.c_str();
  }
  return "";
}

// The machine of this very process.
Elf64_Half own_machine() {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  Elf64_Ehdr header{};
  self.read(reinterpret_cast<char*>(&header), sizeof header);
  return header.e_machine;
}

// What a program's file is, and its dynamic linker.
struct FileKind {
  ProgramFile::Kind kind;
  std::string interpreter = "";
};

FileKind kind_of(const std::string& path) {
  using enum ProgramFile::Kind;
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {script};
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != own_machine()) return {other_machine};
  file.clear();
  std::string interpreter = interpreter_of(file, header);
  return interpreter.empty() ? FileKind{fixed} : FileKind{dynamic, std::move(interpreter)};
}

// What ldd(1) prints. It starts eight processes; a dynamic linker of the kind that started this one
// says it by itself, where others might start the program. What is preloaded here, as Tutti in a
// script that it serves, is none of the program's libraries.
std::string listing_of(const std::string& path, const std::string& interpreter) {
  struct Close {
    void operator()(FILE* pipe) const { pclose(pipe); }
  };
  const auto name_of = [](const std::string& file) { return fs::path(file).filename(); };
  const bool is_like_ours = name_of(interpreter) == name_of(kind_of("/proc/self/exe").interpreter);
  const std::string asked =
      "exec env -u LD_PRELOAD " +
      (is_like_ours ? "LD_TRACE_LOADED_OBJECTS=1 " + shell_quoted(interpreter) : std::string("ldd"));
  const std::string command = asked + " " + shell_quoted(fs::absolute(path)) + " 2>/dev/null";
  const std::unique_ptr<FILE, Close> pipe(popen(command.c_str(), "r"));
  std::string text;
  std::array<char, 4096> chunk;
  while (pipe)
    if (const auto got = std::fread(chunk.data(), 1, chunk.size(), pipe.get()); got > 0)
      text.append(chunk.data(), got);
    else
      break;
  return text;
}

// The library of programs that are compiled for the standard's own ABI, whichever MPI is behind it.
constexpr std::string_view standard_abi = "libmpi_abi";

// Programs that start others.
constexpr std::string_view wrappers[] = {"env",    "nice",    "numactl", "setarch",
                                         "stdbuf", "taskset", "time",    "timeout"};
// Options whose values may bear a program's name.
constexpr std::string_view valued[] = {"map-by", "bind-to",  "rank-by",      "host",   "hosts",
                                       "H",      "launcher", "launch-agent", "output", "stdin",
                                       "x",      "w",        "nodelist",     "export"};
// Options with a name and a value behind it: of Hydra, of Open MPI, and of what starts Open MPI's
// programs from version 5 on (PRRTE and PMIx).
constexpr std::string_view paired[] = {"env",   "genv",    "mca",      "gmca",    "omca",
                                       "gomca", "prtemca", "gprtemca", "pmixmca", "gpmixmca"};

bool is_one_of(std::string_view word, const auto& list) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool is_option_of(std::string_view word, const auto& list) {
  const auto name = word.find_first_not_of('-');
  return word.starts_with('-') && name != word.npos && is_one_of(word.substr(name), list);
}

// Whether a word belongs to an option before it.
bool belongs_to_option(const std::vector<std::string>& words, std::size_t at) {
  return is_option_of(words[at - 1], valued) || is_option_of(words[at - 1], paired) ||
         (at >= 2 && is_option_of(words[at - 2], paired));
}

}  // namespace

std::string path_of_program(const std::string& name) {
  // A list of hosts may be longer than names of files are, and be no name of one.
  std::error_code none;
  const std::string as_named = fs::exists(name, none) ? name : "";
  if (name.find('/') != name.npos) return as_named;
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path ? path : "/usr/bin:/bin", ':'))
    if (const fs::path here = fs::path(folder) / name; is_executable(here)) return here.string();
  return as_named;
}

bool ProgramFile::is_of_standard_abi() const {
  return std::any_of(libraries.begin(), libraries.end(),
                     [](const std::string& library) { return library.starts_with(standard_abi); });
}

bool ProgramFile::refuses_preload() const {
  // GCC's name of it, and Clang's.
  const bool has_it = std::any_of(libraries.begin(), libraries.end(), [](const std::string& library) {
    return library.starts_with("libasan.so") || library.starts_with("libclang_rt.asan");
  });
  return has_it && asan_options.find("verify_asan_link_order=0") == asan_options.npos;
}

std::string ProgramFile::mpi() const {
  for (const std::string& library : libraries) {
    if (library.starts_with(standard_abi)) return "";
    if (library.starts_with("libmpich") || library.starts_with("libmpi.so.12")) return "mpich";
    if (library.starts_with("libmpi.so") || library.starts_with("libmpi_")) return "openmpi";
    if (library.starts_with("libsimgrid")) return "smpi";
  }
  return "";
}

void read_libraries(const std::string& listing, ProgramFile& program) {
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find_first_not_of(" \t");
    if (begin == line.npos) continue;
    const std::string path = line.substr(begin, line.find(' ', begin) - begin);
    const std::string name = fs::path(path).filename().string();
    (line.find("=> not found") == line.npos ? program.libraries : program.missing_libraries).push_back(name);
  }
}

ProgramFile look_at_program(const std::string& name) {
  ProgramFile program{.path = path_of_program(name)};
  if (program.path.empty()) {
    program.path = name;
    return program;
  }
  if (const char* options = std::getenv("ASAN_OPTIONS")) program.asan_options = options;
  program.kind = ProgramFile::Kind::not_executable;
  if (!is_executable(program.path)) return program;
  struct stat status {};
  if (stat(program.path.c_str(), &status) == 0)
    program.changes_user = ((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid()) ||
                           ((status.st_mode & S_ISGID) != 0 && status.st_gid != getgid());
  const FileKind found = kind_of(program.path);
  program.kind = found.kind;
  if (program.kind == ProgramFile::Kind::dynamic)
    read_libraries(listing_of(program.path, found.interpreter), program);
  return program;
}

std::size_t position_of_program(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string &word = words[i], &before = words[i - 1];
    if (word.starts_with('-') || is_assignment(word) || is_one_of(word, wrappers) ||
        belongs_to_option(words, i))
      continue;
    const std::string path = path_of_program(word);
    const bool executable = !path.empty() && is_executable(path);
    if (!executable && (word.find('/') == word.npos || before.starts_with('-'))) continue;
    // A script in front of a program prepares something for it.
    const bool prepares = executable && kind_of(path).kind == ProgramFile::Kind::script &&
                          i + 1 < words.size() && is_executable(path_of_program(words[i + 1]));
    if (!prepares) return i;
  }
  return words.size();
}

}  // namespace tutti::tools
