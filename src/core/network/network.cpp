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

std::size_t Network::piece(Collective collective) const {
  const Collective regular = traits(collective).regular;
  // Half of what was not seen to escalate: rarely it may.
  if (regular == Collective::gather && gather) return std::max<std::size_t>(1, gather->m1 / 2);
  if (regular == Collective::scatter && scatter_leap) return *scatter_leap;
  return 0;
}

}  // namespace tutti::inline core
