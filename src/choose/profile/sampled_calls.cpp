#include "choose/profile/sampled_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/duration.hpp"
#include "choose/profile/constants.hpp"

namespace tutti::inline choose {
namespace {

// "9 of 10 calls"
std::string tenths(double share) {
  return fmt::format("{} of 10 calls", std::clamp(static_cast<int>(std::lround(10 * share)), 1, 10));
}

void keep_last(std::vector<SampledCalls::Stay>& stays) {
  std::ranges::sort(stays, {},
                    [](const SampledCalls::Stay& stay) { return std::pair(stay.seconds, stay.rank); });
  if (stays.size() > profile::most_late_ranks) stays.resize(profile::most_late_ranks);
}

}  // namespace

bool surely_waits_for_all(Collective collective) {
  const bool any_may_be_empty =
      is_irregular(collective) && traits(collective).regular == Collective::alltoall;
  return all_wait_for_all(collective) && !any_may_be_empty;
}

SampledCalls SampledCalls::of_rank(std::uint64_t communicator, int rank, std::uint64_t of,
                                   std::span<const std::uint64_t> times, double seconds_a_time) {
  SampledCalls own{.communicator = communicator, .of = of, .ranks = 1};
  for (const std::uint64_t time : times) {
    const double seconds = seconds_a_time * static_cast<double>(time);
    own.calls.push_back({seconds, seconds, {{rank, seconds}}});
  }
  return own;
}

void SampledCalls::prefer(SampledCalls other) {
  if (ranks == 0 || other.communicator < communicator ||
      (other.communicator == communicator && other.of > of))
    *this = std::move(other);
}

void SampledCalls::merge(const SampledCalls& other) {
  if (other.ranks == 0) return;
  if (ranks == 0 || other.communicator != communicator || other.of != of ||
      other.calls.size() != calls.size())
    return prefer(other);
  ranks += other.ranks;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Call& call = calls[i];
    const Call& more = other.calls[i];
    call.longest_s = std::max(call.longest_s, more.longest_s);
    call.seconds += more.seconds;
    call.last.insert(call.last.end(), more.last.begin(), more.last.end());
    keep_last(call.last);
  }
}

bool SampledCalls::is_whole(int comm_size) const {
  return comm_size > 1 && ranks == comm_size && calls.size() >= profile::least_sampled;
}

LateRanks late_ranks(const SampledCalls& sampled) {
  struct Times {
    int calls = 0;
    double late_s = 0;
    void add(double more_s) { ++calls, late_s += more_s; }
    double mean_s() const { return late_s / calls; }
  };
  std::map<int, Times> by_rank;
  Times any, all;
  for (const SampledCalls::Call& call : sampled.calls)
    all.add(call.last.empty() ? 0 : call.late_s(call.last.front()));
  for (const SampledCalls::Call& call : sampled.calls) {
    const double least_s = profile::late_behind * std::max(call.longest_s, all.mean_s());
    const auto is_late = [&](const SampledCalls::Stay& stay) { return call.late_s(stay) > least_s; };
    if (call.last.empty() || !is_late(call.last.front())) continue;
    any.add(call.late_s(call.last.front()));
    for (const SampledCalls::Stay& stay : call.last)
      if (is_late(stay)) by_rank[stay.rank].add(call.late_s(stay));
  }
  LateRanks late;
  if (any.calls == 0) return late;
  const auto calls = static_cast<double>(sampled.calls.size());
  late.share = any.calls / calls;
  late.late_s = any.mean_s();
  for (const auto& [rank, times] : by_rank)
    if (times.calls >= profile::same_share * any.calls)
      late.same.push_back({rank, times.calls / calls, times.mean_s()});
  std::ranges::stable_sort(late.same, std::greater(),
                           [](const LateRanks::One& one) { return std::pair(one.share, one.late_s); });
  return late;
}

std::string text_of(const LateRanks& late) {
  if (late.share < profile::rarest) return "";
  if (late.same.empty())
    return fmt::format("another rank each time is late in {}, by {}", tenths(late.share),
                       time_text(late.late_s));
  std::string text;
  for (std::size_t i = 0; i < std::min(late.same.size(), profile::most_late_named); ++i)
    text += fmt::format("{}rank {} is late in {}, by {}", text.empty() ? "" : "; ", late.same[i].rank,
                        tenths(late.same[i].share), time_text(late.same[i].late_s));
  if (late.same.size() > profile::most_late_named)
    text += fmt::format("; so are {} more", late.same.size() - profile::most_late_named);
  return text;
}

}  // namespace tutti::inline choose
