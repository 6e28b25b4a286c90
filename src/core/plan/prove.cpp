#include "core/plan/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/plan/plan_symmetry.hpp"
#include "core/plan/proven_symmetry.hpp"
#include "core/schedule/sample_topologies.hpp"
#include "core/schedule/verify.hpp"
#include "core/synthesis/known_network.hpp"
#include "core/synthesis/sample_networks.hpp"

namespace tutti::inline core {

namespace {

// Schedules of more are proven by the parts that stand for all, where there are such.
constexpr std::size_t worth_symmetry = 50'000;

Proof& operator+=(Proof& all, Proof more) {
  all.schedules += more.schedules;
  all.violation = std::move(more.violation);
  return all;
}

// Proves one plan in one setting, root after root.
class Prover {
 public:
  Prover(const Plan& plan, Setting setting) : plan_(plan), setting_(setting) {}

  Proof prove(Rank root) {
    proof_ = {};
    proven_.clear();
    if (plan_.refusal(setting_)) return proof_;
    const CollectiveTraits& collective = traits(plan_.collective());
    for (const std::size_t bytes : {std::size_t{1000}, std::size_t{100000}}) {
      setting_.longer = bytes;  // one rank has nearly everything, where that matters
      // Operations that do not commute first: the harder proof, which holds for those that do where
      // the schedule is the same.
      for (const bool commutative : {false, true}) {
        setting_.commutative = commutative;
        if (!commutative && (!collective.reduces || plan_.refusal(setting_))) continue;
        prove(shape_of(plan_, setting_, root, bytes));
        if (!proof_.violation.empty()) return proof_;
      }
    }
    if (root == 0) of_root_0_ = std::move(proven_);
    return proof_;
  }

 private:
  void prove(const Shape& shape) {
    const auto symmetry =
        estimated_operations(plan_, shape) > worth_symmetry ? proven_symmetry(plan_, shape) : std::nullopt;
    Schedule schedule = generate(plan_, shape, symmetry.value_or(Symmetry{}));
    const auto is_same = [&](const Schedule& other) {
      return other.shape.blocks == shape.blocks && other.parts == schedule.parts;
    };
    if (std::ranges::any_of(proven_, is_same)) return;
    const bool stands = shape.commutative && std::ranges::any_of(of_root_0_, [&](const Schedule& other) {
                          return is_that_of_root_0_moved(other, schedule);
                        });
    for (const bool in_place : {false, true}) {
      if (in_place && !traits(plan_.collective()).aliases) continue;
      ++proof_.schedules;
      if (stands) continue;
      verify(schedule, in_place);
      if (!proof_.violation.empty()) return;
    }
    proven_.push_back(std::move(schedule));
  }

  void verify(const Schedule& schedule, bool in_place) {
    const Shape& shape = schedule.shape;
    const Conditions conditions{.in_place = in_place,
                                .one_at_a_time = true,
                                .fixed_order = !shape.commutative && plan_.keeps_fixed_order(setting_.ranks)};
    const auto violations = tutti::verify(schedule, conditions, 1);
    if (violations.empty()) return;
    proof_.violation = fmt::format(
        "{} ranks, {}, {} blocks{}{}: {}", shape.ranks,
        shape.topology ? describe(*shape.topology) : fmt::format("root {}", shape.root), shape.blocks,
        in_place ? ", in place" : "", shape.commutative ? "" : ", order kept", violations.front().message);
  }

  const Plan& plan_;
  Setting setting_;
  Proof proof_;
  std::vector<Schedule> proven_, of_root_0_;
};

Proof prove(const Plan& plan, const Setting& setting, std::span<const Rank> roots) {
  Proof all;
  Prover prover(plan, setting);
  for (const Rank root : roots) {
    all += prover.prove(root);
    if (!all.violation.empty()) break;
  }
  return all;
}

}  // namespace

Proof prove(const Plan& plan, int ranks, Rank root, const Hosts* hosts) {
  return prove(plan, ranks, std::span(&root, 1), hosts);
}

Proof prove(const Plan& plan, int ranks, std::span<const Rank> roots, const Hosts* hosts) {
  if (traits(plan.collective()).on_neighbors) {
    Proof all;
    for (const Topology& topology : sample_topologies(ranks)) {
      all += prove(plan, {.ranks = ranks, .hosts = hosts, .topology = &topology}, roots);
      if (!all.violation.empty()) break;
    }
    return all;
  }
  Proof all;
  if (!plan.is_computed()) all = prove(plan, {.ranks = ranks, .hosts = hosts}, roots);
  if (!plan.goes_by_network() || !all.violation.empty()) return all;
  for (const Network& network : sample_networks(ranks)) {
    const KnownNetwork known = KnownNetwork::of(network, ranks);
    all += prove(plan, {.ranks = ranks, .hosts = hosts, .network = &known}, roots);
    if (!all.violation.empty()) return all;
  }
  if (plan.is_computed()) return all;
  for (const Network& network : sample_networks_of_levels(ranks)) {
    const KnownNetwork known = KnownNetwork::of(network, ranks);
    all += prove(plan, {.ranks = ranks, .hosts = &network.hosts, .network = &known}, roots);
    if (!all.violation.empty()) break;
  }
  return all;
}

namespace {

Proof prove_roots(const Plan& plan, int ranks) {
  std::vector<Rank> roots(traits(plan.collective()).rooted ? static_cast<std::size_t>(ranks) : 1);
  std::iota(roots.begin(), roots.end(), 0);
  return prove(plan, ranks, roots);
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

}  // namespace tutti::inline core
