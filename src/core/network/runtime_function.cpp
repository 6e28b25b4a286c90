#include "core/network/runtime_function.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/least_squares.hpp"

namespace tutti::inline core {
namespace {

struct FormTraits {
  Form form;
  std::string_view name, formula;
  std::vector<double> (*terms)(double p, double b, double s);
};

const std::array<FormTraits, 11>& forms() {
  static const std::array<FormTraits, 11> all{
      {{Form::affine, "affine", "t1 + t2 b",
        [](double, double b, double) -> std::vector<double> {
          return {1, b};
        }},
       {Form::linear, "linear", "(t + tc p) b",
        [](double p, double b, double) -> std::vector<double> {
          return {b, p * b};
        }},
       {Form::logarithmic, "logarithmic", "(t + tc log2 p) b",
        [](double p, double b, double) -> std::vector<double> {
          return {b, std::log2(p) * b};
        }},
       {Form::stepped, "stepped", "(t + tc floor(log2(p - 1))) b",
        [](double p, double b, double) -> std::vector<double> {
          return {b, std::floor(std::log2(std::max(1.0, p - 1))) * b};
        }},
       {Form::startup, "startup", "t1 + (t2 + tc p) b",
        [](double p, double b, double) -> std::vector<double> {
          return {1, b, p * b};
        }},
       {Form::startup_log, "startup_log", "t1 + (t2 + tc log2 p) b",
        [](double p, double b, double) -> std::vector<double> {
          return {1, b, std::log2(p) * b};
        }},
       {Form::composed, "composed", "t1 + (t2 + tc p + td p log2 p) b",
        [](double p, double b, double) -> std::vector<double> {
          return {1, b, p * b, p * std::log2(p) * b};
        }},
       {Form::rounds, "rounds", "t1 + t2 log2 p + (t3 + tc p) b",
        [](double p, double b, double) -> std::vector<double> {
          return {1, std::log2(p), b, p * b};
        }},
       {Form::shared, "shared", "t1 + (t2 + ts s) b",
        [](double, double b, double s) -> std::vector<double> {
          return {1, b, s * b};
        }},
       {Form::shared_linear, "shared_linear", "t1 + (t2 + ts s + tc p) b",
        [](double p, double b, double s) -> std::vector<double> {
          return {1, b, s * b, p * b};
        }},
       {Form::shared_product, "shared_product", "t1 + (t2 + tc p) s b",
        [](double p, double b, double s) -> std::vector<double> {
          return {1, s * b, p * s * b};
        }}}};
  return all;
}

const FormTraits& traits(Form form) {
  return forms()[static_cast<std::size_t>(form)];
}

double value(Form form, const std::vector<double>& coefficients, double ranks, double bytes, double sharing) {
  const auto terms = traits(form).terms(ranks, bytes, sharing);
  double sum = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) sum += coefficients[i] * terms[i];
  return sum;
}

// Pieces with their criterion: the smaller the better.
struct Fit {
  std::vector<RuntimeFunction::Piece> pieces;
  double squares = 0;  // of the relative deviations
  std::size_t coefficients = 0;
};

// Deviations below a thousandth are as good as none.
double criterion(const Fit& fit, std::size_t timings) {
  constexpr double negligible = 1e-3;
  const auto n = static_cast<double>(timings);
  return n * std::log(fit.squares / n + negligible * negligible) +
         static_cast<double>(fit.coefficients) * std::log(n);
}

using Timings = std::vector<Timing>;

std::optional<Fit> fit_form(const Timings& timings, Form form) {
  const std::size_t terms = tutti::terms(form);
  if (timings.size() < terms) return std::nullopt;
  std::vector<LinearEquation> equations;
  for (const Timing& t : timings) {
    equations.push_back({traits(form).terms(t.ranks, t.bytes, t.sharing), 1});
    for (double& factor : equations.back().factors) factor /= t.seconds;
  }
  LeastSquares solution = least_squares(equations);
  if (!solution.is_determined) return std::nullopt;
  RuntimeFunction::Piece piece{.ranks_min = timings.front().ranks,
                               .ranks_max = timings.front().ranks,
                               .bytes_min = timings.front().bytes,
                               .bytes_max = timings.front().bytes,
                               .sharing_min = timings.front().sharing,
                               .sharing_max = timings.front().sharing,
                               .form = form,
                               .coefficients = std::move(solution.unknowns),
                               .mean_deviation = 0,
                               .max_deviation = 0};
  Fit fit{.pieces = {}, .squares = 0, .coefficients = terms};
  for (const Timing& t : timings) {
    const double deviation = value(form, piece.coefficients, t.ranks, t.bytes, t.sharing) / t.seconds - 1;
    fit.squares += deviation * deviation;
    piece.mean_deviation += std::abs(deviation) / static_cast<double>(timings.size());
    piece.max_deviation = std::max(piece.max_deviation, std::abs(deviation));
    piece.ranks_min = std::min(piece.ranks_min, t.ranks);
    piece.ranks_max = std::max(piece.ranks_max, t.ranks);
    piece.bytes_min = std::min(piece.bytes_min, t.bytes);
    piece.bytes_max = std::max(piece.bytes_max, t.bytes);
    piece.sharing_min = std::min(piece.sharing_min, t.sharing);
    piece.sharing_max = std::max(piece.sharing_max, t.sharing);
  }
  fit.pieces.push_back(std::move(piece));
  return fit;
}

// By one form. Where the timings are too few for any, the last of them whatever the size.
Fit fit_piece(const Timings& timings) {
  std::optional<Fit> best;
  for (const FormTraits& each : forms())
    if (auto fit = fit_form(timings, each.form);
        fit && (!best || criterion(*fit, timings.size()) < criterion(*best, timings.size())))
      best = std::move(fit);
  if (best) return *best;
  const Timing& t = timings.back();
  return {
      {{t.ranks, t.ranks, t.bytes, t.bytes, t.sharing, t.sharing, Form::affine, {t.seconds, 0}, 0, 0}}, 0, 1};
}

Fit joined(Fit a, const Fit& b) {
  a.pieces.insert(a.pieces.end(), b.pieces.begin(), b.pieces.end());
  a.squares += b.squares;
  a.coefficients += b.coefficients + 1;  // the border counts
  return a;
}

// Splits at the border that gains most, and goes on so within both parts; none where none gains.
Fit fit_pieces(const Timings& timings) {
  constexpr std::size_t least = 6;  // timings of a piece
  Fit best = fit_piece(timings);
  std::optional<std::pair<Timings, Timings>> parts;
  const auto try_border = [&](auto is_left) {
    Timings left, right;
    std::partition_copy(timings.begin(), timings.end(), std::back_inserter(left), std::back_inserter(right),
                        is_left);
    if (left.size() < least || right.size() < least) return;
    Fit both = joined(fit_piece(left), fit_piece(right));
    if (criterion(both, timings.size()) >= criterion(best, timings.size())) return;
    best = std::move(both);
    parts = {std::move(left), std::move(right)};
  };
  std::set<int> ranks, sharing;
  std::set<double> bytes;
  for (const Timing& t : timings) {
    ranks.insert(t.ranks);
    bytes.insert(t.bytes);
    sharing.insert(t.sharing);
  }
  for (const int border : ranks) try_border([=](const Timing& t) { return t.ranks < border; });
  for (const double border : bytes) try_border([=](const Timing& t) { return t.bytes < border; });
  for (const int border : sharing) try_border([=](const Timing& t) { return t.sharing < border; });
  return parts ? joined(fit_pieces(parts->first), fit_pieces(parts->second)) : best;
}

// How far outside of a piece, in factors.
double distance(const RuntimeFunction::Piece& piece, int ranks, double bytes, int sharing) {
  const auto outside = [](double least, double most, double x) {
    return std::max({0.0, std::log(least / x), std::log(x / most)});
  };
  return outside(piece.ranks_min, piece.ranks_max, ranks) +
         outside(piece.sharing_min, piece.sharing_max, sharing) +
         outside(std::max(piece.bytes_min, 1.0), std::max(piece.bytes_max, 1.0), std::max(bytes, 1.0));
}

}  // namespace

std::string_view name(Form form) {
  return traits(form).name;
}

std::string_view formula(Form form) {
  return traits(form).formula;
}

std::size_t terms(Form form) {
  return traits(form).terms(2, 1, 1).size();
}

Form form_named(std::string_view name) {
  for (const FormTraits& each : forms())
    if (each.name == name) return each.form;
  throw std::invalid_argument("no form of a runtime function is called " + std::string(name));
}

double RuntimeFunction::operator()(int ranks, double bytes, int sharing) const {
  const auto nearest = std::min_element(pieces_.begin(), pieces_.end(), [&](const Piece& a, const Piece& b) {
    return distance(a, ranks, bytes, sharing) < distance(b, ranks, bytes, sharing);
  });
  return std::max(0.0, value(nearest->form, nearest->coefficients, ranks, bytes, sharing));
}

RuntimeFunction fit(const std::vector<Timing>& timings) {
  return RuntimeFunction(fit_pieces(timings).pieces);
}

}  // namespace tutti::inline core
