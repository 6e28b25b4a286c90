#include "choose/evidence/arrival_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "base/duration.hpp"
#include "base/suggest.hpp"

namespace tutti::inline choose {
namespace {

constexpr std::pair<std::string_view, ArrivalPattern::Kind> named_patterns[] = {
    {"uniform", ArrivalPattern::Kind::uniform},
    {"one-late", ArrivalPattern::Kind::one_late},
    {"random", ArrivalPattern::Kind::random}};

// The rank that comes n-th is late by the power of n over the last one's number.
double exponent(const ArrivalPattern& arrival) {
  switch (arrival.kind) {
    case ArrivalPattern::Kind::one_late:
      return std::numeric_limits<double>::infinity();
    case ArrivalPattern::Kind::skewed:
      return arrival.late_s / arrival.mean_s - 1;
    default:
      return 1;
  }
}

// The place of each rank in an order; std::shuffle differs from one C++ library to another.
std::vector<int> drawn_order(int ranks, std::mt19937& random) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random() % (i + 1)]);
  return order;
}

// Ranks that the call does not name come in a drawn order at equal distances, before all that it
// names.
std::vector<double> lateness_in(const ArrivalPattern::Call& call, int ranks, std::mt19937& random) {
  std::vector<double> late(static_cast<std::size_t>(ranks));
  std::vector<bool> named(late.size());
  double latest_s = 2 * call.others_s;  // of the others
  for (const auto& [rank, late_s] : call.last) {
    if (rank < 0 || rank >= ranks) continue;
    late[static_cast<std::size_t>(rank)] = late_s;
    named[static_cast<std::size_t>(rank)] = true;
    latest_s = std::min(latest_s, late_s);
  }
  const auto others = static_cast<int>(std::ranges::count(named, false));
  const std::vector<int> order = drawn_order(others, random);
  std::size_t other = 0;
  for (std::size_t rank = 0; rank < late.size(); ++rank)
    if (!named[rank]) late[rank] = latest_s * order[other++] / std::max(1, others - 1);
  return late;
}

}  // namespace

Result<ArrivalPattern> parse_arrival_pattern(const std::string& text) {
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon);
  std::vector<std::string_view> names;
  for (const auto& [known, kind] : named_patterns) {
    names.push_back(known);
    if (known != name) continue;
    const auto late_s = parse_duration(colon == text.npos ? "" : text.substr(colon + 1));
    if (!late_s) return failure(fmt::format("'{}' says no time of the last rank; write {}:2ms", text, name));
    return ArrivalPattern{.kind = kind, .late_s = *late_s};
  }
  return failure(fmt::format("'{}' is no arrival pattern{}", name, suggestion(name, names)));
}

std::vector<double> lateness(const ArrivalPattern& arrival, int ranks, int draw) {
  std::vector<double> late(static_cast<std::size_t>(ranks));
  if (arrival.kind == ArrivalPattern::Kind::together || ranks < 2) return late;
  std::mt19937 random(static_cast<std::mt19937::result_type>(draw));
  if (arrival.kind == ArrivalPattern::Kind::random) {
    for (double& one : late)
      one = arrival.late_s * static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
    return late;
  }
  if (arrival.kind == ArrivalPattern::Kind::recorded)
    return arrival.calls.empty()
               ? late
               : lateness_in(arrival.calls[static_cast<std::size_t>(draw) % arrival.calls.size()], ranks,
                             random);
  const std::vector<int> order = drawn_order(ranks, random);
  const double power = exponent(arrival);
  for (std::size_t rank = 0; rank < late.size(); ++rank)
    late[rank] = arrival.late_s * std::pow(static_cast<double>(order[rank]) / (ranks - 1), power);
  return late;
}

}  // namespace tutti::inline choose
