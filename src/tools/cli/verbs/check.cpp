// Makes random collective calls under plans, on the user's MPI, ranks and hosts, and says whether
// anything differed; and if so, whose fault it is.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <regex>
#include <sstream>

#include "base/file.hpp"
#include "base/letters.hpp"
#include "base/shell.hpp"
#include "choose/evidence/table.hpp"
#include "choose/profile/advice.hpp"
#include "choose/settings/variables.hpp"
#include "tools/cli/child.hpp"
#include "tools/cli/interrupt.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/progress_bar.hpp"
#include "tools/cli/verb.hpp"
#include "tools/cli/worker_client.hpp"

namespace tutti::tools {
namespace {

struct CheckOptions {
  OperationsOption operations;
  std::string table, budget = "60s";
  std::vector<std::string> plans;
  std::optional<unsigned> seed;
  LauncherOptions launcher;
};

using Variables = std::map<std::string, std::string>;

// What one run of the checking program said.
struct Outcome {
  struct Difference {
    std::string operation, call, what;
  };
  std::vector<Difference> differences;
  std::map<std::pair<std::string, std::string>, std::uint64_t> ran;  // calls by operation and plan
  int agreed = -1;                                                   // calls, −1: not all of them
  std::string end;                                                   // how it ended, if not well
  std::string said;                                                  // the first thing that Tutti said
};

class Check {
 public:
  explicit Check(const CheckOptions& options)
      : options_(options),
        launcher_(options.launcher.recognise()),
        checker_(launcher_.checker()),
        seed_(options.seed.value_or(std::random_device()() % 1000000)),
        budget_s_(read_seconds(options.budget)) {
    if (checker_.empty())
      throw Failure{fmt::format("the checking program for {} is not beside the command; build or install it",
                                launcher_.mpi().library)};
  }

  void run() {
    const auto rounds = this->rounds();
    end_gently();
    const auto clock = budget_clock();
    ProgressBar bar;
    // The library's own operations first: what differs there is no plan's fault.
    constexpr double least_s = 0.25;  // for a call of each kind where ranks are near
    const double share_s = std::max(least_s, budget_s_ / static_cast<double>(rounds.size() + 1));
    bar.show(0, "the library's own operations", "");
    take(try_calls({{variable::off, "1"}}, seed_, share_s, all_calls()), {}, seed_);
    for (std::size_t round = 0;
         failures_.empty() && !interrupted() && (round < rounds.size() || clock() < budget_s_); ++round) {
      // Whatever there is gets its turn, however small the budget; what is left of it is for
      // further calls.
      const auto& variables = rounds[round % rounds.size()];
      const unsigned seed = seed_ + 1 + static_cast<unsigned>(round);
      bar.show(
          clock() / budget_s_, fmt::format("round {}", round + 1),
          fmt::format(", {} calls agree, about {:.0f} s left", agreed_, std::max(0.0, budget_s_ - clock())));
      take(try_calls(variables, seed, share_s, all_calls()), variables, seed);
    }
    bar.clear();
    report();
  }

 private:
  // The variables of each round: a table, or a plan for every operation, so that all have their
  // turn.
  std::vector<Variables> rounds() {
    if (!options_.table.empty()) {
      const std::string path = std::filesystem::absolute(options_.table).string();
      value_or_fail(parse_table(value_or_fail(read_file(path)), path));
      return {{{variable::table, path}}};
    }
    WorkerClient worker = value_or_fail(WorkerClient::start(launcher_, options_.launcher.start_limit_s()));
    const Setting setting = worker.site().setting();
    std::vector<Variables> rounds;
    for (const Collective collective : options_.operations.read()) {
      std::size_t round = 0;
      for (const Plan& plan : plans_of(collective, setting)) {
        if (plan.is_native()) continue;
        if (round == rounds.size()) rounds.emplace_back();
        for (const Mode mode : all_modes) rounds[round][Called{collective, mode}.variable()] = plan.text();
        ++round;
      }
      for (; round > 0 && round < rounds.size(); ++round)  // those with fewer plans begin again
        for (const Mode mode : all_modes)
          rounds[round][Called{collective, mode}.variable()] = rounds[0][Called{collective, mode}.variable()];
    }
    if (rounds.empty()) {
      // Why the first that was asked for can't be had, if it can't.
      if (!options_.plans.empty())
        value_or_fail(make_plan(options_.operations.read().front(), options_.plans.front()));
      throw Failure{"there is no such plan on so many ranks; start at least two"};
    }
    return rounds;
  }

  std::vector<std::string> all_calls() const {
    std::vector<std::string> further{"--goes-on"};
    if (!options_.operations.words.empty()) {
      std::vector<std::string_view> names;
      for (const Collective collective : options_.operations.read()) names.push_back(name(collective));
      further.insert(further.end(), {"--only", fmt::format("{}", fmt::join(names, ","))});
    }
    return further;
  }

  // By default all that serve; those asked for by name have to serve some operation.
  std::vector<Plan> plans_of(Collective collective, Setting setting) const {
    // The checking program makes some neighbours of this kind.
    const auto topology = StencilOption{.points = 9}.topology(collective, setting.ranks);
    if (topology) setting.topology = &*topology;
    if (options_.plans.empty() || options_.plans == std::vector<std::string>{"all"})
      return known_plans(collective, setting);
    std::vector<Plan> plans;
    for (const std::string& text : options_.plans) {
      auto plan = make_plan(collective, text);
      if (plan && !plan->refusal(setting)) plans.push_back(std::move(*plan));
    }
    return plans;
  }

  // The command, and the variables that the launcher itself has to have.
  std::vector<std::string> command(Variables variables, unsigned seed,
                                   const std::vector<std::string>& further, Variables& environment) const {
    variables[variable::stats] = "1";
    variables[variable::fallback] = "silent";
    variables.try_emplace(variable::off, "0");  // whatever is set here
    if (!launcher_.preload().empty()) variables["LD_PRELOAD"] = launcher_.preload();
    const bool one = std::find(further.begin(), further.end(), "--first") != further.end();
    std::vector<std::string> program{checker_, one ? "1" : "1000000000", fmt::format("{}", seed)};
    program.insert(program.end(), further.begin(), further.end());
    return launcher_.with_variables(launcher_.command_of(program), variables, environment);
  }

  Outcome try_calls(const Variables& variables, unsigned seed, double seconds,
                    std::vector<std::string> further) const {
    constexpr double patience_s = 120;  // beyond the time it is given
    further.insert(further.end(), {"--seconds", fmt::format("{:.2f}", seconds)});
    Variables environment;
    Child child = value_or_fail(
        Child::start(command(variables, seed, further, environment), Child::Errors::in_output, environment));
    Outcome outcome;
    const auto clock = stopwatch();
    constexpr double glance_s = 0.5;  // so often is looked whether there was a Ctrl-C
    for (auto next = child.read_line(glance_s); next.kind != Child::Read::end;
         next = child.read_line(glance_s)) {
      if (interrupted()) {
        child.kill();
        return outcome;
      }
      if (next.kind == Child::Read::nothing_yet) {
        if (clock() < seconds + patience_s) continue;
        child.kill();
        outcome.end = fmt::format("does not end: given up {:.0f} s after its time", patience_s);
        return outcome;
      }
      read(next.line, outcome);
    }
    if (const std::string end = child.finish(); !interrupted()) outcome.end = end;
    return outcome;
  }

  static void read(const std::string& line, Outcome& outcome) {
    static const std::regex difference(R"(tutti-checker: (\w+): seed \d+, call (\d+), (.*))"),
        agreement(R"(tutti-checker: (\d+) calls agree)"),
        ran(R"(^tutti:   MPI_(\w+) +(\S.*?) +(\d+) +\d+ +[\d.]+$)"),
        remark(R"(^tutti: ((?!collectives of )\S.*)$)");
    std::smatch match;
    if (std::regex_search(line, match, difference))
      outcome.differences.push_back({match[1], match[2], match[3]});
    else if (std::regex_search(line, match, agreement))
      outcome.agreed = std::stoi(match[1]);
    else if (std::regex_search(line, match, ran))
      outcome.ran[{lower_case(match[1]), match[2]}] += std::stoull(match[3]);
    else if (outcome.said.empty() && std::regex_search(line, match, remark))
      outcome.said = match[1];
  }

  // Adds up what a round found.
  void take(const Outcome& outcome, const Variables& variables, unsigned seed) {
    for (const auto& [what, calls] : outcome.ran) ran_[what] += static_cast<std::uint64_t>(calls);
    if (said_.empty()) said_ = outcome.said;
    if (outcome.agreed > 0) agreed_ += static_cast<std::uint64_t>(outcome.agreed);
    for (const auto& found : outcome.differences) {
      if (variables.empty()) {
        native_.insert({found.operation, found});
        continue;
      }
      // Makes the same call again by the library alone: is it right there?
      const Outcome alone =
          try_calls({{variable::off, "1"}}, seed, 10, {"--first", found.call, "--only", found.operation});
      if (native_.contains(found.operation) || !alone.differences.empty())
        native_.insert({found.operation, found});
      else
        failures_.push_back(fmt::format("{}: {}\n  reproduce: {}", found.operation, found.what,
                                        line(only(variables, found.operation), seed,
                                             {"--first", found.call, "--only", found.operation})));
    }
    if (outcome.differences.empty() && !outcome.end.empty())
      failures_.push_back(
          fmt::format("the program ended with {}\n  reproduce: {}", outcome.end,
                      line(variables.empty() ? Variables{{variable::off, "1"}} : variables, seed, {})));
  }

  // The variables that matter for an operation; nonblocking calls of others go on beside it.
  static Variables only(const Variables& variables, const std::string& operation) {
    const auto collective = collective_named(operation);
    if (!collective) return variables;
    const std::string own = Called{*collective}.variable();
    Variables chosen = variables;
    for_each_called([&](Called called) {
      if (called.mode == Mode::blocking && called.variable() != own) chosen.erase(called.variable());
    });
    return chosen;
  }

  // A command that does it again, for a shell.
  std::string line(const Variables& variables, unsigned seed, const std::vector<std::string>& further) const {
    Variables environment;
    std::string text;
    const auto words = command(variables, seed, further, environment);
    for (const auto& [name, value] : environment) text += fmt::format("{}={} ", name, shell_quoted(value));
    return text + shell_line(words);
  }

  bool plans_ran() const {
    return std::ranges::any_of(ran_, [](const auto& one) { return !ran_natively(one.first.second); });
  }

  void report() const {
    fmt::print("{:<24}{:<48}{:>12}\n", "operation", "plan", "calls");
    for (const auto& [what, calls] : ran_) fmt::print("{:<24}{:<48}{:>12}\n", what.first, what.second, calls);
    fmt::print("\n{} calls agree with their oracles, seed {}\n", agreed_, seed_);
    for (const auto& [operation, found] : native_)
      fmt::print("{}: the MPI library's own operation gives something else: {}\n  reproduce: {}\n", operation,
                 found.what,
                 line({{variable::off, "1"}}, seed_, {"--first", found.call, "--only", operation}));
    if (failures_.empty() && !interrupted() && !plans_ran())
      throw Failure{
          fmt::format("no plan has served a call, so that nothing was checked{}; tutti explain says "
                      "what a table has for a call",
                      said_.empty() ? "" : fmt::format(" ({})", said_))};
    if (failures_.empty()) {
      fmt::print("verdict: {}{}\n", interrupted() ? "interrupted; so far " : "",
                 native_.empty() ? "nothing differs"
                                 : "Tutti's plans are right; the MPI library's own operations named above "
                                   "are not");
      return;
    }
    for (const std::string& failure : failures_) fmt::print("{}\n", failure);
    throw Failure{fmt::format("{} found to be wrong; please report it with the line that reproduces it",
                              failures_.size() == 1 ? "one plan is" : "some plans are")};
  }

  const CheckOptions& options_;
  Launcher launcher_;
  std::string checker_;
  unsigned seed_;
  double budget_s_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> ran_;
  std::uint64_t agreed_ = 0;
  std::string said_;  // the first thing that Tutti said in the checking program
  std::map<std::string, Outcome::Difference> native_;  // the first, by operation
  std::vector<std::string> failures_;
};

void declare_check(CLI::App* verb, const LauncherWords& launcher) {
  auto options = std::make_shared<CheckOptions>();
  options->launcher.command = launcher.words;
  verb->footer(
      "Example: tutti check --budget 2m -- mpirun -n 4\n"
      "         tutti check --table table.json -- mpirun -n 4\n"
      "Without --table or --plan all plans of all operations have their turn.");
  options->operations.add_to(*verb);
  auto* table =
      verb->add_option("--table", options->table, "table whose plans are checked, as written by tutti tune")
          ->type_name("FILE");
  verb->add_option("--plan,--plans", options->plans, "plan to check, or all; may be repeated (default: all)")
      ->type_name("PLAN")
      ->allow_extra_args(false)
      ->excludes(table);
  verb->add_option("--budget", options->budget, "time for everything; each plan has one turn at least")
      ->type_name("TIME")
      ->capture_default_str();
  verb->add_option("--seed", options->seed, "number that draws the same calls again")->type_name("NUMBER");
  options->launcher.add_to_measuring(*verb);
  verb->callback([options] { Check(*options).run(); });
}

}  // namespace

namespace verbs {

Verb check() {
  return {.name = "check",
          .summary = "compare results of random calls with what they should be",
          .purpose = Purpose::trust,
          .declare = declare_check};
}

}  // namespace verbs

}  // namespace tutti::tools
