#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/verb.hpp"

namespace tutti::cli {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const Algorithm& algorithm) {
  ordered_json parameters = ordered_json::array();
  for (const Parameter& parameter : algorithm.parameters)
    parameters.push_back({{"name", parameter.name},
                          {"meaning", parameter.meaning},
                          {"values", parameter.values},
                          {"default", parameter.values.front()}});
  return {{"operation", name(algorithm.collective)},
          {"name", algorithm.name},
          {"summary", algorithm.summary},
          {"wins", algorithm.wins},
          {"commutative_only", algorithm.commutative_only},
          {"parameters", parameters},
          {"source", citation(algorithm)}};
}

void print(const Algorithm& algorithm) {
  fmt::print("  {:<22}{}\n", algorithm.name, algorithm.summary);
  fmt::print("  {:<22}wins: {}\n", "", algorithm.wins);
  for (const Parameter& parameter : algorithm.parameters)
    fmt::print("  {:<22}{}: {} ({}; default {})\n", "", parameter.name, parameter.meaning,
               fmt::join(parameter.values, ", "), parameter.values.front());
  if (algorithm.commutative_only) fmt::print("  {:<22}only for operations that commute\n", "");
  fmt::print("  {:<22}{}\n", "", citation(algorithm));
}

// The catalogue's page of the documentation.
void print_markdown(const std::vector<Collective>& wanted) {
  fmt::print(
      "# Algorithms\n\nWritten by `tutti list --markdown`. n is the vector in bytes (allgather: all of it), "
      "p the number of ranks.\n");
  for (const Collective collective : wanted) {
    fmt::print("\n## {}\n\n| plan | what it does | when it wins | source |\n| --- | --- | --- | --- |\n",
               name(collective));
    for (const Algorithm& algorithm : all_algorithms()) {
      if (algorithm.collective != collective) continue;
      std::string parameters;
      for (const Parameter& parameter : algorithm.parameters)
        parameters += fmt::format("; `{}`: {} ({})", parameter.name, parameter.meaning,
                                  fmt::join(parameter.values, ", "));
      fmt::print("| `{}` | {}{}{} | {} | {} |\n", algorithm.name, algorithm.summary, parameters,
                 algorithm.commutative_only ? "; only for operations that commute" : "", algorithm.wins,
                 citation(algorithm));
    }
  }
}

void print_plans(const std::vector<Collective>& wanted) {
  for (const Collective collective : wanted)
    for (const Plan& plan : known_plans(collective)) fmt::print("{} {}\n", name(collective), plan.text());
}

}  // namespace

void add_list(CLI::App& app) {
  struct Options {
    std::string operations = "all";
    bool plans = false;
    bool markdown = false;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("list", "what Tutti can do: every algorithm of every operation");
  verb->footer("Example: tutti list --op allreduce");
  verb->add_option("--op", options->operations, "operations, such as bcast,allreduce")->capture_default_str();
  auto* plans = verb->add_flag("--plans", options->plans,
                               "only the texts of all plans, one a line after its operation");
  auto* markdown =
      verb->add_flag("--markdown", options->markdown, "as the page docs/algorithms.md")->excludes(plans);
  verb->add_flag("--json", options->json, "as a JSON array")->excludes(plans)->excludes(markdown);
  verb->callback([options] {
    const auto wanted = read_collectives(options->operations);
    if (options->plans) return print_plans(wanted);
    if (options->markdown) return print_markdown(wanted);
    ordered_json array = ordered_json::array();
    for (const Collective collective : wanted) {
      if (!options->json) fmt::print("{}\n", name(collective));
      for (const Algorithm& algorithm : all_algorithms()) {
        if (algorithm.collective != collective) continue;
        if (options->json)
          array.push_back(to_json(algorithm));
        else
          print(algorithm);
      }
    }
    if (options->json) fmt::print("{}\n", array.dump(1));
  });
}

}  // namespace tutti::cli
