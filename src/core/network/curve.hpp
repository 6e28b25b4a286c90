#pragma once

#include <vector>

namespace tutti::inline core {

/// A quantity by message size, known at some sizes: straight lines between them, the last line
/// beyond the last, or its last value where that line falls, the first value below the first.
/// Without points it is 0, with one it is constant.
class Curve {
 public:
  struct Point {
    double bytes, value;
    friend bool operator==(const Point&, const Point&) = default;
  };

  Curve() = default;
  /// A curve through points of increasing sizes.
  explicit Curve(std::vector<Point> points) : points_(std::move(points)) {}
  /// The line at_zero + slope · bytes.
  static Curve line(double at_zero, double slope) {
    return Curve({{0, at_zero}, {1 << 20, at_zero + slope * (1 << 20)}});
  }

  double operator()(double bytes) const;
  const std::vector<Point>& points() const { return points_; }
  friend bool operator==(const Curve&, const Curve&) = default;

 private:
  std::vector<Point> points_;
};

}  // namespace tutti::inline core
