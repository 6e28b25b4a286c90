#include "choose/profile/arrivals.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace tutti::inline choose {

ArrivalPattern arrival_in(const Profile& profile, const Point& point) {
  ProfiledCalls like;  // of the nearest size, whatever ran and on which communicator
  int nearest = std::numeric_limits<int>::max();
  for (const auto& [kind, calls] : profile.calls) {
    if (kind.collective != point.collective || kind.placement.ranks != point.ranks) continue;
    const int distance = std::abs(kind.size.number - SizeClass::of(point.size).number);
    if (distance > nearest) continue;
    if (distance < nearest) like = {};
    nearest = distance;
    like.merge(calls);
  }
  const double late_s = like.most_s - like.least_s;
  if (like.calls == 0 || late_s <= 0) return {};
  const double mean_s = like.most_s - like.seconds / static_cast<double>(like.calls);
  return {.kind = ArrivalPattern::Kind::skewed,
          .late_s = late_s,
          .mean_s = std::clamp(mean_s, late_s / static_cast<double>(point.ranks), late_s)};
}

}  // namespace tutti::inline choose
