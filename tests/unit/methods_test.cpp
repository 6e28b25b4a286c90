// The methods and the systems of the solvers in apps/: what their coefficients promise, and
// derivatives by differences.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "ode/adams_methods.hpp"
#include "ode/brusselator.hpp"
#include "ode/oscillators.hpp"
#include "ode/runge_kutta_methods.hpp"
#include "ode/spectral.hpp"

namespace tutti::apps {
namespace {

double power(double x, int exponent) {
  return exponent == 0 ? 1 : std::pow(x, exponent);
}

// Σ w_j x_j^k less ∫ x^k from 0 to `end`.
double defect(const Vector& nodes, const Vector& weights, double end, int k) {
  double sum = -power(end, k + 1) / (k + 1);
  for (std::size_t j = 0; j < nodes.size(); ++j) sum += weights[j] * power(nodes[j], k);
  return std::abs(sum);
}

TEST(Quadrature, NodesAreTheKnownOnes) {
  const Vector radau = radau_nodes(2), lobatto = lobatto_nodes(4);
  ASSERT_EQ(radau.size(), 2u);
  EXPECT_NEAR(radau[0], 1.0 / 3, 1e-15);
  EXPECT_EQ(radau[1], 1);
  ASSERT_EQ(lobatto.size(), 4u);
  EXPECT_EQ(lobatto[0], 0);
  EXPECT_NEAR(lobatto[1], (1 - 1 / std::sqrt(5)) / 2, 1e-15);
  EXPECT_NEAR(lobatto[2], (1 + 1 / std::sqrt(5)) / 2, 1e-15);
  EXPECT_EQ(lobatto[3], 1);
}

TEST(Quadrature, WeightsAreExactForAsManyPowersAsNodes) {
  for (int count = 1; count <= 9; ++count) {
    Vector nodes;
    for (int i = 0; i < count; ++i) nodes.push_back(std::cos(3 * (i + 0.5) / count));
    for (const double end : {-0.5, 0.3, 1.0})
      for (int k = 0; k < count; ++k)
        EXPECT_LT(defect(nodes, integration_weights(nodes, end), end, k), 1e-11) << count;
  }
}

TEST(RungeKuttaMethods, KeepTheirOrderConditions) {
  for (const auto& [method, stage_order] : {std::pair{radau_iia(4), 4}, std::pair{lobatto_iiic(4), 3}}) {
    // The quadrature has the method's order, stages have their own, and D holds: the method has its
    // order.
    for (int k = 0; k < method.order; ++k)
      EXPECT_LT(defect(method.nodes, method.result, 1, k), 1e-14) << method.name;
    EXPECT_GT(defect(method.nodes, method.result, 1, method.order), 1e-6);
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < stage_order; ++k)
        EXPECT_LT(defect(method.nodes, method.weights[at(i)], method.nodes[at(i)], k), 1e-14) << method.name;
    for (int k = 1; k <= method.order - stage_order; ++k)
      for (std::size_t j = 0; j < 4; ++j) {
        double sum = 0;
        for (std::size_t i = 0; i < 4; ++i)
          sum += method.result[i] * power(method.nodes[i], k - 1) * method.weights[i][j];
        EXPECT_NEAR(sum, method.result[j] * (1 - power(method.nodes[j], k)) / k, 1e-14) << method.name;
      }
  }
}

TEST(RungeKuttaMethods, LobattoIsTheKnownOne) {
  const RungeKuttaMethod method = lobatto_iiic(4);
  for (const Vector& row : method.weights) EXPECT_NEAR(row[0], 1.0 / 12, 1e-15);
  EXPECT_NEAR(method.weights[0][1], -std::sqrt(5) / 12, 1e-14);
  EXPECT_NEAR(method.weights[1][1], 0.25, 1e-14);
  EXPECT_NEAR(method.weights[3][3], 1.0 / 12, 1e-14);
}

TEST(RungeKuttaMethods, DiagonalsDampStiffErrors) {
  for (const RungeKuttaMethod& method : {radau_iia(4), lobatto_iiic(4)}) {
    Eigen::Matrix4d damping = Eigen::Matrix4d::Identity();
    const Vector diagonal = damping_diagonal(method);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) damping(i, j) -= method.weights[at(i)][at(j)] / diagonal[at(i)];
    EXPECT_LT(damping.eigenvalues().cwiseAbs().maxCoeff(), 0.05) << method.name;
  }
}

TEST(AdamsMethods, AreExactForTheirPolynomials) {
  for (int stages = 3; stages <= 8; ++stages) {
    const AdamsMethod method = parallel_adams(stages);
    EXPECT_EQ(method.nodes.front(), 1);
    EXPECT_EQ(method.nodes.back(), 2);
    Vector before;
    for (const double node : method.nodes) before.push_back(node - 1);
    for (int i = 0; i < stages; ++i) {
      Vector nodes = before, weights = method.corrector[at(i)];
      nodes.push_back(method.nodes[at(i)]);
      weights.push_back(method.diagonal[at(i)]);
      for (int k = 0; k <= stages; ++k) {
        if (k < stages) {
          EXPECT_LT(defect(before, method.predictor[at(i)], method.nodes[at(i)], k), 1e-9) << stages;
        }
        EXPECT_LT(defect(nodes, weights, method.nodes[at(i)], k), 1e-9) << stages << " " << i << " " << k;
      }
    }
  }
}

void check_derivatives(const System& system, double t) {
  Vector y = system.initial();
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += 0.1 * std::sin(static_cast<double>(i));
  constexpr double step = 1e-5;
  for (int j = 0; j < system.size(); ++j) {
    Vector above = y, below = y;
    above[at(j)] += step, below[at(j)] -= step;
    for (int i = 0; i < system.size(); ++i)
      EXPECT_NEAR(system.derivative(t, y, i, j),
                  (system.component(t, above, i) - system.component(t, below, i)) / (2 * step), 1e-7)
          << i << " by " << j;
  }
}

TEST(Systems, DerivativesAreThoseOfTheirComponents) {
  for (int points = 1; points <= 4; ++points) check_derivatives(Brusselator(points), 0.2);
  check_derivatives(Spectral(9), 0.2);
  for (int count = 1; count <= 3; ++count) check_derivatives(Oscillators(count), 0.2);
}

TEST(Systems, OscillatorsHaveTheirSolution) {
  const Oscillators system(5);
  Vector y;
  for (int i = 0; i < 5; ++i) y.push_back(std::sin(0.7 + i));
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(system.component(0.7, y, i), std::cos(0.7 + i), 1e-15);
}

// With ε = 0 mode 1 alone: -Σ (w_|k-1| - w_(k+1)) are Fourier coefficients of V(x) sin x.
TEST(Systems, SpectralCouplingIsThatOfThePotential) {
  const int modes = 40;
  const Spectral system(modes);
  Vector y(at(modes), 0.0);
  y[0] = 1;
  constexpr int points = 20000;
  for (const int k : {2, 3, 7}) {
    double integral = 0;
    for (int i = 0; i < points; ++i) {
      const double x = M_PI * (i + 0.5) / points;
      // Σ cos(mx) / (1 + m²), m = 0, 1, …
      const double potential = 0.5 + M_PI / 2 * std::cosh(M_PI - x) / std::sinh(M_PI);
      integral += potential * std::sin(x) * std::sin(k * x) * 2 / points;
    }
    EXPECT_NEAR(system.component(0, y, k - 1), -integral, 1e-6) << k;
  }
}

}  // namespace
}  // namespace tutti::apps
