// Jacobi iteration on a dense system of linear equations, its matrix distributed by rows or by
// columns. Source: Kühnemann, Rauber, Rünger, Optimizing MPI Collective Communication by Orthogonal
// Structures, 2006, section 5.1.

#include "jacobi/options.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/ranks.hpp"
#include "support/timing.hpp"

namespace tutti::apps {
namespace {

// The system: diagonally dominant, so that an iteration at least halves the error; its solution is
// known.
constexpr double diagonal = 2;
double element(int i, int j, int n) {
  return i == j ? diagonal : (3 * i + 7 * j) % 11 / (10.0 * n);
}
double solution(int i) {
  return 1 + i % 7;
}

double right_side(int i, int n) {
  double sum = 0;
  for (int j = 0; j < n; ++j) sum += element(i, j, n) * solution(j);
  return sum;
}

// A rank has ⌈n/p⌉ rows or columns; numbers beyond n are empty rows, so that all blocks are alike.
class Jacobi {
 public:
  explicit Jacobi(const Options& options) : n_(options.size), variant_(options.variant) {
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    block_ = (n_ + ranks - 1) / ranks;
    begin_ = std::min(n_, rank * block_);
    end_ = std::min(n_, begin_ + block_);
    is_root_ = rank == 0;
    const auto padded = index(block_ * ranks);
    x_.assign(padded, 0.0);
    sums_.assign(padded, 0.0);
    mine_.assign(index(block_), 0.0);
    if (variant_ == "rows") {
      for (int i = begin_; i < end_; ++i)
        for (int j = 0; j < n_; ++j) matrix_.push_back(element(i, j, n_));
    } else {
      for (int i = 0; i < n_; ++i)
        for (int j = begin_; j < end_; ++j) matrix_.push_back(element(i, j, n_));
    }
    // Right sides of the rows whose new values are computed here.
    const bool all = variant_ == "columns-reduce";
    if (!all || is_root_)
      for (int i = all ? 0 : begin_; i < (all ? n_ : end_); ++i) right_sides_.push_back(right_side(i, n_));
  }

  void iterate() {
    if (variant_ == "rows") return by_rows();
    sum_columns();
    if (variant_ == "columns-allreduce") {
      MPI_Allreduce(MPI_IN_PLACE, sums_.data(), n_, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      renew(begin_, end_, &sums_[index(begin_)], mine_.data());
      share();
    } else if (variant_ == "columns-scatter") {
      reduce();
      MPI_Scatter(sums_.data(), block_, MPI_DOUBLE, mine_.data(), block_, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      renew(begin_, end_, mine_.data(), mine_.data());
      share();
    } else {
      reduce();
      if (is_root_) renew(0, n_, sums_.data(), x_.data());
      MPI_Bcast(x_.data(), n_, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
  }

  double error() const {
    double worst = 0;
    for (int i = 0; i < n_; ++i) worst = std::max(worst, std::abs(x_[index(i)] - solution(i)));
    return worst;
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  // Scalar products of the rows here.
  void by_rows() {
    for (int i = begin_; i < end_; ++i) {
      const double* row = &matrix_[index(i - begin_) * index(n_)];
      double sum = 0;
      for (int j = 0; j < n_; ++j) sum += row[j] * x_[index(j)];
      mine_[index(i - begin_)] = sum - diagonal * x_[index(i)];
    }
    charge(2.0 * (end_ - begin_) * n_);
    renew(begin_, end_, mine_.data(), mine_.data());
    share();
  }

  // What the columns here contribute to all scalar products.
  void sum_columns() {
    for (int i = 0; i < n_; ++i) {
      const double* row = &matrix_[index(i) * index(end_ - begin_)];
      double sum = 0;
      for (int j = begin_; j < end_; ++j) sum += row[j - begin_] * x_[index(j)];
      if (begin_ <= i && i < end_) sum -= diagonal * x_[index(i)];
      sums_[index(i)] = sum;
    }
    charge(2.0 * (end_ - begin_) * n_);
  }

  // New values of some rows from their scalar products without the diagonal.
  void renew(int begin, int end, const double* sums, double* values) const {
    for (int i = 0; i < end - begin; ++i) values[i] = (right_sides_[index(i)] - sums[i]) / diagonal;
    charge(2.0 * (end - begin));
  }

  void share() {
    MPI_Allgather(mine_.data(), block_, MPI_DOUBLE, x_.data(), block_, MPI_DOUBLE, MPI_COMM_WORLD);
  }

  void reduce() {
    MPI_Reduce(is_root_ ? MPI_IN_PLACE : sums_.data(), is_root_ ? sums_.data() : nullptr, n_, MPI_DOUBLE,
               MPI_SUM, 0, MPI_COMM_WORLD);
  }

  int n_;
  std::string variant_;
  int block_ = 0, begin_ = 0, end_ = 0;
  bool is_root_ = false;
  std::vector<double> matrix_, right_sides_, x_, sums_, mine_;
};

double predicted_seconds(const Options& options, const Machine& machine) {
  const int ranks = size_of(MPI_COMM_WORLD);
  if (options.variant == "rows") return jacobi_by_rows(machine, ranks, options.size);
  if (options.variant == "columns-allreduce")
    return jacobi_by_columns_allreduce(machine, ranks, options.size);
  if (options.variant == "columns-scatter") return jacobi_by_columns_scatter(machine, ranks, options.size);
  return jacobi_by_columns_reduce(machine, ranks, options.size);
}

}  // namespace

void solve(const Options& options, Report& report) {
  Jacobi jacobi(options);
  jacobi.iterate();  // what is slow only once
  const double error = jacobi.error();
  const double seconds = seconds_of(MPI_COMM_WORLD, [&] {
    for (int i = 1; i < options.iterations; ++i) jacobi.iterate();
  });
  report.tell("variant", options.variant);
  report.tell("seconds", seconds);
  report.tell("seconds_per_iteration", seconds / (options.iterations - 1));
  if (options.prediction.is_wanted())
    report.tell("predicted_seconds_per_iteration", predicted_seconds(options, options.prediction.machine()));
  if (options.check)
    report.judge("error", jacobi.error(), std::max(error * std::exp2(1 - options.iterations), 1e-13));
}

}  // namespace tutti::apps
