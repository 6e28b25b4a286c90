#include "choose/settings/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

#include "base/split.hpp"
#include "base/suggest.hpp"
#include "choose/settings/kinds.hpp"

namespace tutti::inline choose {
namespace {

std::vector<Variable> declared() {
  using enum Audience;
  std::vector<Variable> all{
      {variable::off, user, "everything passes through untouched", kinds::flag(&Configuration::off)},
      {variable::table, user,
       "plans to use, as written by tutti tune; or the built-in ones, by the cut-offs of MPICH's authors",
       kinds::table()},
      {variable::learn, user,
       "plans that are tried in the program's own calls: none, a table's against native, or all that may "
       "gain; and what that may cost, of the time in each kind of calls, and in all besides",
       kinds::learning()},
      {variable::float_sums, user,
       "reductions of floating-point numbers: by any plan, so that their last bits may change; left to the "
       "MPI library where no variable forces a plan; or with the same bits whatever the size, the plan and "
       "the hosts",
       kinds::choice(&Rules::float_sums, {"any", "native", "reproducible"})},
      {variable::stats, user, "at MPI_Finalize rank 0 prints calls, bytes and time by operation and plan",
       kinds::flag(&Configuration::stats)},
      {variable::profile, user,
       "at MPI_Finalize rank 0 writes there what all ranks spent in which collective calls (tutti report, "
       "advise)",
       kinds::profile()},
      {"TUTTI_LOG", user, "what is said on standard error",
       kinds::choice(&Configuration::log_level, {"error", "warn", "info", "debug"})},
      {variable::fallback, expert, "what is done, once, when a plan can't serve a call and it runs natively",
       kinds::choice(&Rules::fallback, {"silent", "warn", "error"})},
      {variable::cache, administrator,
       "where computed schedules, and what was learnt for all programs, are kept for later runs",
       kinds::folder(&Configuration::cache)},
      {variable::home, administrator,
       "where the command looks for the tables of a machine and a file of settings, and tutti tune --system "
       "writes",
       kinds::text_for_command("FOLDER", variable::default_home)},
      {"TUTTI_LIMITS", administrator,
       "bounds: of the memory that ranks of a host share, by communicator (0: none), of a rank's cached "
       "schedules, and of the messages and bytes that a rank may have under way to others, and from others",
       kinds::limits()},
      {variable::network, expert,
       "the network of all ranks, as written by tutti probe, for plans that are computed for it (without it "
       "the table's)",
       kinds::network()},
      {"TUTTI_ADAPT", expert,
       "the time after which bandwidths are measured again between calls, in a tenth of it, and plans "
       "computed anew where they have changed (without it never)",
       kinds::interval(&Rules::adapt_s)},
      {"TUTTI_DEVICE", expert,
       "buffers in a device's memory go by way of host memory, or all collectives of a job that uses a "
       "device library are left to the MPI library",
       kinds::choice(&Rules::device, {"stage", "native"})},
      {"TUTTI_OPERATIONS", expert,
       "what operations that the program has made (MPI_Op_create) are called with: any elements of vectors, "
       "as the standard allows, or whole vectors, as the MPI libraries call them where vectors are short",
       kinds::choice(&Rules::operations_whole, {"pieces", "whole"})},
      {variable::progress, expert,
       "what drives nonblocking collectives that plans carry out: the program's calls of MPI, or a thread "
       "besides, where MPI lets several threads call",
       kinds::choice(&Configuration::progress, {"calls", "thread"})}};
  for_each_called([&](Called called) {
    all.push_back({called.variable(), expert,
                   fmt::format("the plan of every {}, or plans by sizes: 0-4K=PLAN; PLAN", called.mpi_name()),
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

std::optional<std::string> Variable::complaint(const std::string& value) const {
  Configuration scratch;
  const auto wrong = kind.judged_by_ranks ? std::nullopt : kind.read(value, {}, scratch);
  return wrong ? std::optional(fmt::format("{} ({})", *wrong, name)) : std::nullopt;
}

const char* in_environment(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

Result<std::map<std::string, std::string>> parse_settings(const std::string& text,
                                                          const std::string& source) {
  std::map<std::string, std::string> settings;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto fail = [&](const std::string& what) {
      return failure(fmt::format("settings {}: line {}: {}", source, number, what));
    };
    line = trimmed(line);
    if (line.empty() || line[0] == '#') continue;
    const auto equals = line.find('=');
    if (equals == line.npos) return fail(fmt::format("'{}' is no NAME=VALUE", line));
    const std::string name = line.substr(0, equals), value = line.substr(equals + 1);
    const Variable* known = find_variable(name);
    if (!known) return fail(fmt::format("{} ({})", no_such_variable(name), name));
    if (value.empty()) return fail(fmt::format("{} has no value", name));
    if (const auto complaint = known->complaint(value)) return fail(*complaint);
    if (!settings.emplace(name, value).second) return fail(fmt::format("{} is set twice", name));
  }
  return settings;
}

}  // namespace tutti::inline choose
