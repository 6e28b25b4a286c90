#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "ode/system.hpp"

namespace tutti::apps {

/// Legendre's polynomial of a degree, on [-1, 1].
inline double legendre(int degree, double x) {
  double before = 0, now = 1;
  for (int k = 0; k < degree; ++k) {
    const double next = ((2 * k + 1) * x * now - k * before) / (k + 1);
    before = now;
    now = next;
  }
  return now;
}

/// The simple zeros of a function inside (-1, 1), ascending, by bisection between the points of a
/// fine grid.
inline Vector zeros(const std::function<double(double)>& f) {
  constexpr int cells = 4000;
  Vector found;
  for (int cell = 0; cell < cells; ++cell) {
    double low = -1 + (cell + 0.25) * 2 / cells, high = low + 2.0 / cells;
    if (cell + 1 == cells || f(low) * f(high) > 0) continue;
    for (int step = 0; step < 60; ++step) {
      const double middle = (low + high) / 2;
      (f(low) * f(middle) > 0 ? low : high) = middle;
    }
    found.push_back((low + high) / 2);
  }
  return found;
}

/// Nodes on [0, 1]: of Radau's quadrature with the end point 1, and of Lobatto's with both.
inline Vector radau_nodes(int count) {
  Vector nodes = zeros([=](double x) { return legendre(count, x) - legendre(count - 1, x); });
  nodes.push_back(1);
  for (double& node : nodes) node = node == 1 ? 1 : (node + 1) / 2;
  return nodes;
}

inline Vector lobatto_nodes(int count) {
  // (x² - 1) P'(x) is a multiple of x P_n(x) - P_(n-1)(x).
  const int n = count - 1;
  Vector nodes{0};
  for (const double x : zeros([=](double x) { return x * legendre(n, x) - legendre(n - 1, x); }))
    nodes.push_back((x + 1) / 2);
  nodes.push_back(1);
  return nodes;
}

/// The polynomial that is 1 at node j and 0 at the others.
inline double lagrange(const Vector& nodes, std::size_t j, double x) {
  double product = 1;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (i != j) product *= (x - nodes[i]) / (nodes[j] - nodes[i]);
  return product;
}

/// Weights w with Σ w_j q(nodes_j) = ∫ q from 0 to `end` for all polynomials q of lower degree than
/// there are nodes.
inline Vector integration_weights(const Vector& nodes, double end) {
  const int degree = static_cast<int>(nodes.size());
  const Vector gauss = zeros([=](double x) { return legendre(degree, x); });
  Vector weights(nodes.size(), 0.0);
  for (const double x : gauss) {
    const double slope = degree * (legendre(degree - 1, x) - x * legendre(degree, x)) / (1 - x * x);
    const double weight = 2 / ((1 - x * x) * slope * slope);
    for (std::size_t j = 0; j < nodes.size(); ++j)
      weights[j] += end / 2 * weight * lagrange(nodes, j, end * (x + 1) / 2);
  }
  return weights;
}

}  // namespace tutti::apps
