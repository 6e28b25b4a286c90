#include "tools/cli/launcher.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string_view>

#include "base/file.hpp"
#include "base/shell.hpp"
#include "base/split.hpp"
#include "base/suggest.hpp"
#include "tools/cli/child.hpp"
#include "tools/doctor/program_file.hpp"

namespace tutti::tools {
namespace {

namespace fs = std::filesystem;

// The standard's own ABI, which any MPI may be behind.
constexpr const char* standard_abi = "abi";

constexpr std::string_view known_mpis[] = {"openmpi", "mpich", "abi", "smpi"};

fs::path executable_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

// A file of ours: beside the executable or in lib in a build tree, in the library folder where it
// is installed.
std::string find_file(const std::string& name) {
  const fs::path here = executable_folder(), library = here / ".." / TUTTI_LIBRARY_FOLDER;
  for (const fs::path& folder : {here, here / "../lib", library / "tutti", library})
    if (fs::exists(folder / name)) return fs::weakly_canonical(folder / name).string();
  return "";
}

std::string worker_of(const std::string& mpi) {
  return find_file("tutti-worker-" + mpi);
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// Launchers that start programs of any MPI and hand their whole environment on to all ranks, if
// they are not told otherwise: of Cray's ALPS, Flux, TACC, and IBM's LSF.
constexpr std::string_view exporting_launchers[] = {"aprun", "flux", "ibrun", "jsrun", "lrun"};
// PRRTE's, or a site's script of that name; its version tells.
constexpr std::string_view prun = "prun";

std::string file_name(const std::string& program) {
  return fs::path(program).filename().string();
}

bool exports_all(const std::vector<std::string>& command) {
  return std::ranges::find(exporting_launchers, file_name(command[0])) != std::end(exporting_launchers);
}

// What is named by a path, and not as launchers are, may be the user's own, which would begin to
// work.
bool may_be_asked(const std::string& launcher) {
  const std::string name = file_name(launcher);
  return !contains(launcher, "/") || contains(name, "mpirun") || contains(name, "mpiexec") || name == prun ||
         path_of_program(launcher).empty();
}

// What a launcher says of its version, for which it is started once.
const Result<std::string>& version_said_by(const std::string& launcher) {
  static std::map<std::string, Result<std::string>> said;
  if (const auto known = said.find(launcher); known != said.end()) return known->second;
  auto version = may_be_asked(launcher) ? output_of({launcher, "--version"}) : Result<std::string>("");
  return said.emplace(launcher, std::move(version)).first->second;
}

// The name of the file behind a launcher's name, as alternatives and installations link them.
std::string name_behind(const std::string& launcher) {
  std::error_code none;
  return fs::canonical(path_of_program(launcher), none).filename().string();
}

constexpr const char* launcher_up_to_openmpi_4 = "orterun";

// The MPI whose launcher's options a launcher has, by its name; "" if that does not tell.
std::string mpi_by_name(const std::string& launcher) {
  for (const std::string& program : {file_name(launcher), name_behind(launcher)}) {
    if (contains(program, "smpirun")) return "smpi";
    if (contains(program, "openmpi") || program == launcher_up_to_openmpi_4 || program == "prterun")
      return "openmpi";
    if (contains(program, "mpich") || contains(program, "hydra")) return "mpich";
  }
  return "";
}

// The same, by what it says of its version.
std::string mpi_by_version(const std::string& launcher) {
  const auto& version = version_said_by(launcher);
  if (!version) return "";
  if (contains(*version, "Open MPI") || contains(*version, "OpenRTE") || contains(*version, "PRRTE"))
    return "openmpi";
  if (contains(*version, "HYDRA") || contains(*version, "MPICH") || contains(*version, "Intel(R) MPI"))
    return "mpich";
  return "";
}

// The MPI of the shell: what its mpirun or mpiexec starts, as a module puts it into PATH; "" if
// there is none.
std::string mpi_in_path() {
  for (const char* launcher : {"mpirun", "mpiexec"}) {
    if (const std::string mpi = mpi_by_name(launcher); !mpi.empty()) return mpi;
    if (const std::string mpi = mpi_by_version(launcher); !mpi.empty()) return mpi;
  }
  return "";
}

// A value as tutti-start reads it, which has no blanks.
std::string octal_blanks(const std::string& value) {
  std::string text;
  for (const char c : value) text += c == ' ' ? "\\0040" : c == '\\' ? "\\0134" : std::string(1, c);
  return text;
}

// The user's entries of such a list, NAME or NAME=VALUE, but those that ours have the names of.
std::vector<std::string> users_entries(std::vector<std::string> users, const std::vector<std::string>& ours) {
  const auto name_of = [](const std::string& entry) { return entry.substr(0, entry.find('=')); };
  std::set<std::string> names;
  for (const std::string& entry : ours) names.insert(name_of(entry));
  std::erase_if(users, [&](const std::string& entry) { return names.contains(name_of(entry)); });
  return users;
}

// A parameter of Open MPI's in a file of `name = value` lines; "" where it is not there.
std::string parameter_in(const fs::path& file, const std::string& name) {
  std::string value;
  std::istringstream lines(read_file(file.string()).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find('=');
    if (equals == line.npos || trimmed(line.substr(0, equals)) != name) continue;
    value = trimmed(line.substr(equals + 1));
  }
  return value;
}

// Where a command line sets a parameter of Open MPI's: the places of its values.
std::vector<std::size_t> places_of_parameter(const std::string& name,
                                             const std::vector<std::string>& command) {
  std::vector<std::size_t> places;
  for (std::size_t i = 1; i + 2 < command.size(); ++i)
    if ((command[i] == "--mca" || command[i] == "-mca") && command[i + 1] == name) places.push_back(i + 2);
  return places;
}

// A parameter of Open MPI's as users set it: on the command line, in the environment, or in a file
// of theirs or the machine's.
std::string parameter(const std::string& name, const std::vector<std::string>& command) {
  if (const auto places = places_of_parameter(name, command); !places.empty()) return command[places.front()];
  if (const char* set = std::getenv(("OMPI_MCA_" + name).c_str())) return set;
  const char* home = std::getenv("HOME");
  std::string value = parameter_in(fs::path(home ? home : "") / ".openmpi/mca-params.conf", name);
  const fs::path launcher = path_of_program(command[0]);
  for (const fs::path& file : {launcher.parent_path() / "../etc/openmpi-mca-params.conf",
                               fs::path("/etc/openmpi/openmpi-mca-params.conf")})
    if (value.empty()) value = parameter_in(file, name);
  return value;
}

// Sets a parameter in the environment, and on the command line where that sets it, too.
void set_parameter(const std::string& name, const std::string& value, std::vector<std::string>& command,
                   std::map<std::string, std::string>& environment) {
  environment["OMPI_MCA_" + name] = value;
  for (const std::size_t place : places_of_parameter(name, command)) command[place] = value;
}

// The program through which Open MPI 4 starts all processes of a job, and the parameter that names
// it. Words are separated by blanks there.
constexpr const char* agent_parameter = "orte_fork_agent";

std::string agent_with(const std::string& start, const std::map<std::string, std::string>& variables,
                       const std::string& users) {
  std::vector<std::string> words{start};
  for (const auto& [name, value] : variables) words.push_back(name + "=" + octal_blanks(value));
  std::vector<std::string> others = split(users, ' ');
  std::erase(others, "");
  if (!others.empty() && others.front() == start) {  // what an earlier `tutti env` put before the user's own
    others.erase(others.begin(), std::find_if_not(others.begin() + 1, others.end(), is_assignment));
  }
  words.insert(words.end(), others.begin(), others.end());
  return fmt::format("{}", fmt::join(words, " "));
}

// The list of variables that Open MPI hands on to all processes of a job, and the parameter that
// has it.
constexpr const char* list_parameter = "mca_base_env_list";

std::string list_with(const std::map<std::string, std::string>& variables, const std::string& users) {
  std::vector<std::string> assignments, others = split(users, ';');
  std::erase(others, "");
  for (const auto& [name, value] : variables) assignments.push_back(fmt::format("{}={}", name, value));
  others = users_entries(std::move(others), assignments);
  assignments.insert(assignments.end(), others.begin(), others.end());
  return fmt::format("{}", fmt::join(assignments, ";"));
}

// The environment's list of what Slurm hands on, and the option that goes before it.
constexpr const char* slurm_list = "SLURM_EXPORT_ENV";
constexpr std::string_view slurm_option = "--export";

// The entries of such a list, whose values may hold commas in quotes.
std::vector<std::string> slurm_entries(const std::string& list) {
  std::vector<std::string> entries(1);
  char quote = '\0';
  for (const char c : list) {
    if (quote == '\0' && c == ',') {
      entries.emplace_back();
      continue;
    }
    if (quote == c)
      quote = '\0';
    else if (quote == '\0' && (c == '\'' || c == '"'))
      quote = c;
    entries.back() += c;
  }
  std::erase(entries, "");
  return entries;
}

// What Slurm hands on: the user's entries, and ours, which are names or assignments.
std::string exported_with(const std::vector<std::string>& ours, const std::string& users) {
  std::vector<std::string> entries;
  if (users != "NONE" && users != "NIL")
    entries = users_entries(slurm_entries(users.empty() ? "ALL" : users), ours);
  entries.insert(entries.end(), ours.begin(), ours.end());
  return fmt::format("{}", fmt::join(entries, ","));
}

bool is_slurm(const std::vector<std::string>& command) {
  return contains(file_name(command[0]), "srun") && !exports_all(command);
}

bool mentions(const std::vector<std::string>& command, std::string_view part) {
  return std::any_of(command.begin(), command.end(),
                     [part](const std::string& word) { return contains(word, part); });
}

}  // namespace

std::vector<std::string> built_mpis() {
  std::vector<std::string> built;
  for (const std::string_view mpi : known_mpis)
    if (!worker_of(std::string(mpi)).empty()) built.emplace_back(mpi);
  return built;
}

Result<std::string> library_of(const std::string& mpi) {
  const auto said = output_of({find_file("tutti-examiner-" + mpi), "--library"});
  const std::string file = said ? said->substr(0, said->find('\n')) : "";
  if (!file.empty()) return file;
  return failure(fmt::format("the library of {} is not found; name its file with --library", mpi));
}

Result<Launcher> Launcher::recognise(std::vector<std::string> command, const std::string& mpi) {
  if (command.empty())
    return failure("a launcher is missing; end the command with: -- mpirun -n 4, and a program to run");
  const std::vector<std::string> built = built_mpis();
  Launcher launcher;
  Mpi& found = launcher.mpi_;
  // What needs an MPI is no launcher, whatever its name, and is not asked anything.
  const ProgramFile itself = look_at_program(command[0], WantedLibraries::enough_for_mpi);
  launcher.is_program_ = itself.uses_mpi();
  if (!launcher.is_program_) launcher.speaks_ = mpi_by_name(command[0]);
  if (!launcher.is_program_ && launcher.speaks_.empty() && !is_slurm(command) && !exports_all(command))
    launcher.speaks_ = mpi_by_version(command[0]);
  found.name = !mpi.empty() && mpi != standard_abi ? mpi
               : launcher.is_program_              ? itself.mpi()
                                                   : launcher.speaks_;
  found.library = !mpi.empty() ? mpi : itself.is_of_standard_abi() ? standard_abi : found.name;
  // A program knows what it was compiled for; Slurm and others start programs of any MPI, of which
  // the shell has loaded one.
  launcher.program_at_ = launcher.is_program_ ? 0 : position_of_program(command);
  if (mpi.empty() && !launcher.is_program_ && launcher.program_at_ < command.size()) {
    const ProgramFile program =
        look_at_program(command[launcher.program_at_], WantedLibraries::enough_for_mpi);
    if (program.is_of_standard_abi())
      found.library = standard_abi;
    else if (found.name.empty())
      found.library = program.mpi();
  }
  if (found.name.empty()) found.name = found.library;
  if (found.name.empty() && (is_slurm(command) || exports_all(command) || file_name(command[0]) == prun))
    found.name = found.library = mpi_in_path();
  if (found.name.empty()) {
    if (const auto& runs = version_said_by(command[0]); !runs) return tl::unexpected(runs.error());
    std::vector<std::string> real = built;
    std::erase(real, "smpi");  // which smpirun alone starts
    return failure(fmt::format("can't tell which MPI '{}' starts; say --mpi {}", command[0],
                               fmt::join(real, " or --mpi ")));
  }
  if (std::find(built.begin(), built.end(), found.library) == built.end())
    return failure(
        fmt::format("Tutti was not built for '{}'{}; mpich stands for Intel MPI, Cray MPICH and "
                    "MVAPICH, too",
                    found.library, suggestion(found.library, {built.begin(), built.end()})));
  launcher.command_ = std::move(command);
  return launcher;
}

std::vector<std::string> Launcher::worker_command() const {
  return command_of({worker_of(mpi_.library)});
}

std::string Launcher::checker() const {
  return find_file("tutti-checker-" + mpi_.library);
}

std::string Launcher::examiner() const {
  return find_file("tutti-examiner-" + mpi_.library);
}

std::vector<std::string> Launcher::command_of(const std::vector<std::string>& program) const {
  if (is_program_) return program;
  std::vector<std::string> command;
  for (const std::string& word : command_) {
    if (word == ":") command.insert(command.end(), program.begin(), program.end());
    command.push_back(word);
  }
  if (mpi_.simulated()) {
    // What the measuring program needs, unless the user says otherwise.
    std::vector<std::string> needed{"-foreground"};
    if (!mentions(command, "--log=")) needed.push_back("--log=root.thres:warning");
    if (!mentions(command, "smpi/privatization")) needed.push_back("--cfg=smpi/privatization:dlopen");
    if (!mentions(command, "smpi/simulate-computation"))
      needed.push_back("--cfg=smpi/simulate-computation:no");
    command.insert(command.begin() + 1, needed.begin(), needed.end());
  }
  command.insert(command.end(), program.begin(), program.end());
  return command;
}

std::vector<std::string> Launcher::command_with(const std::map<std::string, std::string>& variables,
                                                std::map<std::string, std::string>& environment) const {
  return with_variables(command_, variables, environment);
}

// Up to version 4 a list of variables is refused beside the option -x, and a job's processes can be
// started through another program; from 5 on it is the other way round.
std::string Launcher::start() const {
  if (speaks_ != "openmpi" ||
      (name_behind(command_[0]) != launcher_up_to_openmpi_4 && !contains(mpi_version(), "Open MPI 4.")))
    return "";
  std::string start = find_file("tutti-start");
  return contains(start, " ") ? "" : start;
}

std::vector<std::string> Launcher::with_variables(std::vector<std::string> command,
                                                  const std::map<std::string, std::string>& variables,
                                                  std::map<std::string, std::string>& environment) const {
  if (hands_environment_on()) {
    environment.insert(variables.begin(), variables.end());
  } else if (is_slurm(command)) {
    environment.insert(variables.begin(), variables.end());
    std::vector<std::string> names;
    for (const auto& [name, value] : variables) names.push_back(name);
    if (const char* set = std::getenv(slurm_list)) environment[slurm_list] = exported_with(names, set);
    const std::string with_list = std::string(slurm_option) + "=";
    for (std::size_t i = 1, program = position_of_program(command); i < program; ++i)
      if (std::string& word = command[i]; word.starts_with(with_list))
        word = with_list + exported_with(names, word.substr(with_list.size()));
      else if (command[i - 1] == slurm_option)  // --export NONE
        word = exported_with(names, word);
  } else if (const std::string start = this->start(); !start.empty()) {
    set_parameter(agent_parameter, agent_with(start, variables, parameter(agent_parameter, command)), command,
                  environment);
  } else {
    std::vector<std::string> words;
    for (const auto& [name, value] : variables)
      if (speaks_ == "openmpi")
        words.insert(words.end(), {"-x", fmt::format("{}={}", name, value)});
      else
        words.insert(words.end(), {"-genv", name, value});
    // What Open MPI is told of is of one of the programs, of which there may be several.
    for (std::size_t i = command.size(); i-- > 0;)
      if (i == 0 || (speaks_ == "openmpi" && command[i] == ":"))
        command.insert(command.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.begin(), words.end());
  }
  return command;
}

Result<std::vector<std::string>> Launcher::shell_lines(
    const std::map<std::string, std::string>& variables) const {
  std::vector<std::string> lines;
  const auto export_line = [&lines](const std::string& name, const std::string& value) {
    lines.push_back(fmt::format("export {}={}", name, shell_quoted(value)));
  };
  const auto separated_by = [&](std::string_view separator) -> Result<void> {
    for (const auto& [name, value] : variables)
      if (contains(value, separator))
        return failure(fmt::format("{} hands on no value with a '{}', and {} is {}; use tutti run",
                                   command_[0], separator, name, value));
    return {};
  };
  if (mpi_.simulated()) {
    for (const auto& [name, value] : variables) export_line(name, value);
  } else if (is_slurm(command_)) {
    if (const auto well = separated_by(","); !well) return tl::unexpected(well.error());
    std::vector<std::string> assignments;
    for (const auto& [name, value] : variables) assignments.push_back(fmt::format("{}={}", name, value));
    const char* set = std::getenv(slurm_list);
    export_line(slurm_list, exported_with(assignments, set ? set : ""));
  } else if (const std::string start = this->start(); !start.empty()) {
    export_line(std::string("OMPI_MCA_") + agent_parameter,
                agent_with(start, variables, parameter(agent_parameter, command_)));
  } else if (speaks_ == "openmpi") {
    if (const auto well = separated_by(";"); !well) return tl::unexpected(well.error());
    export_line(std::string("OMPI_MCA_") + list_parameter,
                list_with(variables, parameter(list_parameter, command_)));
  } else {
    // It hands on the whole environment, and so the library would come into everything that the
    // shell starts.
    const std::string& launcher = command_[0];
    if (contains(launcher, "/"))
      return failure(
          fmt::format("a function of the shell takes the place of {0}, but not of {1}; put its folder into "
                      "PATH and say tutti env -- {0}, or use tutti run",
                      fs::path(launcher).filename().string(), launcher));
    if (!is_shell_name(launcher))
      lines.push_back(fmt::format(
          "# for bash: other shells may take {} for no function's name; use tutti run there", launcher));
    std::map<std::string, std::string> to_be_set;
    std::vector<std::string> words = with_variables({launcher}, variables, to_be_set);
    for (auto variable = to_be_set.rbegin(); variable != to_be_set.rend(); ++variable)
      words.insert(words.begin(), fmt::format("{}={}", variable->first, variable->second));
    if (!to_be_set.empty()) words.insert(words.begin(), "env");
    lines.push_back(fmt::format("{}() {{ command {} \"$@\"; }}", launcher, shell_line(words)));
  }
  return lines;
}

std::string Launcher::doubt() const {
  if (is_program_ || !speaks_.empty() || is_slurm(command_) || exports_all(command_) ||
      path_of_program(command_[0]).empty())
    return "";
  return fmt::format(
      "{} is not known as a launcher, and has Tutti's variables in its environment; if they do not reach the "
      "ranks, as tutti doctor tells, write tutti run in front of the launcher that it calls",
      command_[0]);
}

bool Launcher::hands_environment_on() const {
  return mpi_.simulated() || is_program_ || (speaks_.empty() && !is_slurm(command_));
}

std::string Launcher::mpi_version() const {
  if (speaks_.empty()) return "";
  const auto& said = version_said_by(command_[0]);
  if (!said) return "";
  const auto version_after = [&said](std::string_view mark) -> std::string {
    const auto at = said->find(mark);
    if (at == said->npos) return "";
    const auto begin = said->find_first_of("0123456789", at + mark.size());
    return begin == said->npos
               ? ""
               : said->substr(begin, said->find_first_not_of("0123456789.abcr", begin) - begin);
  };
  if (mpi_.name == "openmpi") {
    std::string version = version_after("(Open MPI)");
    if (version.empty()) version = version_after("(OpenRTE)");  // the same number, up to version 4
    return version.empty() ? "" : "Open MPI " + version;
  }
  if (mpi_.name == "mpich") {
    const std::string version = version_after("Version:");
    return version.empty() ? "" : "MPICH " + version;
  }
  return "";
}

std::string Launcher::preload(bool counts) const {
  return mpi_.simulated()
             ? ""
             : find_file(fmt::format("libtutti-{}{}.so", counts ? "profile-" : "", mpi_.library));
}

}  // namespace tutti::tools
