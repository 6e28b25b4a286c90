#pragma once

#include "ode/quadrature.hpp"
#include "ode/runge_kutta_methods.hpp"

namespace tutti::apps {

/// A parallel Adams method with K stages, of which in a step from t to t + h stage i approximates
/// y(t + a_i h), 1 = a_1 < … < a_K = 2: the first one is the step's result, the others reach ahead,
/// so that those of the step before lie in [t, t + h]. The explicit (Bashforth) stages are y(t) + h
/// Σ_j B_ij f(Y_j) over these, at t + (a_j - 1) h. The implicit (Moulton) ones are y(t) + h Σ_j
/// S_ij f(Y_j) + h d_i f(new Y_i): no new stage depends on another. Coefficients are those that are
/// exact for polynomials f of degree K - 1 and K. With Lobatto's points for the a_i that makes
/// order K + 1 and K + 2. Source: van der Houwen, Messina, Parallel Adams methods, 1999; Kühnemann,
/// Rauber, Rünger, 2006, section 5.2.
struct AdamsMethod {
  Vector nodes;      ///< a
  Matrix predictor;  ///< B
  Matrix corrector;  ///< S
  Vector diagonal;   ///< d
  int stages() const { return static_cast<int>(nodes.size()); }
};

inline AdamsMethod parallel_adams(int stages) {
  AdamsMethod method;
  const Vector before = lobatto_nodes(stages);
  for (const double node : before) method.nodes.push_back(node + 1);
  for (const double a : method.nodes) {
    method.predictor.push_back(integration_weights(before, a));
    // The new value of the first stage is at the place of the last old one, and better: it replaces
    // it.
    Vector nodes = before;
    if (a == 1) nodes.pop_back();
    nodes.push_back(a);
    Vector weights = integration_weights(nodes, a);
    method.diagonal.push_back(weights.back());
    weights.pop_back();
    weights.resize(before.size(), 0.0);
    method.corrector.push_back(weights);
  }
  return method;
}

}  // namespace tutti::apps
