#include "schedule/values.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti {

std::size_t ValueTable::Hash::operator()(const Value& value) const {
  std::uint64_t hash = 0;
  const auto mix = [&hash](int number) {
    hash = (hash ^ static_cast<std::uint32_t>(number)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  };
  mix(value.block);  // by itself: in rings it is near to the first contributor
  for (const auto& [first, end] : value.contributors) {
    mix(first);
    mix(end);
  }
  return static_cast<std::size_t>(hash);
}

ValueId ValueTable::intern(Value value) {
  const auto [entry, added] = ids_.try_emplace(std::move(value), static_cast<ValueId>(values_.size()));
  if (added) values_.push_back(entry->first);
  return entry->second;
}

ValueTable::Combination ValueTable::combine(ValueId left, ValueId right, bool commutative) {
  const std::uint64_t key = (static_cast<std::uint64_t>(left) << 32) | static_cast<std::uint32_t>(right);
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

  Value result{left.block, left.contributors};
  auto& all = result.contributors;
  all.insert(all.end(), right.contributors.begin(), right.contributors.end());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<RankInterval> merged;
  for (const RankInterval& interval : all) {
    if (!merged.empty() && interval.first < merged.back().end)
      return {undefined_value, fmt::format("counts rank {} twice ({} with {})", interval.first,
                                           describe(left), describe(right))};
    if (!merged.empty() && interval.first == merged.back().end)
      merged.back().end = interval.end;
    else
      merged.push_back(interval);
  }
  all = std::move(merged);
  return {intern(std::move(result)), {}};
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

}  // namespace tutti
