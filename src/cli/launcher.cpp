#include "cli/launcher.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string_view>

#include "cli/process.hpp"
#include "doctor/program_file.hpp"
#include "text/shell.hpp"
#include "text/split.hpp"
#include "text/suggest.hpp"

namespace tutti::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view known_mpis[] = {"openmpi", "mpich", "smpi"};

fs::path executable_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

// A file of ours: beside the executable or in lib in a build tree, in the library folder where it is
// installed.
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

// "" if it can't be told.
std::string guess_mpi(const std::vector<std::string>& command) {
  const std::string program = fs::path(command[0]).filename().string();
  if (contains(program, "smpirun")) return "smpi";
  if (contains(program, "openmpi") || program == "orterun" || program == "prterun") return "openmpi";
  if (contains(program, "mpich") || contains(program, "hydra")) return "mpich";
  const auto version = output_of({command[0], "--version"});
  if (!version) return "";
  if (contains(*version, "Open MPI") || contains(*version, "OpenRTE")) return "openmpi";
  if (contains(*version, "HYDRA") || contains(*version, "MPICH") || contains(*version, "Intel(R) MPI"))
    return "mpich";
  return "";
}

// The parts of a variable's value, without empty ones.
std::vector<std::string> parts_of_variable(const char* name, char separator) {
  const char* value = std::getenv(name);
  std::vector<std::string> parts = split(value ? value : "", separator);
  std::erase(parts, "");
  return parts;
}

// Assignments in front of the user's own in such a list, of which those of the same names are dropped.
std::vector<std::string> before_the_users(std::vector<std::string> assignments,
                                          const std::vector<std::string>& users) {
  const auto name_of = [](const std::string& assignment) {
    return assignment.substr(0, assignment.find('='));
  };
  std::set<std::string> names;
  for (const std::string& assignment : assignments) names.insert(name_of(assignment));
  for (const std::string& assignment : users)
    if (!names.contains(name_of(assignment))) assignments.push_back(assignment);
  return assignments;
}

// The user's own program in front of all processes, without what an earlier `tutti env` put before it.
std::vector<std::string> behind_start(std::vector<std::string> agent, const std::string& start) {
  if (agent.empty() || agent.front() != start) return agent;
  const auto is_ours = [](const std::string& word) { return contains(word, "="); };
  agent.erase(agent.begin(), std::find_if_not(agent.begin() + 1, agent.end(), is_ours));
  return agent;
}

bool is_slurm(const std::vector<std::string>& command) {
  return contains(fs::path(command[0]).filename().string(), "srun");
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
  const auto linked = output_of({"ldd", find_file("tutti-worker-" + mpi)});
  // "  libmpich.so.12 => /usr/lib/…/libmpich.so.12 (0x…)"
  std::istringstream lines(linked ? *linked : "");
  for (std::string line; std::getline(lines, line);)
    if (const auto at = line.find("=> "); at != line.npos && line.find("libmpi") < at)
      return line.substr(at + 3, line.find(" (", at) - at - 3);
  return failure(fmt::format("the library of {} is not found; name its file with --library", mpi));
}

Result<Launcher> Launcher::recognise(std::vector<std::string> command, const std::string& mpi) {
  if (command.empty()) return failure("a launcher is missing; end the command with: -- mpirun -n 4");
  const std::vector<std::string> built = built_mpis();
  Launcher launcher;
  launcher.mpi_.name = mpi.empty() ? guess_mpi(command) : mpi;
  // Slurm starts programs of any MPI: the program knows.
  if (const auto at = position_of_program(command); launcher.mpi_.name.empty() && at < command.size())
    launcher.mpi_.name = look_at_program(command[at]).mpi();
  if (launcher.mpi_.name.empty()) {
    if (const auto runs = output_of({command[0], "--version"}); !runs) return tl::unexpected(runs.error());
    return failure(fmt::format("can't tell which MPI '{}' starts; say --mpi {}", command[0],
                               fmt::join(built, " or --mpi ")));
  }
  if (std::find(built.begin(), built.end(), launcher.mpi_.name) == built.end())
    return failure(fmt::format("Tutti was not built for '{}'{}", launcher.mpi_.name,
                               suggestion(launcher.mpi_.name, {built.begin(), built.end()})));
  launcher.command_ = std::move(command);
  return launcher;
}

std::vector<std::string> Launcher::worker_command() const {
  return command_of(worker_of(mpi_.name));
}

std::string Launcher::checker() const {
  return find_file("tutti-checker-" + mpi_.name);
}

std::string Launcher::examiner() const {
  return find_file("tutti-examiner-" + mpi_.name);
}

std::vector<std::string> Launcher::command_of(const std::string& started) const {
  std::vector<std::string> command = command_;
  if (mpi_.simulated()) {
    // What the measuring program needs, unless the user says otherwise.
    std::vector<std::string> needed{"-foreground"};
    if (!mentions(command, "--log=")) needed.push_back("--log=root.thres:warning");
    if (!mentions(command, "smpi/privatization")) needed.push_back("--cfg=smpi/privatization:dlopen");
    if (!mentions(command, "smpi/simulate-computation"))
      needed.push_back("--cfg=smpi/simulate-computation:no");
    command.insert(command.begin() + 1, needed.begin(), needed.end());
  }
  command.push_back(started);
  return command;
}

std::vector<std::string> Launcher::command_with(const std::map<std::string, std::string>& variables,
                                                std::map<std::string, std::string>& environment) const {
  return with_variables(command_, variables, environment);
}

std::vector<std::string> Launcher::with_variables(std::vector<std::string> command,
                                                  const std::map<std::string, std::string>& variables,
                                                  std::map<std::string, std::string>& environment) const {
  std::vector<std::string> words;
  if (mpi_.simulated() || is_slurm(command)) {
    environment.insert(variables.begin(), variables.end());  // handed on to the program
  } else if (mpi_.name == "openmpi") {
    for (const auto& [name, value] : variables)
      words.insert(words.end(), {"-x", fmt::format("{}={}", name, value)});
  } else {
    for (const auto& [name, value] : variables) words.insert(words.end(), {"-genv", name, value});
  }
  command.insert(command.begin() + 1, words.begin(), words.end());
  return command;
}

Result<std::vector<std::string>> Launcher::shell_lines(
    const std::map<std::string, std::string>& variables) const {
  std::vector<std::string> assignments, lines;
  const bool slurm = is_slurm(command_), openmpi = mpi_.name == "openmpi";
  // Up to version 4 a list of variables is refused beside the option -x, and a job's processes can be started
  // through another program; from 5 on it is the other way round.
  const bool starts_through = openmpi && contains(mpi_version(), "Open MPI 4.");
  const std::string_view separator = slurm ? "," : starts_through ? " " : ";";
  for (const auto& [name, value] : variables) {
    assignments.push_back(fmt::format("{}={}", name, value));
    if ((slurm || openmpi) && contains(value, separator))
      return failure(fmt::format("{} hands on no value with a '{}', and {} is {}; use tutti run", command_[0],
                                 separator, name, value));
  }
  if (mpi_.simulated()) {
    for (const auto& [name, value] : variables)
      lines.push_back(fmt::format("export {}={}", name, shell_quoted(value)));
  } else if (slurm) {
    lines.push_back("export SLURM_EXPORT_ENV=" +
                    shell_quoted(fmt::format("ALL,{}", fmt::join(assignments, ","))));
  } else if (starts_through) {
    constexpr const char* agent = "OMPI_MCA_orte_fork_agent";
    const std::string start = find_file("tutti-start");
    assignments.insert(assignments.begin(), start);
    const auto users = behind_start(parts_of_variable(agent, ' '), start);
    assignments.insert(assignments.end(), users.begin(), users.end());
    lines.push_back(
        fmt::format("export {}={}", agent, shell_quoted(fmt::format("{}", fmt::join(assignments, " ")))));
  } else if (openmpi) {
    constexpr const char* list = "OMPI_MCA_mca_base_env_list";
    assignments = before_the_users(std::move(assignments), parts_of_variable(list, ';'));
    lines.push_back(
        fmt::format("export {}={}", list, shell_quoted(fmt::format("{}", fmt::join(assignments, ";")))));
  } else {
    // It hands on the whole environment, and so the library would come into everything that the shell starts.
    std::map<std::string, std::string> none;
    const std::vector<std::string> words = with_variables({command_[0]}, variables, none);
    lines.push_back(fmt::format("{}() {{ command {} \"$@\"; }}", fs::path(command_[0]).filename().string(),
                                shell_line(words)));
  }
  return lines;
}

std::string Launcher::mpi_version() const {
  const auto said = output_of({command_[0], "--version"});
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
  return mpi_.simulated() ? ""
                          : find_file(fmt::format("libtutti-{}{}.so", counts ? "profile-" : "", mpi_.name));
}

}  // namespace tutti::cli
