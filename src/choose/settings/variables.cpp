#include "choose/settings/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

#include "base/split.hpp"
#include "base/suggest.hpp"
#include "choose/settings/kinds.hpp"

extern char** environ;

namespace tutti::inline choose {
namespace {

std::vector<Variable> declared() {
  using enum Audience;
  std::vector<Variable> all{
      {variable::off, user, "1 switches Tutti off: every call passes through untouched", kinds::off()},
      {variable::table, user,
       "table of plans, as written by tutti tune, or a folder, of whose tables the first that can serve here "
       "does; builtin stands for the plans and sizes that MPICH's authors published, which were not measured "
       "on this machine",
       kinds::table()},
      {variable::learn, user,
       "trial of plans in the program's own calls: 0 for none, guard for native beside a table's plans, 1 "
       "for "
       "all that may gain, which tutti run sets; it costs a rank at most PERCENT of the time in each kind of "
       "calls, and TIME more over all kinds of a run",
       kinds::learning()},
      {variable::float_sums, user,
       "reductions of floating-point numbers: native leaves them to the MPI library, unless a variable "
       "forces a plan; any lets plans serve them, which may change last digits; reproducible gives the same "
       "bits on the same number of ranks, whatever the plan and the hosts",
       kinds::choice(&Rules::float_sums, {"any", "native", "reproducible"})},
      {variable::stats, user,
       "1 lets rank 0 print calls, bytes and time by operation and plan, at MPI_Finalize",
       kinds::flag(&Configuration::stats)},
      {variable::profile, user,
       "file that rank 0 writes at MPI_Finalize for tutti advise and report: the time that all ranks spent "
       "in "
       "each collective operation, by size",
       kinds::profile()},
      {"TUTTI_LOG", user, "least weight of the lines that rank 0 writes to standard error",
       kinds::choice(&Configuration::log_level, {"error", "warn", "info", "debug"})},
      {variable::fallback, expert,
       "treatment of calls that a plan can't serve: they run natively, silently or with one line, or fail",
       kinds::choice(&Rules::fallback, {"silent", "warn", "error"})},
      {variable::cache, user, "folder that keeps what was learnt, and computed schedules, for later runs",
       kinds::folder(&Configuration::cache)},
      {variable::home, administrator,
       "folder of the machine's tables and settings, to which tutti tune --system writes",
       kinds::text_for_command("FOLDER", variable::default_home)},
      {"TUTTI_LIMITS", administrator,
       "bounds of the memory that ranks of a host share, by communicator (0: none is shared), of a rank's "
       "cached "
       "schedules, and of the messages and bytes that a rank may have under way to others, and from others",
       kinds::limits()},
      {variable::network, expert,
       "network of the hosts, as written by tutti probe, for plans that are computed for it or keep messages "
       "within its groups (default: the table's)",
       kinds::network()},
      {variable::groups, administrator,
       "file of the switches, or other groups, that hosts are in, for plans that keep messages within them: "
       "a host and its groups a line, the innermost first, or Slurm's topology.conf (default: what Slurm "
       "tells its processes, else the groups of the network)",
       kinds::groups()},
      {"TUTTI_ADAPT", expert,
       "time after which bandwidths are measured again between calls, for a tenth of that time, and plans "
       "are "
       "computed anew where they have changed (default: never)",
       kinds::interval(&Rules::adapt_s)},
      {"TUTTI_DEVICE", user,
       "treatment of buffers in a device's memory: stage sends them by way of host memory; auto hands long "
       "messages of data that are only moved to the MPI library where it takes such addresses, and stages "
       "all else; native leaves all collectives of a job that uses a device library to the MPI library",
       kinds::choice(&Rules::device, {"auto", "stage", "native"})},
      {"TUTTI_OPERATIONS", expert,
       "vectors that operations of the program's own (MPI_Op_create) are called with: pieces, as the "
       "standard "
       "allows, or whole, as the MPI libraries do where vectors are short",
       kinds::choice(&Rules::operations_whole, {"pieces", "whole"})},
      {variable::progress, expert,
       "driver of nonblocking collectives that plans carry out: calls for the program's calls of MPI, and "
       "from the first such collective on a thread where MPI lets several threads call; thread for that "
       "thread from MPI_Init on",
       kinds::choice(&Configuration::progress, {"calls", "thread"})}};
  for_each_called([&](Called called) {
    const bool example = called.collective == Collective::bcast && called.mode == Mode::blocking;
    all.push_back({called.variable(), example ? user : expert,
                   fmt::format("plan of every {}, or plans by sizes in bytes, such as 0-4K=PLAN; 64K-=PLAN{}",
                               called.mpi_name(), example ? "; every operation has such a variable" : ""),
                   kinds::plans(called)});
  });
  return all;
}

// Names that variables had once, and what took their place.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> replaced{
    {{"TUTTI_GUARD", "TUTTI_LEARN=0|guard"},
     {"TUTTI_LEARN_COST", "TUTTI_LEARN=1,5%,20ms"},
     {"TUTTI_FLOATS", "TUTTI_FLOAT_SUMS=any|native"},
     {"TUTTI_REPRODUCIBLE", "TUTTI_FLOAT_SUMS=reproducible"},
     {"TUTTI_HOST_MEMORY", "TUTTI_LIMITS=memory=256M"},
     {"TUTTI_IN_FLIGHT", "TUTTI_LIMITS=messages=512,bytes=64M"},
     {"TUTTI_SCHEDULES", "TUTTI_CACHE"},
     {"TUTTI_KNOWLEDGE", "TUTTI_CACHE"}}};

}  // namespace

std::string_view name_of(Audience audience) {
  switch (audience) {
    case Audience::user:
      return "user";
    case Audience::administrator:
      return "administrator";
    case Audience::expert:
      return "expert";
  }
  return "";
}

const std::vector<Variable>& variables() {
  static const auto& all = *new std::vector(declared());  // libraries leave nothing to destroy
  return all;
}

const Variable* find_variable(std::string_view name) {
  const auto found = std::ranges::find(variables(), name, &Variable::name);
  return found == variables().end() ? nullptr : &*found;
}

std::string no_such_variable(std::string_view name) {
  for (const auto& [old, successor] : replaced)
    if (name == old) return fmt::format("this variable is now {}", successor);
  std::vector<std::string_view> known;
  for (const Variable& variable : variables()) known.push_back(variable.name);
  return fmt::format("no such variable{}", suggestion(name, known));
}

std::vector<std::string> complaints_of_names() {
  std::vector<std::string> complaints;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view assignment(*entry);
    const std::string_view name = assignment.substr(0, assignment.find('='));
    if (name.starts_with("TUTTI_") && !find_variable(name))
      complaints.push_back(fmt::format("{} ({}); it is ignored", no_such_variable(name), name));
  }
  return complaints;
}

std::optional<std::string> Variable::complaint(const std::string& value) const {
  Configuration scratch;
  const auto wrong = kind.judged_by_ranks ? std::nullopt : kind.read(value, {}, scratch);
  return wrong ? std::optional(fmt::format("{} ({})", *wrong, name)) : std::nullopt;
}

const char* in_environment(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

SettingsOfFile parse_settings(const std::string& text, const std::string& source) {
  SettingsOfFile settings;
  // Takes a line, or says what is wrong with it.
  const auto take = [&settings](const std::string& line) -> std::optional<std::string> {
    const auto equals = line.find('=');
    if (equals == line.npos) return fmt::format("'{}' is no NAME=VALUE", line);
    const std::string name = line.substr(0, equals), value = line.substr(equals + 1);
    const Variable* known = find_variable(name);
    if (!known) return fmt::format("{} ({})", no_such_variable(name), name);
    if (value.empty()) return fmt::format("{} has no value", name);
    if (auto complaint = known->complaint(value)) return complaint;
    if (!settings.values.emplace(name, value).second) return fmt::format("{} is set twice", name);
    return std::nullopt;
  };
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = trimmed(line);
    if (line.empty() || line[0] == '#') continue;
    if (const auto wrong = take(line))
      settings.complaints.push_back(fmt::format("settings {}: line {}: {}", source, number, *wrong));
  }
  return settings;
}

}  // namespace tutti::inline choose
