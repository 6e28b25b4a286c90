#include "tools/doctor/program_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/shell.hpp"
#include "base/split.hpp"
#include "base/uninterrupted.hpp"
#include "tools/doctor/elf_file.hpp"

namespace tutti::tools {
namespace {

namespace fs = std::filesystem;

bool is_executable(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none) && access(path.c_str(), X_OK) == 0;
}

// What a command prints, in an environment of its own; "" if it can't be started.
std::string printed_by(std::vector<std::string> command, std::vector<std::string> environment) {
  const auto pointers = [](std::vector<std::string>& words) {
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
  };
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool started = posix_spawnp(&child, command[0].c_str(), &actions, nullptr, pointers(command).data(),
                                    pointers(environment).data()) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> chunk;
  const auto read_more = [&] {
    return uninterrupted([&] { return read(ends[0], chunk.data(), chunk.size()); });
  };
  for (ssize_t size = read_more(); size > 0; size = read_more())
    text.append(chunk.data(), static_cast<std::size_t>(size));
  close(ends[0]);
  if (started) uninterrupted([&] { return waitpid(child, nullptr, 0); });
  return text;
}

// Whether a dynamic linker is of the kind that started this process.
bool is_like_ours(const std::string& interpreter) {
  const auto own = look_at_elf("/proc/self/exe");
  return own && fs::path(interpreter).filename() == fs::path(own->interpreter).filename();
}

// What ldd(1) prints. It starts eight processes; a dynamic linker of the kind that started this one
// says it by itself, where others might start the program. What is preloaded here, as Tutti in a
// script that it serves, is none of the program's libraries.
std::string listing_of(const std::string& path, const std::string& interpreter) {
  const bool says_itself = is_like_ours(interpreter);
  std::vector<std::string> environment;
  for (char** entry = environ; *entry; ++entry)
    if (!std::string_view(*entry).starts_with("LD_PRELOAD=")) environment.emplace_back(*entry);
  if (says_itself) environment.emplace_back("LD_TRACE_LOADED_OBJECTS=1");
  return printed_by({says_itself ? interpreter : "ldd", fs::absolute(path)}, std::move(environment));
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

std::string ProgramFile::why_nothing_is_preloaded() const {
  if (kind == Kind::other_machine)
    return fmt::format("{} was built for another processor, or 32 bits, where nothing is preloaded into it",
                       path);
  if (kind == Kind::fixed)
    return fmt::format("{} is linked statically: nothing can be preloaded into it", path);
  if (changes_user)
    return fmt::format("{} runs as another user (setuid or setgid): the system preloads nothing into it",
                       path);
  return "";
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

ProgramFile look_at_program(const std::string& name, WantedLibraries wanted) {
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
  const auto file = look_at_elf(program.path);
  using enum ProgramFile::Kind;
  program.kind = !file                       ? script
                 : !file->is_of_this_machine ? other_machine
                 : file->interpreter.empty() ? fixed
                                             : dynamic;
  if (program.kind != dynamic || wanted == WantedLibraries::none) return program;
  if (wanted == WantedLibraries::enough_for_mpi) {
    program.libraries = file->libraries;
    if (program.uses_mpi()) return program;
    if (auto all = is_like_ours(file->interpreter) ? libraries_by_cache(*file) : std::nullopt) {
      program.libraries = std::move(*all);
      return program;
    }
    program.libraries.clear();
  }
  read_libraries(listing_of(program.path, file->interpreter), program);
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
    const bool prepares = executable && !look_at_elf(path) && i + 1 < words.size() &&
                          is_executable(path_of_program(words[i + 1]));
    if (!prepares) return i;
  }
  return words.size();
}

}  // namespace tutti::tools
