#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/verb.hpp"
#include "plan/prove.hpp"

namespace tutti::cli {
void add_verify(CLI::App& app) {
  struct Options {
    OperationsOption operations;
    int max_ranks = 32;
    bool grids = false;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "verify", "prove every algorithm symbolically, for all numbers of ranks and all roots");
  verb->footer("Example: tutti verify bcast --max-ranks 64");
  options->operations.add_to(*verb);
  verb->add_option("--max-ranks", options->max_ranks, "prove for 1 … N ranks")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  verb->add_flag("--json", options->json, "as a JSON array");
  verb->add_flag("--grids", options->grids,
                 "prove all grids of two and three sides instead, with native phases");
  verb->callback([options] {
    nlohmann::ordered_json array = nlohmann::ordered_json::array();
    std::size_t failed = 0;
    const auto report = [&](Collective collective, const std::string& plan, const Proof& proof) {
      failed += !proof.violation.empty();
      array.push_back({{"operation", name(collective)},
                       {"plan", plan},
                       {"max_ranks", options->max_ranks},
                       {"schedules", proof.schedules},
                       {"proven", proof.violation.empty()},
                       {"violation", proof.violation}});
      if (!options->json)
        fmt::print("{:<21} {:<40}{}\n", name(collective), plan,
                   proof.violation.empty() ? fmt::format("proven for 1 to {} ranks ({} schedules)",
                                                         options->max_ranks, proof.schedules)
                                           : "WRONG: " + proof.violation);
    };
    for (const Collective collective : options->operations.read())
      if (options->grids) {
        if (make_plan(collective, "grid(1x1)"))
          report(collective, "all grids", prove_grids(collective, options->max_ranks));
      } else {
        for (const Plan& plan : known_plans(collective))
          if (!plan.is_native()) report(collective, plan.text(), prove_all(plan, options->max_ranks));
      }
    if (options->json) fmt::print("{}\n", array.dump(1));
    if (failed > 0) throw Failure{fmt::format("{} plans are wrong", failed)};
  });
}

}  // namespace tutti::cli
