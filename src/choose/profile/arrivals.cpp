#include "choose/profile/arrivals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>

#include "base/size.hpp"
#include "choose/profile/constants.hpp"

namespace tutti::inline choose {
namespace {

ArrivalPattern recorded(const SampledCalls& sampled) {
  ArrivalPattern pattern{.kind = ArrivalPattern::Kind::recorded};
  const auto replayed = [](double late_s) { return std::min(late_s, profile::latest_replayed_s); };
  for (const SampledCalls::Call& call : sampled.calls) {
    ArrivalPattern::Call& again = pattern.calls.emplace_back();
    double others_s = sampled.ranks * call.longest_s - call.seconds;
    for (const SampledCalls::Stay& stay : call.last) {
      again.last.emplace_back(stay.rank, replayed(call.late_s(stay)));
      others_s -= call.late_s(stay);
    }
    const int others = sampled.ranks - static_cast<int>(call.last.size());
    if (others > 0) again.others_s = replayed(std::max(0.0, others_s / others));
  }
  return pattern;
}

// The waiting of the average rank in all calls of a kind.
double waiting_s(const SampledCalls& sampled) {
  double sum = 0;
  for (const SampledCalls::Call& call : sampled.calls)
    if (!call.last.empty()) sum += std::max(0.0, call.seconds / sampled.ranks - call.last.front().seconds);
  return sum / static_cast<double>(sampled.calls.size()) * static_cast<double>(sampled.of);
}

}  // namespace

ArrivalPattern arrival_in(const Profile& profile, const Point& point) {
  ProfiledCalls like;                      // of the nearest size, whatever ran and on which communicator
  const ProfiledCalls* longest = nullptr;  // of these, where calls were sampled
  int nearest = std::numeric_limits<int>::max();
  for (const auto& [kind, calls] : profile.calls) {
    if (kind.collective != point.collective || kind.placement.ranks != point.ranks) continue;
    const int distance = std::abs(kind.size.number - SizeClass::of(point.size).number);
    if (distance > nearest) continue;
    if (distance < nearest) like = {}, longest = nullptr;
    nearest = distance;
    like.merge(calls);
    if (calls.sampled.is_whole(point.ranks) && (!longest || calls.seconds > longest->seconds))
      longest = &calls;
  }
  if (longest) return recorded(longest->sampled);
  const double late_s = like.most_s - like.least_s;
  if (like.calls == 0 || late_s <= 0) return {};
  const double mean_s = like.most_s - like.seconds / static_cast<double>(like.calls);
  return {.kind = ArrivalPattern::Kind::skewed,
          .late_s = late_s,
          .mean_s = std::clamp(mean_s, late_s / static_cast<double>(point.ranks), late_s)};
}

std::vector<LateCalls> late_calls(const Profile& profile) {
  std::map<Collective, LateCalls> longest;
  for (const auto& [kind, spent] : profile.calls) {
    if (!spent.sampled.is_whole(kind.placement.ranks)) continue;
    LateCalls calls{kind, late_ranks(spent.sampled), waiting_s(spent.sampled)};
    if (calls.waiting_s <= profile::worth_telling * profile.seconds || text_of(calls.late).empty()) continue;
    const auto [known, is_new] = longest.try_emplace(kind.collective, calls);
    if (!is_new && calls.waiting_s > known->second.waiting_s) known->second = std::move(calls);
  }
  std::vector<LateCalls> sorted;
  for (auto& [collective, calls] : longest) sorted.push_back(std::move(calls));
  std::ranges::stable_sort(sorted, std::greater(), &LateCalls::waiting_s);
  return sorted;
}

std::string text_of(const LateCalls& calls) {
  const auto& [collective, placement, size, communicator, plan, phase] = calls.kind;
  return fmt::format("{} on {}{}: {}", name(collective), placement_text(placement),
                     size.number == 0
                         ? ""
                         : fmt::format(", {} to {}", size_text(size.smallest()), size_text(size.largest())),
                     text_of(calls.late));
}

}  // namespace tutti::inline choose
