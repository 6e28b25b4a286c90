#include <fmt/format.h>

#include <functional>

#include "base/document.hpp"
#include "base/json.hpp"
#include "base/size.hpp"
#include "core/network/by_hosts.hpp"
#include "core/plan/plan_symmetry.hpp"
#include "core/plan/prove.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/progress_bar.hpp"
#include "tools/cli/verb.hpp"

namespace tutti::tools {
namespace {

struct VerifyOptions {
  OperationsOption operations;
  int max_ranks = 32;
  bool grids = false;
  std::vector<std::string> plans;
  int ranks = 0, hosts = 1;
  Rank root = 0;
  bool json = false;

  void check() const {
    if (plans.empty() != (ranks == 0))
      throw Failure{"--plan and --ranks go together: which plan, on how many ranks"};
    if (ranks > 0 && root >= ranks) throw Failure{fmt::format("--root {}: there are {} ranks", root, ranks)};
  }
};

// Long proofs are announced: a million operations take seconds.
constexpr std::size_t many_operations = 1'000'000;

Proof prove_one(const VerifyOptions& options, Collective collective, const std::string& text) {
  const Plan plan = value_or_fail(make_plan(collective, text));
  const Hosts hosts = filled_hosts(options.ranks, std::min(options.hosts, options.ranks));
  const Setting setting{.ranks = options.ranks, .hosts = &hosts};
  // What is for a network, or for neighbours, is proven on samples.
  if (!plan.goes_by_network() && !traits(collective).on_neighbors) {
    if (const auto why = plan.refusal(setting)) throw Failure{*why};
    const std::size_t operations = estimated_operations(plan, shape_of(plan, setting, options.root, 1000));
    if (operations > many_operations)
      fmt::print(
          stderr,
          "tutti: {} on {} ranks has about {} million operations, each to be looked at several times\n",
          plan.text(), options.ranks, operations / 1'000'000);
  }
  return prove(plan, options.ranks, options.root, &hosts);
}

// What is to be proven.
struct Claim {
  Collective collective;
  std::string plan;
  std::function<Proof()> prove;
};

std::vector<Claim> claims_of(const VerifyOptions& options) {
  std::vector<Claim> claims;
  for (const Collective collective : options.operations.read())
    if (!options.plans.empty()) {
      for (const std::string& text : options.plans)
        claims.push_back({collective, text, [=, &options] { return prove_one(options, collective, text); }});
    } else if (options.grids) {
      if (make_plan(collective, "grid(1x1)"))
        claims.push_back(
            {collective, "all grids", [=, &options] { return prove_grids(collective, options.max_ranks); }});
    } else {
      for (const Plan& plan : known_plans(collective))
        if (!plan.is_native())
          claims.push_back(
              {collective, plan.text(), [=, &options] { return prove_all(plan, options.max_ranks); }});
    }
  return claims;
}

Json to_json(const VerifyOptions& options, const Claim& claim, const Proof& proof) {
  const bool one = options.ranks > 0;
  return {{"operation", name(claim.collective)},
          {"plan", claim.plan},
          {one ? "ranks" : "max_ranks", one ? options.ranks : options.max_ranks},
          {"schedules", proof.schedules},
          {"proven", proof.violation.empty()},
          {"violation", proof.violation}};
}

void print(const VerifyOptions& options, const Claim& claim, const Proof& proof) {
  const std::string ranks =
      options.ranks > 0 ? fmt::format("{}", options.ranks) : fmt::format("1 to {}", options.max_ranks);
  fmt::print("{:<21} {:<40}{}\n", name(claim.collective), claim.plan,
             proof.violation.empty()
                 ? fmt::format("proven for {} ranks ({} schedules)", ranks, proof.schedules)
                 : "WRONG: " + proof.violation);
}

void declare_verify(CLI::App* verb, const LauncherWords&) {
  auto options = std::make_shared<VerifyOptions>();
  verb->footer(
      "Example: tutti verify bcast --max-ranks 64\n"
      "Example: tutti verify bcast --plan 'grid(node)[binomial,binomial]' --ranks 16384 --hosts 1024");
  options->operations.add_to(*verb);
  verb->add_option("--max-ranks", options->max_ranks, "largest number of ranks to prove for, from 1 to 1024")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  verb->add_flag("--json", options->json, "print a JSON array");
  verb->add_flag("--grids", options->grids,
                 "prove all grids of two and three sides, with native phases, instead of algorithms");
  verb->add_option("--plan", options->plans, "plan to prove, instead of all; may be repeated")
      ->type_name("PLAN")
      ->allow_extra_args(false);
  verb->add_option("--ranks", options->ranks, "the one number of ranks to prove a plan for, up to 1048576")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 20));
  verb->add_option("--hosts", options->hosts, "number of hosts that the ranks are on")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  verb->add_option("--root", options->root, "the one root rank to prove a plan for")
      ->type_name("RANK")
      ->check(CLI::NonNegativeNumber);
  verb->callback([options] {
    options->check();
    Json array = Json::array();
    std::size_t failed = 0, begun = 0;
    const auto claims = claims_of(*options);
    ProgressBar bar;
    for (const Claim& claim : claims) {
      bar.show_step(begun++, claims.size(), fmt::format("{} {}", name(claim.collective), claim.plan));
      const Proof proof = claim.prove();
      bar.clear();
      failed += !proof.violation.empty();
      array.push_back(to_json(*options, claim, proof));
      if (!options->json) print(*options, claim, proof);
    }
    if (options->json) fmt::print("{}\n", json_text(array, 1));
    if (failed > 0) throw Failure{fmt::format("wrong: {}", counted(failed, "plan"))};
  });
}

}  // namespace

namespace verbs {

Verb verify() {
  return {.name = "verify",
          .summary = "prove plans' schedules for all numbers of ranks and all roots",
          .purpose = Purpose::trust,
          .declare = declare_verify};
}

}  // namespace verbs

}  // namespace tutti::tools
