#pragma once

#include <cmath>

#include "ode/system.hpp"

namespace tutti::apps {

/// Forced oscillators in a ring, weakly coupled, whose solution is known: y_i = sin(t + i).
///     y_i' = cos(t + i) + ε (y_(i+1) - sin(t + i + 1))
/// High order shows on it: the solution moves much faster than errors grow.
class Oscillators : public System {
 public:
  explicit Oscillators(int count) : count_(count) {}

  int size() const override { return count_; }

  Vector initial() const override {
    Vector y;
    for (int i = 0; i < count_; ++i) y.push_back(std::sin(i));
    return y;
  }

  double component(double t, const Vector& y, int i) const override {
    const int next = (i + 1) % count_;
    return std::cos(t + i) + coupling * (y[at(next)] - std::sin(t + next));
  }

  double operations() const override { return 20; }  // two of them are trigonometric functions

  double derivative(double, const Vector&, int i, int j) const override {
    return j == (i + 1) % count_ ? coupling : 0;
  }

 private:
  static constexpr double coupling = 1e-3;
  int count_;
};

}  // namespace tutti::apps
