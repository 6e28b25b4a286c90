#include "plan/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "plan/alike.hpp"
#include "plan/proven_symmetry.hpp"
#include "schedule/sample_topologies.hpp"
#include "schedule/verify.hpp"
#include "synthesis/known_network.hpp"
#include "synthesis/sample_networks.hpp"

namespace tutti {

namespace {

// Schedules of more are proven by the parts that stand for all, where there are such.
constexpr std::size_t worth_symmetry = 1'000'000;

Proof& operator+=(Proof& all, Proof more) {
  all.schedules += more.schedules;
  all.violation = std::move(more.violation);
  return all;
}

Proof prove(const Plan& plan, Setting setting, Rank root) {
  const CollectiveTraits& collective = traits(plan.collective());
  Proof proof;
  if (plan.refusal(setting)) return proof;
  std::vector<Schedule> proven;
  for (const std::size_t bytes : {std::size_t{1000}, std::size_t{100000}})
    // Operations that do not commute first: the harder proof, which holds for those that do where the
    // schedule is the same.
    for (const bool commutative : {false, true}) {
      setting.commutative = commutative;
      if (!commutative && (!collective.reduces || plan.refusal(setting))) continue;
      const Shape shape = shape_of(plan, setting, root, bytes);
      const auto symmetry =
          estimated_operations(plan, shape) > worth_symmetry ? proven_symmetry(plan, shape) : std::nullopt;
      Schedule schedule = generate(plan, shape, symmetry.value_or(Symmetry{}));
      const auto same = [&](const Schedule& other) {
        return other.shape.blocks == shape.blocks && other.parts == schedule.parts;
      };
      if (std::any_of(proven.begin(), proven.end(), same)) continue;
      for (const bool in_place : {false, true}) {
        if (in_place && !collective.aliases) continue;
        ++proof.schedules;
        const auto violations = verify(schedule,
                                       {.in_place = in_place,
                                        .one_at_a_time = true,
                                        .fixed_order = !commutative && plan.keeps_fixed_order(setting.ranks)},
                                       1);
        if (violations.empty()) continue;
        proof.violation = fmt::format(
            "{} ranks, {}, {} blocks{}{}: {}", setting.ranks,
            setting.topology ? describe(*setting.topology) : fmt::format("root {}", root), shape.blocks,
            in_place ? ", in place" : "", commutative ? "" : ", order kept", violations.front().message);
        return proof;
      }
      proven.push_back(std::move(schedule));
    }
  return proof;
}

}  // namespace

Proof prove(const Plan& plan, int ranks, Rank root, const Hosts* hosts) {
  if (traits(plan.collective()).on_neighbors) {
    Proof all;
    for (const Topology& topology : sample_topologies(ranks)) {
      all += prove(plan, {.ranks = ranks, .hosts = hosts, .topology = &topology}, root);
      if (!all.violation.empty()) break;
    }
    return all;
  }
  if (!plan.is_computed()) return prove(plan, {.ranks = ranks, .hosts = hosts}, root);
  Proof all;
  for (const Network& network : sample_networks(ranks)) {
    const KnownNetwork known = KnownNetwork::of(network, ranks);
    all += prove(plan, {.ranks = ranks, .hosts = hosts, .network = &known}, root);
    if (!all.violation.empty()) break;
  }
  return all;
}

namespace {

Proof prove_roots(const Plan& plan, int ranks) {
  Proof all;
  for (Rank root = 0; root < (traits(plan.collective()).rooted ? ranks : 1) && all.violation.empty(); ++root)
    all += prove(plan, ranks, root);
  return all;
}

}  // namespace

Proof prove_all(const Plan& plan, int max_ranks) {
  Proof all;
  for (int ranks = 1; ranks <= max_ranks && all.violation.empty(); ++ranks) all += prove_roots(plan, ranks);
  return all;
}

Proof prove_grids(Collective collective, int max_ranks) {
  Proof all;
  const auto on = [&](const std::string& extents, int ranks) {
    const auto plan = make_plan(collective, fmt::format("grid({})", extents));
    if (plan && all.violation.empty()) all += prove_roots(*plan, ranks);
  };
  for (int ranks = 1; ranks <= max_ranks; ++ranks)
    for (int rows = 1; rows <= ranks; ++rows) {
      if (ranks % rows != 0) continue;
      on(fmt::format("{}x{}", rows, ranks / rows), ranks);
      for (int first = 1; first <= rows; ++first)
        if (rows % first == 0) on(fmt::format("{}x{}x{}", first, rows / first, ranks / rows), ranks);
    }
  return all;
}

}  // namespace tutti
