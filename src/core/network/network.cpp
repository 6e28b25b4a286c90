#include "core/network/network.hpp"

#include <algorithm>

namespace tutti::inline core {

Hockney hockney_of(const Curve& curve) {
  const auto& points = curve.points();
  if (points.empty()) return {};
  const double bytes = points.back().bytes - points.front().bytes;
  // Neither a byte nor a message takes less than nothing, whatever was disturbed while it was
  // measured.
  const double beta = bytes > 0 ? std::max(0.0, (points.back().value - points.front().value) / bytes) : 0;
  return {.alpha = std::max(0.0, points.front().value - points.front().bytes * beta), .beta = beta};
}

std::size_t Network::levels_apart(Rank a, Rank b) const {
  const auto around = [this](int group) { return groups[static_cast<std::size_t>(group)].within; };
  const auto depth_of = [&](int group) {
    std::size_t depth = 0;
    for (int at = group; at != Group::none; at = around(at)) ++depth;
    return depth;
  };
  int one = innermost_group(a), other = innermost_group(b);
  std::size_t of_one = depth_of(one), of_other = depth_of(other);
  const std::size_t deepest = std::max(of_one, of_other);
  while (one != other) {
    const bool goes_out = of_one >= of_other, other_goes_out = of_other >= of_one;
    if (goes_out) one = around(one), --of_one;
    if (other_goes_out) other = around(other), --of_other;
  }
  return deepest - of_one;
}

std::size_t Network::piece(Collective collective) const {
  const Collective regular = traits(collective).regular;
  // Half of what was not seen to escalate: rarely it may.
  if (regular == Collective::gather && gather) return std::max<std::size_t>(1, gather->m1 / 2);
  if (regular == Collective::scatter && scatter_leap) return *scatter_leap;
  return 0;
}

}  // namespace tutti::inline core
