#pragma once

#include <cstdlib>

#include "ode/system.hpp"

namespace tutti::apps {

/// Diffusion in a potential, u_t = ε u_xx - V(x) u on [0, π] with u = 0 at its ends, by Galerkin's
/// method with the n functions sin kx: a dense system of n linear equations. V(x) = Σ cos(mx) / (1
/// + m²), m = 0, 1, …, couples all modes: y_k' = -ε k² y_k - Σ_l (w_|k-l| - w_(k+l)) y_l with w_0 =
/// 1, w_m = 1 / (2 (1 + m²)). ε = 1/n², so that finer resolution does not make it stiffer.
class Spectral : public System {
 public:
  explicit Spectral(int modes) : modes_(modes), weights_(at(2 * modes + 1)) {
    weights_[0] = 1;
    for (int m = 1; m <= 2 * modes; ++m) weights_[at(m)] = 0.5 / (1 + static_cast<double>(m) * m);
  }

  int size() const override { return modes_; }

  Vector initial() const override {
    Vector y;
    for (int k = 1; k <= modes_; ++k) y.push_back(1.0 / (static_cast<double>(k) * k));
    return y;
  }

  double component(double, const Vector& y, int i) const override {
    double sum = 0;
    for (int j = 0; j < modes_; ++j) sum += coupling(i, j) * y[at(j)];
    return -sum - diffusion(i) * y[at(i)];
  }

  double operations() const override { return 3.0 * modes_; }

  double derivative(double, const Vector&, int i, int j) const override {
    return -coupling(i, j) - (i == j ? diffusion(i) : 0);
  }

 private:
  // The coupling of modes i + 1 and j + 1.
  double coupling(int i, int j) const { return weights_[at(std::abs(i - j))] - weights_[at(i + j + 2)]; }
  double diffusion(int i) const { return (i + 1.0) * (i + 1.0) / (static_cast<double>(modes_) * modes_); }

  int modes_;
  Vector weights_;
};

}  // namespace tutti::apps
