#include "choose/planner/connections.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "choose/planner/constants.hpp"
#include "core/plan/compositions/near.hpp"

namespace tutti::inline choose {
namespace {

bool is_near(Rank a, Rank b, const Setting& setting) {
  const Hosts& hosts = *setting.hosts;
  const auto distance = static_cast<unsigned>((b - a + setting.ranks) % setting.ranks),
             back = static_cast<unsigned>(setting.ranks) - distance;
  return hosts[static_cast<std::size_t>(a)] == hosts[static_cast<std::size_t>(b)] ||
         std::has_single_bit(distance) || std::has_single_bit(back) ||
         std::has_single_bit(static_cast<unsigned>(a ^ b));
}

// Visits the parts of some ranks, which stand for all, odd and even ones. Returns how many these
// are.
template <typename Visit>
int for_sampled_ranks(const Plan& plan, const Setting& setting, const Shape& shape, Visit&& visit) {
  const int ranks = setting.ranks, step = std::max(1, ranks / planner::sampled_ranks) | 1;
  int looked_at = 0;
  for (Rank rank = std::min(1, ranks - 1); rank < ranks; rank += step, ++looked_at)
    visit(rank, generate(plan, shape, rank));
  return looked_at;
}

// Where everybody has something for everybody the MPI library itself connects them all.
bool connects_all(Collective collective) {
  const Collective regular = traits(collective).regular;
  return regular == Collective::alltoall || traits(collective).on_neighbors;
}

}  // namespace

bool stays_near(const Plan& given, const Setting& setting, std::size_t bytes) {
  const Plan& plan = without_near(given);
  if (!setting.needs_connections || connects_all(plan.collective())) return true;
  if (!setting.hosts || count(*setting.hosts) < 2) return true;
  int far = 0;
  const int looked_at =
      for_sampled_ranks(plan, setting, shape_of(plan, setting, 0, bytes), [&](Rank rank, const Part& part) {
        std::set<Rank> peers;
        for (const Operation& operation : part.operations())
          if (is_message(operation.kind) && !is_near(rank, operation.peer, setting))
            peers.insert(operation.peer);
        far += static_cast<int>(peers.size());
      });
  return far <= looked_at;  // one each
}

double share_that_leaves(const Plan& plan, const Setting& setting, std::size_t bytes, const Hosts& places) {
  const auto place = [&](Rank rank) { return places[static_cast<std::size_t>(rank)]; };
  const Shape shape = shape_of(plan, setting, 0, bytes);
  double leave = 0;  // blocks
  const int looked_at = for_sampled_ranks(plan, setting, shape, [&](Rank rank, const Part& part) {
    for (const Operation& operation : part.operations()) {
      if (!is_message(operation.kind) || place(rank) == place(operation.peer)) continue;
      for (const BlockRange& range : part.ranges(operation)) leave += range.count;
    }
  });
  return leave / shape.blocks / looked_at;
}

}  // namespace tutti::inline choose
