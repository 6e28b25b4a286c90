#pragma once

#include <vector>

namespace tutti::inline base {

/// An equation between unknowns: the sum of `factors`, each times its unknown, is `result`.
struct LinearEquation {
  std::vector<double> factors;
  double result;
};

struct LeastSquares {
  std::vector<double> unknowns;
  bool is_determined;  ///< no unknown could be another for these equations
};

/// Unknowns for which the squares of what equations are off by have the least sum, by a QR
/// decomposition with column pivoting. There is an equation at least, and all have as many factors.
LeastSquares least_squares(const std::vector<LinearEquation>& equations);

}  // namespace tutti::inline base
