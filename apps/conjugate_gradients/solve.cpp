// Conjugate gradients on the five-point stencil of a square, its rows dealt out to ranks: as they
// are known, with two sums that everybody waits for, or pipelined, with one that is under way
// behind the product. Source: Ghysels, Vanroose, Hiding Global Synchronization Latency in the
// Preconditioned Conjugate Gradient Algorithm, 2014, algorithm 3 without a preconditioner.

#include "conjugate_gradients/options.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "support/ranks.hpp"
#include "support/timing.hpp"

namespace tutti::apps {
namespace {

// The stencil: neighbours −1, and enough on the diagonal that iterations need not be many.
constexpr double diagonal = 4.5;
double solution(int row, int column) {
  return 1 + (row * 3 + column) % 5;
}

using Vector = std::vector<double>;

// This rank's rows of a vector on the square. A row of neighbours lies before them and one behind.
class Square {
 public:
  explicit Square(const Options& options)
      : n_(options.size), by_messages_(options.halo == "messages"), ranks_(size_of(MPI_COMM_WORLD)) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int each = n_ / ranks_, longer = n_ % ranks_;
    rows_ = each + (rank < longer ? 1 : 0);
    first_ = rank * each + std::min(rank, longer);
    before_ = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    behind_ = rank + 1 < ranks_ ? rank + 1 : MPI_PROC_NULL;
    const auto p = static_cast<std::size_t>(ranks_);
    counts_.assign(p, 0);
    sent_.assign(p, 0);
    received_.assign(p, 0);
    halo_.assign(static_cast<std::size_t>(2 * n_), 0.0);
    for (const int peer : {before_, behind_}) {
      if (peer == MPI_PROC_NULL) continue;
      const bool is_behind = peer == behind_;
      counts_[static_cast<std::size_t>(peer)] = n_;
      sent_[static_cast<std::size_t>(peer)] = (is_behind ? rows_ : 1) * n_;
      received_[static_cast<std::size_t>(peer)] = is_behind ? n_ : 0;
    }
  }

  int rows() const { return rows_; }
  Vector vector() const { return Vector(static_cast<std::size_t>((rows_ + 2) * n_)); }

  template <typename Value>
  Vector filled(Value&& value) const {
    Vector v = vector();
    for (int row = 0; row < rows_; ++row)
      for (int column = 0; column < n_; ++column) v[at(row, column)] = value(first_ + row, column);
    return v;
  }

  // The rows of the neighbours begin to come in.
  void begin_exchange(Vector& v) {
    if (!by_messages_) {
      MPI_Ialltoallv(v.data(), counts_.data(), sent_.data(), MPI_DOUBLE, halo_.data(), counts_.data(),
                     received_.data(), MPI_DOUBLE, MPI_COMM_WORLD, &requests_.emplace_back());
      return;
    }
    MPI_Irecv(&v[at(-1, 0)], n_, MPI_DOUBLE, before_, 0, MPI_COMM_WORLD, &requests_.emplace_back());
    MPI_Irecv(&v[at(rows_, 0)], n_, MPI_DOUBLE, behind_, 0, MPI_COMM_WORLD, &requests_.emplace_back());
    MPI_Isend(&v[at(0, 0)], n_, MPI_DOUBLE, before_, 0, MPI_COMM_WORLD, &requests_.emplace_back());
    MPI_Isend(&v[at(rows_ - 1, 0)], n_, MPI_DOUBLE, behind_, 0, MPI_COMM_WORLD, &requests_.emplace_back());
  }

  // result = A v; the inner rows while the neighbours' come in.
  void multiply(Vector& v, Vector& result) {
    begin_exchange(v);
    for (int row = 1; row + 1 < rows_; ++row) multiply_row(v, result, row);
    charge(6.0 * std::max(0, rows_ - 2) * n_);
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
    bring_in(v);
    multiply_row(v, result, 0);
    if (rows_ > 1) multiply_row(v, result, rows_ - 1);
    charge(6.0 * std::min(2, rows_) * n_);
  }

  // This rank's part of a scalar product.
  double product(const Vector& a, const Vector& b) const {
    charge(2.0 * rows_ * n_);
    return std::inner_product(a.begin() + n_, a.end() - n_, b.begin() + n_, 0.0);
  }

  // y = x + by · y, or y = y + by · x.
  void renew(Vector& y, const Vector& x, double by) const {
    charge(2.0 * rows_ * n_);
    for (std::size_t i = at(0, 0); i < at(rows_, 0); ++i) y[i] = x[i] + by * y[i];
  }
  void add(Vector& y, double by, const Vector& x) const {
    charge(2.0 * rows_ * n_);
    for (std::size_t i = at(0, 0); i < at(rows_, 0); ++i) y[i] += by * x[i];
  }

  double error(const Vector& x) const {
    double worst = 0;
    for (int row = 0; row < rows_; ++row)
      for (int column = 0; column < n_; ++column)
        worst = std::max(worst, std::abs(x[at(row, column)] - solution(first_ + row, column)));
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return worst;
  }

 private:
  std::size_t at(int row, int column) const { return static_cast<std::size_t>((row + 1) * n_ + column); }

  void bring_in(Vector& v) const {
    if (by_messages_) return;
    if (before_ != MPI_PROC_NULL) std::copy_n(halo_.begin(), n_, v.begin());
    if (behind_ != MPI_PROC_NULL)
      std::copy_n(halo_.begin() + n_, n_, v.begin() + static_cast<std::ptrdiff_t>(at(rows_, 0)));
  }

  void multiply_row(const Vector& v, Vector& result, int row) const {
    for (int column = 0; column < n_; ++column) {
      double sum = diagonal * v[at(row, column)] - v[at(row - 1, column)] - v[at(row + 1, column)];
      if (column > 0) sum -= v[at(row, column - 1)];
      if (column + 1 < n_) sum -= v[at(row, column + 1)];
      result[at(row, column)] = sum;
    }
  }

  int n_;
  bool by_messages_;
  int ranks_, rows_ = 0, first_ = 0, before_ = 0, behind_ = 0;
  std::vector<int> counts_, sent_, received_;
  std::vector<MPI_Request> requests_;
  Vector halo_;  // a collective may not write where it reads: what comes in by one has a place of its own
};

// Solves A x = b; both begin with x = 0.
class Solver {
 public:
  explicit Solver(const Options& options)
      : square_(options),
        x_(square_.vector()),
        r_(square_.vector()),
        p_(square_.vector()),
        s_(square_.vector()) {
    Vector known = square_.filled(solution);
    square_.multiply(known, r_);
    if (options.variant != "pipelined") return;
    w_ = z_ = q_ = square_.vector();
    square_.multiply(r_, w_);
  }

  void iterate_as_known() {
    square_.renew(p_, r_, beta_);
    square_.multiply(p_, s_);
    if (gamma_ == 0) gamma_ = summed(square_.product(r_, r_));
    const double alpha = gamma_ / summed(square_.product(p_, s_));
    square_.add(x_, alpha, p_);
    square_.add(r_, -alpha, s_);
    const double before = std::exchange(gamma_, summed(square_.product(r_, r_)));
    beta_ = gamma_ / before;
  }

  void iterate_pipelined() {
    double sums[] = {square_.product(r_, r_), square_.product(w_, r_)};
    MPI_Request under_way = MPI_REQUEST_NULL;
    double totals[2] = {};
    MPI_Iallreduce(sums, totals, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &under_way);
    square_.multiply(w_, q_);
    MPI_Wait(&under_way, MPI_STATUS_IGNORE);
    const auto [gamma, delta] = totals;
    const double beta = gamma_ == 0 ? 0 : gamma / gamma_;
    const double alpha = gamma_ == 0 ? gamma / delta : gamma / (delta - beta * gamma / alpha_);
    gamma_ = gamma;
    alpha_ = alpha;
    square_.renew(z_, q_, beta);
    square_.renew(s_, w_, beta);
    square_.renew(p_, r_, beta);
    square_.add(x_, alpha, p_);
    square_.add(r_, -alpha, s_);
    square_.add(w_, -alpha, z_);
  }

  double error() const { return square_.error(x_); }

 private:
  static double summed(double mine) {
    double total = 0;
    MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return total;
  }

  Square square_;
  Vector x_, r_, p_, s_, w_, z_, q_;  // under the names of the source
  double gamma_ = 0, alpha_ = 0, beta_ = 0;
};

}  // namespace

void solve(const Options& options, Report& report) {
  if (options.size < size_of(MPI_COMM_WORLD)) throw Refusal("--size: there are fewer rows than ranks");
  Solver solver(options);
  const auto iterate = [&] {
    options.variant == "pipelined" ? solver.iterate_pipelined() : solver.iterate_as_known();
  };
  iterate();  // what is slow only once
  const double seconds = seconds_of(MPI_COMM_WORLD, [&] {
    for (int i = 1; i < options.iterations; ++i) iterate();
  });
  report.tell("variant", options.variant);
  report.tell("seconds", seconds);
  report.tell("seconds_per_iteration", seconds / (options.iterations - 1));
  if (options.check) report.judge("error", solver.error(), 1e-6);
}

}  // namespace tutti::apps
