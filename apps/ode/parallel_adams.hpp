#pragma once

#include "ode/adams_methods.hpp"
#include "ode/stage_arithmetic.hpp"

namespace tutti::apps {

/// Steps by a parallel Adams method: explicit (PAB), or with a number of corrections by fixed-point
/// iteration (PABM, in PEC mode: the last correction is not evaluated again). The stages of the
/// last step are kept by their values of f. Source: Kühnemann, Rauber, Rünger, Optimizing MPI
/// Collective Communication by Orthogonal Structures, 2006, section 5.2.
class ParallelAdams {
 public:
  /// Begins at t = 0. The stages of a step before are integrated by collocation at the method's
  /// nodes, every process for itself, with their fixed points found to the last digit.
  ParallelAdams(const System& system, AdamsMethod method, int corrections, Distribution& distribution,
                double h)
      : system_(system),
        method_(std::move(method)),
        corrections_(corrections),
        distribution_(distribution),
        h_(h),
        f_(at(method_.stages()), Vector(at(distribution.count()))),
        next_(f_) {
    start();
  }

  /// A step to t + h; collective over processes that are not idle.
  void step() {
    const double begin_t = t_;
    distribution_.for_stages([&](int i) {
      const double stage_t = begin_t + h_ * method_.nodes[at(i)];
      Vector stage(at(system_.size()));
      double* block = stage.data() + distribution_.begin();
      combine(distribution_, y_.data(), h_, method_.predictor[at(i)], f_, block);
      if (corrections_ == 0) {
        distribution_.complete(stage);
        evaluate(system_, distribution_, stage_t, stage, next_[at(i)]);
        return;
      }
      Vector base(at(distribution_.count()));
      combine(distribution_, y_.data(), h_, method_.corrector[at(i)], f_, base.data());
      for (int correction = 0; correction < corrections_; ++correction) {
        distribution_.complete(stage);
        evaluate(system_, distribution_, stage_t, stage, next_[at(i)]);
        if (correction + 1 < corrections_) correct(i, base, next_[at(i)], block);
      }
    });
    distribution_.exchange(next_);
    // The first stage is the result at t + h: its block is found anew everywhere from what was
    // exchanged.
    Vector base(at(distribution_.count()));
    if (corrections_ == 0) {
      combine(distribution_, y_.data(), h_, method_.predictor[0], f_, base.data());
      y_ = std::move(base);
    } else {
      combine(distribution_, y_.data(), h_, method_.corrector[0], f_, base.data());
      correct(0, base, next_[0], y_.data());
    }
    std::swap(f_, next_);
    t_ += h_;
  }

  /// The last step's y, whole. Collective over processes that are not idle.
  Vector result() const {
    Vector y(at(system_.size()));
    std::ranges::copy(y_, y.data() + distribution_.begin());
    distribution_.complete(y);
    return y;
  }

 private:
  void correct(int stage, const Vector& base, const Vector& f, double* block) const {
    for (std::size_t k = 0; k < base.size(); ++k)
      block[k] = base[k] + h_ * method_.diagonal[at(stage)] * f[k];
    charge(3.0 * distribution_.count());
  }

  // Collocation over [0, h], where the nodes less 1 lie.
  void start() {
    constexpr int enough = 200;
    const int n = system_.size();
    const Vector y = system_.initial();
    std::vector<Vector> stages(f_.size(), y), f(f_.size(), Vector(at(n))), before;
    Vector nodes;
    for (const double a : method_.nodes) nodes.push_back(a - 1);
    Matrix weights;
    for (const double node : nodes) weights.push_back(integration_weights(nodes, node));
    for (int iteration = 0; iteration < enough && stages != before; ++iteration) {
      before = stages;
      for (std::size_t i = 0; i < f.size(); ++i)
        for (int k = 0; k < n; ++k) f[i][at(k)] = system_.component(h_ * nodes[i], stages[i], k);
      for (std::size_t i = 0; i < f.size(); ++i)
        for (int k = 0; k < n; ++k) {
          double sum = 0;
          for (std::size_t j = 0; j < f.size(); ++j) sum += weights[i][j] * f[j][at(k)];
          stages[i][at(k)] = y[at(k)] + h_ * sum;
        }
    }
    const auto begin = distribution_.begin(), end = begin + distribution_.count();
    for (std::size_t i = 0; i < f.size(); ++i) f_[i].assign(f[i].begin() + begin, f[i].begin() + end);
    y_.assign(y.begin() + begin, y.begin() + end);
  }

  const System& system_;
  const AdamsMethod method_;
  const int corrections_;
  Distribution& distribution_;
  const double h_;
  double t_ = 0;
  Vector y_;                      // the block of y at t
  std::vector<Vector> f_, next_;  // of each stage, the block
};

}  // namespace tutti::apps
