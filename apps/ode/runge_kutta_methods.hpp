#pragma once

#include <map>
#include <string>

#include "ode/quadrature.hpp"

namespace tutti::apps {

using Matrix = std::vector<Vector>;

/// An implicit Runge–Kutta method.
struct RungeKuttaMethod {
  std::string name;
  int order;
  Vector nodes;    ///< c
  Matrix weights;  ///< A
  Vector result;   ///< b
  int stages() const { return static_cast<int>(nodes.size()); }
};

/// Collocation at Radau's nodes: order 2s - 1.
inline RungeKuttaMethod radau_iia(int stages) {
  RungeKuttaMethod method{
      "Radau IIA(" + std::to_string(2 * stages - 1) + ")", 2 * stages - 1, radau_nodes(stages), {}, {}};
  for (const double c : method.nodes) method.weights.push_back(integration_weights(method.nodes, c));
  method.result = method.weights.back();
  return method;
}

/// Lobatto's nodes, a_i1 = b_1, and the rest exact for polynomials of degree s - 2: order 2s - 2.
inline RungeKuttaMethod lobatto_iiic(int stages) {
  RungeKuttaMethod method{
      "Lobatto IIIC(" + std::to_string(2 * stages - 2) + ")", 2 * stages - 2, lobatto_nodes(stages), {}, {}};
  method.result = integration_weights(method.nodes, 1);
  const Vector others(method.nodes.begin() + 1, method.nodes.end());
  const double first = method.result[0];
  for (const double c : method.nodes) {
    Vector row = integration_weights(others, c);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] -= first * lagrange(others, j, method.nodes[0]);
    row.insert(row.begin(), first);
    method.weights.push_back(row);
  }
  return method;
}

/// Diagonals d for which iterations Y_i - h d_i f(Y_i) = y + h Σ_j (a_ij - d_i δ_ij) f(Y_j) damp
/// stiff errors fast: the spectral radius of I - A / d is small. For Radau IIA(7) 0.025, from van
/// der Houwen, Sommeijer, Iterated Runge–Kutta methods on parallel computers, 1991; for Lobatto
/// IIIC(6) 0.048, found by search.
inline Vector damping_diagonal(const RungeKuttaMethod& method) {
  static const std::map<std::string, Vector> known{
      {"Radau IIA(7)", {3055.0 / 9532, 531.0 / 5956, 1471.0 / 8094, 1848.0 / 7919}},
      {"Lobatto IIIC(6)", {0.03605233, 0.25958003, 0.50893326, 0.64823922}},
  };
  return known.at(method.name);
}

}  // namespace tutti::apps
