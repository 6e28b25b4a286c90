#include "core/schedule/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

namespace tutti::inline core {
namespace {

std::uint64_t pair_of(std::int32_t left, std::int32_t right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
         static_cast<std::uint32_t>(right);
}

// Puts intervals in order and joins those that touch; a rank that is in two of them, if there is
// one.
std::optional<Rank> join(std::vector<RankInterval>& all) {
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<RankInterval> joined;
  for (const RankInterval& interval : all) {
    if (!joined.empty() && interval.first < joined.back().end) return interval.first;
    if (!joined.empty() && interval.first == joined.back().end)
      joined.back().end = interval.end;
    else
      joined.push_back(interval);
  }
  all = std::move(joined);
  return std::nullopt;
}

// Where a move takes an interval of ranks.
void append_moved_back(std::vector<RankInterval>& all, RankInterval rest, const Symmetry& symmetry,
                       Rank taken, int ranks) {
  while (rest.first < rest.end) {
    const Rank first = symmetry.moved_back(rest.first, taken, ranks);
    const Rank length = rest.end - rest.first;
    RankInterval next{};
    if (symmetry.move == Symmetry::Move::exclusive_or) {
      // A power of two of ranks that begins at a multiple of it stays together, in another order.
      const auto whole = static_cast<Rank>(std::bit_floor(static_cast<unsigned>(length)));
      const Rank together = rest.first == 0 ? whole : std::min(whole, rest.first & -rest.first);
      next = {first & -together, (first & -together) + together};
    } else {
      next = {first, std::min(first + length, ranks)};
    }
    all.push_back(next);
    rest.first += next.end - next.first;
  }
}

}  // namespace

std::size_t ValueTable::Hash::operator()(const Value& value) const {
  std::uint64_t hash = 0;
  const auto mix = [&hash](int number) {
    hash = (hash ^ static_cast<std::uint32_t>(number)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  };
  mix(value.order);
  mix(value.block);  // by itself: in rings it is near to the first contributor
  for (const auto& [first, end] : value.contributors) {
    mix(first);
    mix(end);
  }
  return static_cast<std::size_t>(hash ^ hash >> 32);
}

ValueId ValueTable::intern(Value value) {
  const std::size_t hash = Hash{}(value);
  if (2 * values_.size() > slots_.size()) grow();
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != undefined_value; slot = (slot + 1) & (slots_.size() - 1))
    if ((*this)[slots_[slot]] == value) return slots_[slot];
  values_.push_back(std::move(value));
  return slots_[slot] = static_cast<ValueId>(values_.size() - 1);
}

void ValueTable::grow() {
  slots_.assign(std::max<std::size_t>(1024, 4 * slots_.size()), undefined_value);
  for (ValueId id = 1; id < static_cast<ValueId>(values_.size()); ++id) {
    std::size_t slot = Hash{}((*this)[id]) & (slots_.size() - 1);
    while (slots_[slot] != undefined_value) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = id;
  }
}

ValueId ValueTable::combined(int block, Rank first, Rank end) {
  return intern({block, {{first, end}}, fixed_order(first, end)});
}

ValueId ValueTable::combined_in_turn(int block, Rank end) {
  if (prefixes_.empty()) prefixes_.push_back(fixed_order(0, 1));
  for (auto next = static_cast<Rank>(prefixes_.size()); next < end; ++next)
    prefixes_.push_back(order_of(prefixes_.back(), fixed_order(next, next + 1)));
  return intern({block, {{0, end}}, prefixes_[static_cast<std::size_t>(end - 1)]});
}

std::int32_t ValueTable::fixed_order(Rank first, Rank end) {
  if (!tells_orders_) return 0;
  if (end - first == 1) return -(first + 1);
  const std::uint64_t key = pair_of(first, end);
  if (const auto known = fixed_orders_.find(key); known != fixed_orders_.end()) return known->second;
  const auto ranks = static_cast<unsigned>(end - first);
  const auto half = static_cast<Rank>(std::bit_floor(ranks - 1));
  const std::int32_t order = order_of(fixed_order(first, first + half), fixed_order(first + half, end));
  fixed_orders_.emplace(key, order);
  return order;
}

std::int32_t ValueTable::order_of(std::int32_t left, std::int32_t right) {
  if (!tells_orders_) return 0;
  return orders_.try_emplace(pair_of(left, right), static_cast<std::int32_t>(orders_.size()) + 1)
      .first->second;
}

ValueTable::Combination ValueTable::combine(ValueId left, ValueId right, bool commutative) {
  const std::uint64_t key = pair_of(left, right);
  if (const auto known = combined_.find(key); known != combined_.end()) return {known->second, {}};
  Combination result = combine_anew((*this)[left], (*this)[right], commutative);
  if (result.error.empty()) combined_.emplace(key, result.value);
  return result;
}

ValueTable::Combination ValueTable::combine_anew(const Value& left, const Value& right, bool commutative) {
  if (left.block != right.block)
    return {undefined_value, fmt::format("combines block {} with block {}", left.block, right.block)};
  if (left.contributors.empty()) return {intern(right), {}};
  if (right.contributors.empty()) return {intern(left), {}};
  if (!commutative && left.contributors.back().end != right.contributors.front().first)
    return {undefined_value,
            fmt::format("puts {} before {}, which breaks rank order", describe(left), describe(right))};

  Value result{left.block, left.contributors, order_of(left.order, right.order)};
  auto& all = result.contributors;
  all.insert(all.end(), right.contributors.begin(), right.contributors.end());
  if (const auto twice = join(all))
    return {undefined_value,
            fmt::format("counts rank {} twice ({} with {})", *twice, describe(left), describe(right))};
  return {intern(std::move(result)), {}};
}

ValueId ValueTable::moved_back(ValueId value, const Symmetry& symmetry, Rank taken, const Shape& shape) {
  if (value == undefined_value || symmetry.representative(taken) == taken) return value;
  const std::uint64_t key = pair_of(value, taken);
  if (const auto known = moved_back_.find(key); known != moved_back_.end()) return known->second;
  const Value& old = (*this)[value];
  Value result{symmetry.block_moved_back(old.block, taken, shape.ranks, shape.blocks), {}};
  for (const RankInterval& interval : old.contributors)
    append_moved_back(result.contributors, interval, symmetry, taken, shape.ranks);
  join(result.contributors);
  const ValueId id = intern(std::move(result));
  moved_back_.emplace(key, id);
  return id;
}

std::string describe(const Value& value) {
  if (value.block < 0) return "nothing";
  if (value.contributors.empty()) return fmt::format("block {} cleared", value.block);
  std::string ranks;
  for (const auto& [first, end] : value.contributors) {
    if (!ranks.empty()) ranks += ", ";
    ranks += end - first == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, end - 1);
  }
  const bool single = value.contributors.size() == 1 &&
                      value.contributors.front().end - value.contributors.front().first == 1;
  return fmt::format("block {} of {} {}", value.block, single ? "rank" : "ranks", ranks);
}

}  // namespace tutti::inline core
