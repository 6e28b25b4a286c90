#include "core/plan/plan_symmetry.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "core/network/cut.hpp"
#include "core/network/groups.hpp"
#include "core/network/parts_apart.hpp"
#include "core/schedule/messages.hpp"

namespace tutti::inline core {
namespace {

// Most operations of schedules that are priced as they are where blocks are not alike.
constexpr std::size_t many_operations = 200'000;
// Number of ranges of blocks that take as long as an operation.
constexpr std::size_t ranges_as_dear = 8;

int blocks_of(const Part& part, const Operation& operation) {
  int blocks = 0;
  for (const BlockRange& range : part.ranges(operation)) blocks += range.count;
  return blocks;
}

// How many ranks a host has, if all have as many, one host after the other; else 0.
int ranks_a_host(const Network& network, int ranks) {
  if (network.hosts.empty()) return 1;
  const auto own = [&](Rank rank) { return network.hosts[static_cast<std::size_t>(rank)]; };
  int each = 1;
  while (each < ranks && own(each) == own(0)) ++each;
  if (ranks % each != 0) return 0;
  for (Rank rank = 0; rank < ranks; ++rank)
    if (own(rank) != own(0) + rank / each) return 0;
  return each;
}

// Whether groups of `each` ranks that lie one after the other share trunks that are alike, one
// between any two, each way, or none.
bool have_trunks_alike(const Network& network, int ranks, int each) {
  const auto trunks = shared_trunks(network);
  const int groups = ranks / each;
  return trunks.empty() ||
         (trunks.size() == static_cast<std::size_t>(groups * (groups - 1)) &&
          std::ranges::all_of(trunks,
                              [&](const auto& one) { return one.second == trunks.begin()->second; }) &&
          std::ranges::none_of(network.trunks, [each](const Trunk& trunk) {
            return trunk.seconds_per_byte > 0 && trunk.from / each == trunk.to / each;
          }));
}

// How many ranks the outermost groups have that tell ranks apart, if all of them are alike, one
// group after the other, and so are those within them; else 0. Where there are no groups a host's
// ranks are one.
int ranks_a_group(const Network& network, int ranks) {
  const int host = ranks_a_host(network, ranks);
  if (network.group_of.empty() || host == 0) return host;
  std::vector<std::vector<int>> around;  // by rank
  for (Rank rank = 0; rank < ranks; ++rank) around.push_back(groups_around(network, rank));
  const auto own = [&](Rank rank) -> const std::vector<int>& {
    return around[static_cast<std::size_t>(rank)];
  };
  const auto common = [&](Rank a, Rank b) { return static_cast<int>(count_common_groups(own(a), own(b))); };
  const auto have_alike = [&](int a, int b) {
    const auto &one = network.groups[static_cast<std::size_t>(a)],
               &other = network.groups[static_cast<std::size_t>(b)];
    return one.out == other.out && one.in == other.in && one.between == other.between;
  };
  const int everywhere = count_groups_of_all(network, ranks);
  int each = 1;
  while (each < ranks && common(0, each) > everywhere) ++each;
  each = std::max(each, host);
  if (ranks % each != 0 || !have_trunks_alike(network, ranks, each)) return 0;
  for (Rank rank = 1; rank < ranks; ++rank) {
    const Rank stands = rank % each;
    if (!std::equal(own(rank).begin(), own(rank).end(), own(stands).begin(), own(stands).end(), have_alike) ||
        common(rank - 1, rank) != (stands == 0 ? everywhere : common(stands - 1, stands)))
      return 0;
  }
  return each;
}

// Ranks of all regions, the first and the last ones among them.
std::vector<Rank> some_of(int ranks) {
  std::vector<Rank> some;
  for (const Rank rank : {0, 1, 2, 3, ranks / 5, ranks / 3, ranks / 2, ranks - 3, ranks - 2, ranks - 1})
    if (rank >= 0 && rank < ranks) some.push_back(rank);
  return some;
}

Schedule schedule_of(const Parts& parts, const Symmetry& symmetry) {
  if (symmetry.move == Symmetry::Move::none) return generate(parts.plan(), parts.shape());
  Schedule schedule{parts.shape(), {}, symmetry};
  for (Rank rank = 0; rank < symmetry.classes; ++rank) schedule.parts.push_back(parts[rank]);
  return schedule;
}

// The first rank may be a root, with as much to do as all others.
std::size_t estimated_operations(const Parts& parts) {
  const Shape& shape = parts.shape();
  std::size_t root = 0, most = 0;
  for (const Rank rank : some_of(shape.ranks)) {
    const Part& part = parts[rank];
    std::size_t ranges = 0;
    for (const Operation& operation : part.operations()) ranges += operation.ranges_count;
    const std::size_t operations = part.operations().size() + ranges / ranges_as_dear;
    if (rank == shape.root)
      root = operations;
    else
      most = std::max(most, operations);
  }
  return root + most * static_cast<std::size_t>(shape.ranks - 1);
}

class Search {
 public:
  Search(const Parts& parts, const Network& network)
      : parts_(parts), network_(network), ranks_(parts.shape().ranks) {}

  // Looks for a symmetry of at most `most` classes.
  Symmetry run(int most) const {
    // Neighbours are other ones where a grid's rows end, wherever that is.
    if (traits(parts_.shape().collective).on_neighbors) return {};
    // Ranks that are moved by one number in a torus are not where its links are alike.
    if (network_.torus) return {};
    const int group = ranks_a_group(network_, ranks_);
    for (int classes = group; group > 0 && classes < ranks_ && classes <= most; classes += group) {
      if (ranks_ % classes != 0) continue;
      for (const auto move : {Symmetry::Move::rotation, Symmetry::Move::exclusive_or})
        if (const Symmetry symmetry{move, classes}; fits(symmetry)) return symmetry;
    }
    return {};
  }

 private:
  bool fits(const Symmetry& symmetry) const {
    if (symmetry.move == Symmetry::Move::exclusive_or &&
        !(std::has_single_bit(static_cast<unsigned>(ranks_)) &&
          std::has_single_bit(static_cast<unsigned>(symmetry.classes))))
      return false;
    const auto look_alike = [&](Rank rank) { return links_fit(symmetry, rank) && part_fits(symmetry, rank); };
    const auto some = some_of(ranks_);
    return std::all_of(some.begin(), some.end(), look_alike) && all_links_fit(symmetry) &&
           every_message_has_two_ends(symmetry);
  }

  // One slow pair may be anywhere.
  bool all_links_fit(const Symmetry& symmetry) const {
    for (Rank rank = 0; rank < ranks_; ++rank)
      if (!links_fit(symmetry, rank)) return false;
    return true;
  }

  // What only looks like a symmetry leaves some messages with one.
  bool every_message_has_two_ends(const Symmetry& symmetry) const {
    const Schedule schedule = schedule_of(parts_, symmetry);
    const Partners partners = match_messages(schedule);
    for (std::size_t rank = 0; rank < schedule.parts.size(); ++rank)
      for (std::size_t id = 0; id < partners[rank].size(); ++id)
        if (is_message(schedule.parts[rank].operations()[id].kind) && partners[rank][id] == no_partner)
          return false;
    return true;
  }

  bool links_fit(const Symmetry& symmetry, Rank rank) const {
    if (network_.link_of.empty()) return true;
    const Rank own = symmetry.representative(rank);
    for (Rank other = 0; other < ranks_; ++other)
      if (other != rank &&
          network_.link_number(rank, other) != network_.link_number(own, symmetry.moved(other, rank, ranks_)))
        return false;
    return true;
  }

  bool part_fits(const Symmetry& symmetry, Rank rank) const {
    const Rank own = symmetry.representative(rank);
    return own == rank || parts_.skeleton(rank).is_moved(parts_.skeleton(own), [&](Rank other) {
      return symmetry.moved(other, rank, ranks_);
    });
  }

  const Parts& parts_;
  const Network& network_;
  int ranks_;
};

}  // namespace

const Part& Parts::operator[](Rank rank) const {
  const auto [entry, added] = parts_.try_emplace(rank);
  if (added) entry->second = generate(plan_, shape_, rank);
  return entry->second;
}

const Skeleton& Parts::skeleton(Rank rank) const {
  const auto known = skeletons_.find(rank);
  return known != skeletons_.end() ? known->second
                                   : skeletons_.emplace(rank, Skeleton((*this)[rank])).first->second;
}

std::size_t estimated_operations(const Plan& plan, const Shape& shape) {
  return estimated_operations(Parts(plan, shape));
}

Skeleton::Skeleton(const Part& part) {
  std::vector<std::vector<int>> after;  // by operation: its own number, or of a copy those it waits for
  for (const Operation& operation : part.operations()) {
    std::vector<int> steps;
    for (const OperationId earlier : part.after(operation)) {
      const auto& theirs = after[static_cast<std::size_t>(earlier)];
      steps.insert(steps.end(), theirs.begin(), theirs.end());
    }
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    if (operation.kind == OperationKind::copy || operation.kind == OperationKind::clear) {
      after.push_back(std::move(steps));
      continue;
    }
    after.push_back({static_cast<int>(steps_.size())});
    steps_.push_back({operation.kind, is_message(operation.kind) ? operation.peer : 0, operation.tag,
                      operation.memory, blocks_of(part, operation), std::move(steps)});
  }
}

bool Skeleton::is_moved(const Skeleton& moved, const std::function<Rank(Rank)>& move) const {
  const auto alike = [&](const Step& a, const Step& b) {
    return a.kind == b.kind && a.kind != OperationKind::native && a.tag == b.tag && a.memory == b.memory &&
           (!is_message(a.kind) || move(a.peer) == b.peer) && a.blocks == b.blocks && a.after == b.after;
  };
  return std::equal(steps_.begin(), steps_.end(), moved.steps_.begin(), moved.steps_.end(), alike);
}

Symmetry find_symmetry(const Plan& plan, const Shape& shape, const Network& network) {
  return Search(Parts(plan, shape), network).run(shape.ranks);
}

Outline::Outline(const Plan& plan, const Shape& shape, std::size_t bytes, const Network& network,
                 std::size_t most, std::size_t few)
    : parts_(plan, shape), operations_(estimated_operations(parts_)) {
  if (shape.lengths != BlockLengths::equal) return;  // ranks whose blocks differ do not stand for others
  const Cut cut = Cut::of(shape, bytes);
  if (operations_ <= (cut.is_nearly_equal() ? few : many_operations)) return;
  const std::size_t each = std::max<std::size_t>(1, operations_ / static_cast<std::size_t>(shape.ranks));
  const auto classes = std::min(most / each, static_cast<std::size_t>(shape.ranks));
  symmetry_ = Search(parts_, network).run(static_cast<int>(classes));
  if (symmetry_.move != Symmetry::Move::none)
    operations_ = each * static_cast<std::size_t>(symmetry_.classes);
}

Schedule Outline::schedule() const {
  return schedule_of(parts_, symmetry_);
}

Schedule generate(const Plan& plan, const Shape& shape, const Symmetry& symmetry) {
  return schedule_of(Parts(plan, shape), symmetry);
}

}  // namespace tutti::inline core
