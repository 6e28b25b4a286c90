#include "core/network/curve.hpp"

#include <algorithm>

namespace tutti::inline core {

double Curve::operator()(double bytes) const {
  if (points_.empty()) return 0;
  if (points_.size() == 1 || bytes <= points_.front().bytes) return points_.front().value;
  const auto right = std::lower_bound(points_.begin() + 1, points_.end() - 1, bytes,
                                      [](const Point& point, double size) { return point.bytes < size; });
  const auto left = right - 1;
  if (bytes > right->bytes && right->value < left->value) return right->value;
  return left->value + (right->value - left->value) * (bytes - left->bytes) / (right->bytes - left->bytes);
}

}  // namespace tutti::inline core
