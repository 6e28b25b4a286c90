#pragma once

#include <cmath>
#include <limits>

#include "ode/runge_kutta_methods.hpp"
#include "ode/stage_arithmetic.hpp"

namespace tutti::apps {

/// Steps by an implicit Runge–Kutta method whose stages are found by a fixed number of iterations,
/// all stages at a time. Of what an iteration does there are two kinds: fixed points (explicit) and
/// Newton's method (diagonally implicit). Source: van der Houwen, Sommeijer, Parallel iteration of
/// high-order Runge–Kutta methods with stepsize control, 1990.
class IteratedRungeKutta {
 public:
  IteratedRungeKutta(const System& system, RungeKuttaMethod method, int iterations,
                     Distribution& distribution)
      : system_(system), method_(std::move(method)), iterations_(iterations), distribution_(distribution) {}
  virtual ~IteratedRungeKutta() = default;

  /// From y at t to y at t + h; y is whole, on every process that is not idle. How far the last
  /// iteration moved the result, relative to 1 + |y|, estimates the error of a method of lower
  /// order: alike everywhere. Infinite if there is no result.
  double step(double t, double h, Vector& y) {
    const double infinity = std::numeric_limits<double>::infinity();
    if (!begin_step(t, h, y)) return infinity;
    const std::size_t stages = at(method_.stages());
    std::vector<Vector> f(stages, Vector(at(distribution_.count()))), next = f;
    distribution_.for_stages(
        [&](int i) { evaluate(system_, distribution_, t + h * method_.nodes[at(i)], y, f[at(i)]); });
    distribution_.exchange(f);
    for (int iteration = 0; iteration < iterations_; ++iteration) {
      distribution_.for_stages([&](int i) { iterate(i, t, h, y, f, next[at(i)]); });
      std::swap(f, next);
      distribution_.exchange(f);
    }
    const double* block = y.data() + distribution_.begin();
    Vector result(y.size()), before(at(distribution_.count()));
    combine(distribution_, block, h, method_.result, next, before.data());
    combine(distribution_, block, h, method_.result, f, result.data() + distribution_.begin());
    double moved = 0;
    for (int i = 0; i < distribution_.count(); ++i) {
      const double by =
          std::abs(result[at(distribution_.begin() + i)] - before[at(i)]) / (1 + std::abs(block[i]));
      if (!(by <= moved)) moved = std::isfinite(by) ? by : infinity;
    }
    charge(4.0 * distribution_.count());
    distribution_.complete(result);
    y = std::move(result);
    return distribution_.max(moved);
  }

 protected:
  /// False, on all processes alike, if the step can't be made.
  virtual bool begin_step(double, double, const Vector&) { return true; }
  /// From f of all stages in the block, f of a new stage i in the block.
  virtual void iterate(int i, double t, double h, const Vector& y, const std::vector<Vector>& f,
                       Vector& next) = 0;

  const System& system_;
  const RungeKuttaMethod method_;
  const int iterations_;
  Distribution& distribution_;
};

/// Fixed points: Y_i = y + h Σ_j a_ij f(Y_j), from the stages of the iteration before. Order
/// min(that of the method, iterations + 1).
class FixedPointIteration : public IteratedRungeKutta {
 public:
  using IteratedRungeKutta::IteratedRungeKutta;

 protected:
  void iterate(int i, double t, double h, const Vector& y, const std::vector<Vector>& f,
               Vector& next) override {
    Vector stage(y.size());
    const int begin = distribution_.begin();
    combine(distribution_, y.data() + begin, h, method_.weights[at(i)], f, stage.data() + begin);
    distribution_.complete(stage);
    evaluate(system_, distribution_, t + h * method_.nodes[at(i)], stage, next);
  }
};

}  // namespace tutti::apps
