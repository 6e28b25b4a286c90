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

// Where everybody has something for everybody the MPI library itself connects them all.
bool connects_all(Collective collective) {
  const Collective regular = traits(collective).regular;
  return regular == Collective::alltoall || traits(collective).on_neighbors;
}

}  // namespace

Reach::Reach(const Setting& setting, std::size_t bytes, const Hosts* places)
    : setting_(setting), bytes_(bytes) {
  if (!places) return;
  places_[0] = *places;
  for (const Rank rank : near_order(setting)) places_[1].push_back((*places)[static_cast<std::size_t>(rank)]);
}

bool Reach::stays_near(const Plan& plan) {
  if (!setting_.needs_connections || connects_all(plan.collective())) return true;
  if (!setting_.hosts || count(*setting_.hosts) < 2) return true;
  return look_at(without_near(plan)).stays_near;
}

double Reach::share_that_leaves(const Plan& plan) {
  const Plan& itself = without_near(plan);
  return look_at(itself).leaves[&itself != &plan];
}

// Looks at the parts of some ranks, which stand for all, odd and even ones.
const Reach::Seen& Reach::look_at(const Plan& plan) {
  const auto [known, added] = seen_.try_emplace(plan.id());
  Seen& seen = known->second;
  if (!added) return seen;
  const Shape shape = shape_of(plan, setting_, 0, bytes_);
  const int ranks = setting_.ranks, step = std::max(1, ranks / planner::sampled_ranks) | 1;
  int looked_at = 0, far = 0;
  for (Rank rank = std::min(1, ranks - 1); rank < ranks; rank += step, ++looked_at) {
    const Part part = generate(plan, shape, rank);
    std::set<Rank> peers;
    for (const Operation& operation : part.operations()) {
      if (!is_message(operation.kind)) continue;
      if (setting_.hosts && !is_near(rank, operation.peer, setting_)) peers.insert(operation.peer);
      double blocks = 0;
      for (const BlockRange& range : part.ranges(operation)) blocks += range.count;
      for (std::size_t near = 0; near < places_.size(); ++near) {
        const Hosts& places = places_[near];
        if (!places.empty() &&
            places[static_cast<std::size_t>(rank)] != places[static_cast<std::size_t>(operation.peer)])
          seen.leaves[near] += blocks;
      }
    }
    far += static_cast<int>(peers.size());
  }
  for (double& leaves : seen.leaves) leaves /= static_cast<double>(shape.blocks) * looked_at;
  seen.stays_near = far <= looked_at;  // one each
  return seen;
}

}  // namespace tutti::inline choose
