#include "choose/planner/connections.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "choose/planner/constants.hpp"

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

// Where everybody has something for everybody the MPI library itself connects them all.
bool connects_all(Collective collective) {
  const Collective regular = traits(collective).regular;
  return regular == Collective::alltoall || traits(collective).on_neighbors;
}

}  // namespace

bool stays_near(const Plan& plan, const Setting& setting, std::size_t bytes) {
  if (!setting.needs_connections || connects_all(plan.collective())) return true;
  if (!setting.hosts || count(*setting.hosts) < 2) return true;
  const Shape shape = shape_of(plan, setting, 0, bytes);
  const int ranks = setting.ranks, step = std::max(1, ranks / planner::sampled_ranks);
  int far = 0, looked_at = 0;
  for (Rank rank = std::min(1, ranks - 1); rank < ranks; rank += step, ++looked_at) {
    const Part part = generate(plan, shape, rank);
    std::set<Rank> peers;
    for (const Operation& operation : part.operations())
      if (is_message(operation.kind) && !is_near(rank, operation.peer, setting)) peers.insert(operation.peer);
    far += static_cast<int>(peers.size());
  }
  return far <= looked_at;  // one each
}

}  // namespace tutti::inline choose
