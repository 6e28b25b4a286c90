#include "plan/alike.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "network/cut.hpp"
#include "schedule/messages.hpp"

namespace tutti {
namespace {

// Schedules of so few operations are priced as they are; the second, where blocks are not alike.
constexpr std::size_t few_operations = 20'000, many_operations = 200'000;
// So many ranges of blocks take as long as an operation.
constexpr std::size_t ranges_as_dear = 8;

bool is_message(const Operation& operation) {
  return operation.kind == OperationKind::send || operation.kind == OperationKind::recv;
}

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

// Ranks of all regions, the first and the last ones among them.
std::vector<Rank> some_of(int ranks) {
  std::vector<Rank> some;
  for (const Rank rank : {0, 1, 2, 3, ranks / 5, ranks / 3, ranks / 2, ranks - 3, ranks - 2, ranks - 1})
    if (rank >= 0 && rank < ranks) some.push_back(rank);
  return some;
}

class Search {
 public:
  Search(const Plan& plan, const Shape& shape, const Network& network)
      : plan_(plan), shape_(shape), network_(network), ranks_(shape.ranks) {}

  Symmetry run() const {
    const int host = ranks_a_host(network_, ranks_);
    for (int classes = host; host > 0 && classes < ranks_; classes += host) {
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
    return std::all_of(some.begin(), some.end(), look_alike) && every_message_has_two_ends(symmetry);
  }

  // What only looks like a symmetry leaves some messages with one.
  bool every_message_has_two_ends(const Symmetry& symmetry) const {
    const Schedule schedule = generate(plan_, shape_, symmetry);
    const Partners partners = match_messages(schedule);
    for (std::size_t rank = 0; rank < schedule.parts.size(); ++rank)
      for (std::size_t id = 0; id < partners[rank].size(); ++id)
        if (is_message(schedule.parts[rank].operations()[id]) && partners[rank][id] == no_partner)
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
    return own == rank ||
           is_moved(part(rank), part(own), [&](Rank other) { return symmetry.moved(other, rank, ranks_); });
  }

  const Part& part(Rank rank) const {
    const auto [entry, added] = parts_.try_emplace(rank);
    if (added) entry->second = generate(plan_, shape_, rank);
    return entry->second;
  }

  const Plan& plan_;
  const Shape& shape_;
  const Network& network_;
  int ranks_;
  mutable std::map<Rank, Part> parts_;
};

}  // namespace

// The first rank may be a root, with as much to do as all others.
std::size_t estimated_operations(const Plan& plan, const Shape& shape) {
  std::size_t root = 0, most = 0;
  for (const Rank rank : some_of(shape.ranks)) {
    const Part part = generate(plan, shape, rank);
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

bool is_moved(const Part& part, const Part& moved, const std::function<Rank(Rank)>& move) {
  const auto mine = part.operations(), theirs = moved.operations();
  const auto alike = [&](const Operation& a, const Operation& b) {
    const auto after = part.after(a), after_moved = moved.after(b);
    return a.kind == b.kind && a.kind != OperationKind::native && a.tag == b.tag && a.memory == b.memory &&
           (!is_message(a) || move(a.peer) == b.peer) && blocks_of(part, a) == blocks_of(moved, b) &&
           std::equal(after.begin(), after.end(), after_moved.begin(), after_moved.end());
  };
  return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(), alike);
}

Symmetry find_symmetry(const Plan& plan, const Shape& shape, const Network& network) {
  return Search(plan, shape, network).run();
}

Outline outline(const Plan& plan, const Shape& shape, std::size_t bytes, const Network& network) {
  const std::size_t operations = estimated_operations(plan, shape);
  const Cut cut(bytes, shape.blocks, element_bytes(shape.collective, bytes));
  if (operations <= (cut.is_nearly_equal() ? few_operations : many_operations)) return {{}, operations};
  const Symmetry symmetry = find_symmetry(plan, shape, network);
  if (symmetry.move == Symmetry::Move::none) return {{}, operations};
  const auto ranks = static_cast<std::size_t>(shape.ranks);
  return {symmetry, operations / ranks * static_cast<std::size_t>(symmetry.classes)};
}

Schedule generate(const Plan& plan, const Shape& shape, const Symmetry& symmetry) {
  if (symmetry.move == Symmetry::Move::none) return generate(plan, shape);
  Schedule schedule{shape, {}, symmetry};
  for (Rank rank = 0; rank < symmetry.classes; ++rank) schedule.parts.push_back(generate(plan, shape, rank));
  return schedule;
}

}  // namespace tutti
