#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/collective.hpp"

namespace tutti::inline core {

/// What one operation took: on `ranks` ranks, for `bytes` bytes (CollectiveTraits::size_means),
/// while `sharing` groups shared each host's port (Situation::sharing).
struct Timing {
  int ranks;
  double bytes;
  double seconds;
  int sharing = 1;
};

/// Functions of ranks p, bytes b and groups that share a port s that are linear in their
/// coefficients.
enum class Form {
  affine,         ///< τ_1 + τ_2·b: where there is one number of ranks only
  linear,         ///< (τ + t_c·p)·b
  logarithmic,    ///< (τ + t_c·log2 p)·b
  stepped,        ///< (τ + t_c·⌊log2(p − 1)⌋)·b
  startup,        ///< τ_1 + (τ_2 + t_c·p)·b
  startup_log,    ///< τ_1 + (τ_2 + t_c·log2 p)·b
  composed,       ///< τ_1 + (τ_2 + t_c·p + t_d·p·log2 p)·b
  rounds,         ///< τ_1 + τ_2·log2 p + (τ_3 + t_c·p)·b
  shared,         ///< τ_1 + (τ_2 + t_s·s)·b
  shared_linear,  ///< τ_1 + (τ_2 + t_s·s + t_c·p)·b
  shared_product  ///< τ_1 + (τ_2 + t_c·p)·s·b
};

/// "linear" and so on, and back; throws std::invalid_argument at another name.
std::string_view name(Form form);
Form form_named(std::string_view name);
/// "t1 + (t2 + tc p) b".
std::string_view formula(Form form);
/// How many coefficients it has.
std::size_t terms(Form form);

/// The running time of an operation as it was measured: pieces of ranks, bytes and groups that
/// share a port, in each a form with its coefficients. Source: Kühnemann, Rauber, Rünger,
/// Optimizing MPI Collective Communication by Orthogonal Structures, 2006, section 4; shared ports,
/// which are beyond it, are ours.
class RuntimeFunction {
 public:
  struct Piece {
    int ranks_min, ranks_max;
    double bytes_min, bytes_max;
    int sharing_min, sharing_max;
    Form form;
    std::vector<double> coefficients;      ///< in the form's order, seconds and seconds a byte
    double mean_deviation, max_deviation;  ///< of the timings it was fitted to: relative
    friend bool operator==(const Piece&, const Piece&) = default;
  };

  RuntimeFunction() = default;
  explicit RuntimeFunction(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}
  /// Seconds; beyond what was measured the nearest piece goes on. There has to be a piece.
  double operator()(int ranks, double bytes, int sharing = 1) const;
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::vector<Piece> pieces_;
};

/// The function that fits timings best: least squares of the relative deviations, the forms and the
/// borders between pieces chosen so that no coefficient is there for nothing (Bayesian information
/// criterion). There has to be a timing, and all seconds have to be positive.
RuntimeFunction fit(const std::vector<Timing>& timings);

}  // namespace tutti::inline core
