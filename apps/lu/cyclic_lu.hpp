#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "ortho.hpp"
#include "support/ranks.hpp"
#include "support/report.hpp"
#include "support/timing.hpp"

namespace tutti::apps {

/// LU decomposition with partial pivoting, PA = LU, of an n × n matrix that lies cyclicly over the
/// rows and the columns of a grid of processes: element (i, j) in row i mod `grid_rows` and column
/// j mod `grid_columns` of the grid. A grid of one column is the row-cyclic distribution, one of
/// one row the column-cyclic one. Source: Rauber, Reilein, Rünger, ORT - A Communication Library
/// for Orthogonal Processor Groups, 2001, figure 3.
class CyclicLu {
 public:
  /// The phases of a step, in their order.
  enum Phase {
    determine_pivot,
    distribute_pivot,
    exchange_rows,
    broadcast_pivot_row,
    determine_l,
    distribute_l,
    update_u,
    phases
  };
  static constexpr std::array<const char*, phases> phase_names{
      "determine_pivot_lnr", "distribute_pivot_lnr", "exchange_pivot_line", "broadcast_pivot_line",
      "determine_L_factors", "distribute_L_factors", "update_U_factors"};

  /// Collective over a communicator of grid_columns · grid_rows processes.
  CyclicLu(int n, int grid_columns, int grid_rows, MPI_Comm comm)
      : n_(n), grid_({grid_columns, grid_rows}, comm), comm_(comm), columns_{grid_columns}, rows_{grid_rows} {
    columns_.mine = grid_.coordinates()[0];
    rows_.mine = grid_.coordinates()[1];
    width_ = columns_.below(n);
    matrix_.resize(index(rows_.below(n)) * index(width_));
    pivot_row_.resize(index(width_));
    factors_.resize(index(rows_.below(n)));
    swaps_.resize(index(n));
  }

  /// Takes element(i, j), 0 <= i, j < n, for the elements that lie here.
  void fill(const std::function<double(int, int)>& element) {
    for (int r = 0; r < rows_.below(n_); ++r)
      for (int c = 0; c < width_; ++c) at(r, c) = element(rows_.global(r), columns_.global(c));
  }

  /// Factors the matrix in place. Collective; seconds of the phases add up here. False, everywhere,
  /// if the matrix is singular to working precision or has elements that are no numbers: then there
  /// are no factors.
  bool factorize() {
    for (int k = 0; k < n_; ++k) {
      timed(determine_pivot,
            [&] { grid_.column(columns_.owner(k), [&](MPI_Comm column) { find_pivot(k, column); }); });
      timed(distribute_pivot, [&] { grid_.rows([&](MPI_Comm row) { share_pivot(k, row); }); });
      if (swaps_[index(k)] < 0) return false;
      timed(exchange_rows,
            [&] { grid_.columns([&](MPI_Comm column) { swap_rows(k, swaps_[index(k)], column); }); });
      timed(broadcast_pivot_row,
            [&] { grid_.columns([&](MPI_Comm column) { share_pivot_row(k, column); }); });
      timed(determine_l, [&] { grid_.column(columns_.owner(k), [&](MPI_Comm) { divide_by_pivot(k); }); });
      timed(distribute_l, [&] { grid_.rows([&](MPI_Comm row) { share_factors(k, row); }); });
      timed(update_u, [&] { eliminate(k); });
    }
    return true;
  }

  /// Solves A x = b by the factors; b and x are whole on every process. Collective.
  std::vector<double> solve(std::vector<double> b) {
    for (int k = 0; k < n_; ++k) std::swap(b[index(k)], b[index(swaps_[index(k)])]);
    // What is found of the solution is on the grid's column that owns it.
    std::vector<double> sums(index(rows_.below(n_)), 0.0), found(index(n_), 0.0), x(index(n_), 0.0);
    for (int k = 0; k < n_; ++k) substitute(k, b[index(k)], 1, true, sums, found);
    std::ranges::fill(sums, 0.0);
    for (int k = n_ - 1; k >= 0; --k) substitute(k, found[index(k)], pivot(k), false, sums, found);
    if (rows_.mine == 0)
      for (int c = 0; c < width_; ++c) x[index(columns_.global(c))] = found[index(columns_.global(c))];
    MPI_Allreduce(MPI_IN_PLACE, x.data(), n_, MPI_DOUBLE, MPI_SUM, comm_);
    return x;
  }

  /// L (below the diagonal) and U in one matrix, row after row; on process 0, empty elsewhere.
  /// Collective.
  std::vector<double> gathered() const {
    std::vector<double> whole(index(n_) * index(n_), 0.0);
    for (int r = 0; r < rows_.below(n_); ++r)
      for (int c = 0; c < width_; ++c)
        whole[index(rows_.global(r)) * index(n_) + index(columns_.global(c))] = at(r, c);
    const int rank = rank_in(comm_);
    for (int i = 0; i < n_; ++i) {  // row by row: a count of elements stays an int
      double* row = &whole[index(i) * index(n_)];
      MPI_Reduce(rank == 0 ? MPI_IN_PLACE : row, rank == 0 ? row : nullptr, n_, MPI_DOUBLE, MPI_SUM, 0,
                 comm_);
    }
    if (rank != 0) whole.clear();
    return whole;
  }

  /// Row k was exchanged with row swaps()[k] in step k.
  const std::vector<int>& swaps() const { return swaps_; }

  const std::array<double, phases>& phase_seconds() const { return phase_seconds_; }

 private:
  // Indices dealt out in turn along one side of the grid.
  struct Dealt {
    int extent, mine = 0;
    int owner(int k) const { return k % extent; }
    bool is_mine(int k) const { return owner(k) == mine; }
    int below(int k) const { return (k - mine + extent - 1) / extent; }  // how many of mine are less than k
    int local(int k) const { return k / extent; }                        // of one of mine
    int global(int local) const { return local * extent + mine; }
  };

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  double& at(int r, int c) { return matrix_[index(r) * index(width_) + index(c)]; }
  double at(int r, int c) const { return matrix_[index(r) * index(width_) + index(c)]; }

  template <class Body>
  void timed(Phase phase, const Body& body) {
    const double begin = MPI_Wtime();
    body();
    phase_seconds_[phase] += MPI_Wtime() - begin;
  }

  // Where the largest element of column k stands, from the diagonal on down.
  void find_pivot(int k, MPI_Comm column) {
    struct {
      double value;
      int row;
    } best{-1, k};
    const int c = columns_.local(k);
    for (int r = rows_.below(k); r < rows_.below(n_); ++r)
      if (std::abs(at(r, c)) > best.value) best = {std::abs(at(r, c)), rows_.global(r)};
    charge(rows_.below(n_) - rows_.below(k));
    MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, column);
    swaps_[index(k)] = best.value > 0 ? best.row : -1;
  }

  void share_pivot(int k, MPI_Comm row) { MPI_Bcast(&swaps_[index(k)], 1, MPI_INT, columns_.owner(k), row); }

  void swap_rows(int a, int b, MPI_Comm column) {
    if (a == b) return;
    if (rows_.owner(a) == rows_.owner(b)) {
      if (rows_.is_mine(a))
        std::swap_ranges(&at(rows_.local(a), 0), &at(rows_.local(a), 0) + width_, &at(rows_.local(b), 0));
      return;
    }
    if (!rows_.is_mine(a) && !rows_.is_mine(b)) return;
    const auto [mine, other] = rows_.is_mine(a) ? std::pair(a, b) : std::pair(b, a);
    MPI_Sendrecv_replace(&at(rows_.local(mine), 0), width_, MPI_DOUBLE, rows_.owner(other), 0,
                         rows_.owner(other), 0, column, MPI_STATUS_IGNORE);
  }

  void share_pivot_row(int k, MPI_Comm column) {
    const int first = columns_.below(k);
    if (first == width_) return;
    if (rows_.is_mine(k)) std::copy_n(&at(rows_.local(k), first), width_ - first, &pivot_row_[index(first)]);
    MPI_Bcast(&pivot_row_[index(first)], width_ - first, MPI_DOUBLE, rows_.owner(k), column);
  }

  void divide_by_pivot(int k) {
    const int c = columns_.local(k);
    const double pivot = pivot_row_[index(c)];
    for (int r = rows_.below(k + 1); r < rows_.below(n_); ++r) factors_[index(r)] = at(r, c) /= pivot;
    charge(rows_.below(n_) - rows_.below(k + 1));
  }

  void share_factors(int k, MPI_Comm row) {
    const int first = rows_.below(k + 1), last = rows_.below(n_);
    if (first < last) MPI_Bcast(&factors_[index(first)], last - first, MPI_DOUBLE, columns_.owner(k), row);
  }

  void eliminate(int k) {
    const int first = columns_.below(k + 1);
    for (int r = rows_.below(k + 1); r < rows_.below(n_); ++r)
      for (int c = first; c < width_; ++c) at(r, c) -= factors_[index(r)] * pivot_row_[index(c)];
    charge(2.0 * (rows_.below(n_) - rows_.below(k + 1)) * (width_ - first));
  }

  double pivot(int k) const {
    return rows_.is_mine(k) && columns_.is_mine(k) ? at(rows_.local(k), columns_.local(k)) : 1;
  }

  // Finds unknown k of a triangular system: what the found ones contribute to row k is summed up
  // along its row of the grid, the unknown goes down its column of the grid, where its
  // contributions to further rows are added.
  void substitute(int k, double right_side, double diagonal, bool downwards, std::vector<double>& sums,
                  std::vector<double>& found) {
    double sum = rows_.is_mine(k) ? sums[index(rows_.local(k))] : 0;
    grid_.row(rows_.owner(k), [&](MPI_Comm row) {
      const bool takes = columns_.is_mine(k);
      MPI_Reduce(takes ? MPI_IN_PLACE : &sum, takes ? &sum : nullptr, 1, MPI_DOUBLE, MPI_SUM,
                 columns_.owner(k), row);
    });
    grid_.column(columns_.owner(k), [&](MPI_Comm column) {
      double& unknown = found[index(k)] = (right_side - sum) / diagonal;
      MPI_Bcast(&unknown, 1, MPI_DOUBLE, rows_.owner(k), column);
      const int first = downwards ? rows_.below(k + 1) : 0,
                last = downwards ? rows_.below(n_) : rows_.below(k);
      for (int r = first; r < last; ++r) sums[index(r)] += at(r, columns_.local(k)) * unknown;
      charge(2.0 * (last - first));
    });
  }

  int n_;
  ort::grid grid_;
  MPI_Comm comm_;
  Dealt columns_, rows_;
  int width_ = 0;  // columns of the matrix that lie here
  std::vector<double> matrix_, pivot_row_, factors_;
  std::vector<int> swaps_;
  std::array<double, phases> phase_seconds_{};
};

}  // namespace tutti::apps
