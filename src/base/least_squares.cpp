#include "base/least_squares.hpp"

#include <Eigen/QR>
#include <cstddef>

namespace tutti::inline base {

LeastSquares least_squares(const std::vector<LinearEquation>& equations) {
  const auto rows = static_cast<Eigen::Index>(equations.size());
  const auto columns = static_cast<Eigen::Index>(equations.front().factors.size());
  Eigen::MatrixXd factors(rows, columns);
  Eigen::VectorXd results(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const LinearEquation& equation = equations[static_cast<std::size_t>(i)];
    results(i) = equation.result;
    for (Eigen::Index j = 0; j < columns; ++j) factors(i, j) = equation.factors[static_cast<std::size_t>(j)];
  }
  // Columns of a like size, so that their rank can be seen.
  Eigen::VectorXd scale = factors.colwise().norm();
  for (double& each : scale) each = each > 0 ? 1 / each : 1;
  for (Eigen::Index j = 0; j < columns; ++j) factors.col(j) *= scale(j);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposition(factors);
  Eigen::VectorXd unknowns = decomposition.solve(results);
  for (Eigen::Index j = 0; j < columns; ++j) unknowns(j) *= scale(j);
  return {{unknowns.begin(), unknowns.end()}, decomposition.rank() == columns};
}

}  // namespace tutti::inline base
