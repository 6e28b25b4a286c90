#include "network/network.hpp"

namespace tutti {

Hockney hockney_of(const Link& link) {
  const auto& points = link.time.points();
  if (points.empty()) return {};
  const double bytes = points.back().bytes - points.front().bytes;
  const double beta = bytes > 0 ? (points.back().value - points.front().value) / bytes : 0;
  return {.alpha = points.front().value - points.front().bytes * beta, .beta = beta};
}

}  // namespace tutti
