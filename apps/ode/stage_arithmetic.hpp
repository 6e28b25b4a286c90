#pragma once

#include "ode/distribution.hpp"
#include "support/timing.hpp"

namespace tutti::apps {

/// Components of f(t, y) in the block of a process.
inline void evaluate(const System& system, const Distribution& distribution, double t, const Vector& y,
                     Vector& f) {
  f.resize(at(distribution.count()));
  for (int i = 0; i < distribution.count(); ++i) f[at(i)] = system.component(t, y, distribution.begin() + i);
  charge(distribution.count() * system.operations());
}

/// base + h Σ_j weights_j f_j in the block of a process; base and target are blocks, f one for each
/// weight.
inline void combine(const Distribution& distribution, const double* base, double h, const Vector& weights,
                    const std::vector<Vector>& f, double* target) {
  for (int i = 0; i < distribution.count(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) sum += weights[j] * f[j][at(i)];
    target[i] = base[i] + h * sum;
  }
  charge(distribution.count() * (2.0 * static_cast<double>(weights.size()) + 1));
}

}  // namespace tutti::apps
