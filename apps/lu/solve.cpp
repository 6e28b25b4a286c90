// LU decomposition with partial pivoting on a grid of processes by orthogonal processor groups, or
// row- or column-cyclic. Source: Rauber, Reilein, Rünger, ORT - A Communication Library for
// Orthogonal Processor Groups, 2001.

#include "lu/options.hpp"

#include <limits>
#include <numeric>

#include "lu/cyclic_lu.hpp"

namespace tutti::apps {
namespace {

// A full matrix without structure, the same everywhere: needs pivoting in nearly every step.
double element(int i, int j) {
  unsigned bits =
      static_cast<unsigned>(i) * 2654435761u + static_cast<unsigned>(j) * 2246822519u + 374761393u;
  bits = (bits ^ bits >> 15) * 2246822519u;
  bits = (bits ^ bits >> 13) * 3266489917u;
  return (bits ^ bits >> 16) / 4294967296.0 - 0.5;
}

// Columns and rows of the grid.
std::pair<int, int> grid_of(const Options& options) {
  const int ranks = size_of(MPI_COMM_WORLD);
  if (options.variant == "row-cyclic") return {1, ranks};
  if (options.variant == "column-cyclic") return {ranks, 1};
  if (options.columns > 0) {
    if (ranks % options.columns != 0)
      throw Refusal("lu: --columns " + std::to_string(options.columns) + " does not divide " +
                    std::to_string(ranks) + " ranks");
    return {options.columns, ranks / options.columns};
  }
  int sides[2] = {0, 0};
  MPI_Dims_create(ranks, 2, sides);
  return {sides[1], sides[0]};
}

// The largest element of PA - LU, in units of what rounding may add up to.
double residual(const CyclicLu& lu, int n) {
  const std::vector<double> factors = lu.gathered();
  if (factors.empty()) return 0;
  const auto index = [](int i) { return static_cast<std::size_t>(i); };
  const auto factor = [&](int i, int j) { return factors[index(i) * index(n) + index(j)]; };
  std::vector<int> rows(index(n));
  std::iota(rows.begin(), rows.end(), 0);
  for (int k = 0; k < n; ++k) std::swap(rows[index(k)], rows[index(lu.swaps()[index(k)])]);
  double worst = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double product = i <= j ? factor(i, j) : 0;  // L has ones on its diagonal
      for (int k = 0; k < std::min(i, j + 1); ++k) product += factor(i, k) * factor(k, j);
      worst = std::max(worst, std::abs(element(rows[index(i)], j) - product));
    }
  return worst / (n * std::numeric_limits<double>::epsilon());
}

}  // namespace

void decompose(const Options& options, Report& report) {
  const auto [columns, rows] = grid_of(options);
  CyclicLu lu(options.size, columns, rows, MPI_COMM_WORLD);
  lu.fill(element);
  bool is_regular = false;
  const double seconds = seconds_of(MPI_COMM_WORLD, [&] { is_regular = lu.factorize(); });
  if (!is_regular) throw Refusal("lu: the matrix is singular");
  report.tell("variant", options.variant);
  report.tell("grid", std::to_string(columns) + " columns x " + std::to_string(rows) + " rows");
  report.tell("seconds", seconds);

  std::array<double, CyclicLu::phases> phases = lu.phase_seconds();
  MPI_Allreduce(MPI_IN_PLACE, phases.data(), CyclicLu::phases, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  double all = 0;
  for (const double phase : phases) all += phase;
  for (std::size_t i = 0; i < phases.size(); ++i)
    report.tell(std::string(CyclicLu::phase_names[i]) + "_%", 100 * phases[i] / all);
  if (options.check) report.judge("residual", residual(lu, options.size), 16);
}

}  // namespace tutti::apps
