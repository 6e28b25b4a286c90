#include "plan/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "schedule/verify.hpp"

namespace tutti {

Proof prove(const Plan& plan, int ranks, Rank root, const Hosts* hosts) {
  const CollectiveTraits& collective = traits(plan.collective());
  Proof proof;
  if (plan.refusal({.ranks = ranks, .hosts = hosts})) return proof;
  std::vector<Schedule> proven;
  for (const std::size_t bytes : {1000, 100000})
    // Operations that do not commute first: the harder proof, which holds for those that do where the
    // schedule is the same.
    for (const bool commutative : {false, true}) {
      if (!commutative && (!collective.reduces || plan.refusal({ranks, commutative, hosts}))) continue;
      const Shape shape = shape_of(plan, {ranks, commutative, hosts}, root, bytes);
      Schedule schedule = generate(plan, shape);
      const auto same = [&](const Schedule& other) {
        return other.shape.blocks == shape.blocks && other.parts == schedule.parts;
      };
      if (std::any_of(proven.begin(), proven.end(), same)) continue;
      for (const bool in_place : {false, true}) {
        if (in_place && !collective.aliases) continue;
        ++proof.schedules;
        const auto violations = verify(schedule, {in_place}, 1);
        if (violations.empty()) continue;
        proof.violation = fmt::format("{} ranks, root {}, {} blocks{}{}: {}", ranks, root, shape.blocks,
                                      in_place ? ", in place" : "", commutative ? "" : ", order kept",
                                      violations.front().message);
        return proof;
      }
      proven.push_back(std::move(schedule));
    }
  return proof;
}

Proof prove_all(const Plan& plan, int max_ranks) {
  Proof all;
  for (int ranks = 1; ranks <= max_ranks && all.violation.empty(); ++ranks)
    for (Rank root = 0; root < (traits(plan.collective()).rooted ? ranks : 1) && all.violation.empty();
         ++root) {
      Proof proof = prove(plan, ranks, root);
      all.schedules += proof.schedules;
      all.violation = std::move(proof.violation);
    }
  return all;
}

}  // namespace tutti
