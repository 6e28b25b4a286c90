#pragma once

#include "lu/cyclic_lu.hpp"
#include "ode/iterated_runge_kutta.hpp"

namespace tutti::apps {

/// For stiff systems: an iteration solves a nonlinear system for each stage, independently, by
/// Newton's method with the matrix I - h d_i J(t, y) of the step's begin. Its LU decomposition lies
/// on the stage's processes, a plane of a grid of three dimensions. Source: Rauber, Reilein,
/// Rünger, ORT, 2001, section 6.
class DiagonallyImplicitIteration : public IteratedRungeKutta {
 public:
  /// A distribution in planes.
  DiagonallyImplicitIteration(const System& system, RungeKuttaMethod method, int iterations,
                              TaskParallel& distribution)
      : IteratedRungeKutta(system, std::move(method), iterations, distribution),
        stage_(distribution.first_stage()),
        diagonal_(damping_diagonal(method_)[at(stage_)]) {
    if (distribution.is_idle()) return;
    const std::vector<int> sides = distribution.group_sides();
    matrix_ = std::make_unique<CyclicLu>(system.size(), sides[0], sides[1], distribution.group());
  }

 protected:
  bool begin_step(double t, double h, const Vector& y) override {
    matrix_->fill([&](int i, int j) { return (i == j) - h * diagonal_ * system_.derivative(t, y, i, j); });
    return distribution_.max(matrix_->factorize() ? 0 : 1) == 0;
  }

  void iterate(int i, double t, double h, const Vector& y, const std::vector<Vector>& f,
               Vector& next) override {
    const int begin = distribution_.begin(), count = distribution_.count();
    const double stage_t = t + h * method_.nodes[at(i)];
    Vector weights = method_.weights[at(i)], right_side(at(count)), stage = y, residual(y.size());
    weights[at(i)] -= diagonal_;
    combine(distribution_, y.data() + begin, h, weights, f, right_side.data());
    for (int newton = 0; newton < newton_steps; ++newton) {
      evaluate(system_, distribution_, stage_t, stage, next);
      for (int k = 0; k < count; ++k)
        residual[at(begin + k)] = right_side[at(k)] + h * diagonal_ * next[at(k)] - stage[at(begin + k)];
      charge(3.0 * count);
      distribution_.complete(residual);
      const Vector correction = matrix_->solve(residual);
      for (std::size_t k = 0; k < stage.size(); ++k) stage[k] += correction[k];
    }
    evaluate(system_, distribution_, stage_t, stage, next);
  }

 private:
  // A step's Jacobian serves all its iterations: each Newton step gains about an order of h.
  static constexpr int newton_steps = 3;

  int stage_;
  double diagonal_;
  std::unique_ptr<CyclicLu> matrix_;
};

}  // namespace tutti::apps
