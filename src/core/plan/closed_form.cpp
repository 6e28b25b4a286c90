#include "core/plan/closed_form.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/algorithms/patterns/team.hpp"

namespace tutti::inline core {
namespace {

// A factor of a closed form: log·⌈log₂ p⌉ + ranks·p + one + share/p.
struct Factor {
  double log = 0, ranks = 0, one = 0, share = 0;

  double at(int p) const { return log * ceil_log2(p) + ranks * p + one + share / p; }
};

bool alike(double a, double b) {
  return std::abs(a - b) < 1e-6;
}

// The factor that has these values on 4, 8, 16 and 32 ranks. Multiplying by p and taking
// differences eliminates one unknown after the other; what is left is solved from the last.
Factor through(const std::array<double, 4>& values) {
  // Differences of neighbours, f(2p) - f(p) = log + ranks·p - share/(2p), for p = 4, 8, 16.
  const std::array first{values[1] - values[0], values[2] - values[1], values[3] - values[2]};
  // Their differences, ranks·p + share/(4p), for p = 4, 8.
  const std::array second{first[1] - first[0], first[2] - first[1]};
  Factor f;
  f.ranks = (2 * second[1] - second[0]) / 12;
  f.share = 16 * (second[0] - 4 * f.ranks);
  f.log = first[0] - 4 * f.ranks + f.share / 8;
  f.one = values[0] - 2 * f.log - 4 * f.ranks - f.share / 4;
  return f;
}

std::string number(double value) {
  return fmt::format("{:.6g}", value);
}

// "3 ", or nothing for 1.
std::string times(double value) {
  return alike(value, 1) ? "" : number(value) + " ";
}

// A factor as a formula: "2 (p - 1)/p", "⌈log₂ p⌉ + p - 1".
std::string text(const Factor& f) {
  std::string sum;
  int terms = 0;
  const auto add = [&](double coefficient, const std::string& what) {
    if (alike(coefficient, 0)) return;
    const std::string size =
        what.empty() ? number(std::abs(coefficient)) : times(std::abs(coefficient)) + what;
    sum += (terms++ == 0 ? coefficient < 0 ? "-" : "" : coefficient < 0 ? " - " : " + ") + size;
  };
  const bool part = !alike(f.share, 0) && alike(f.one, -f.share);  // of (p - 1)/p
  add(f.log, "⌈log₂ p⌉");
  add(f.ranks, "p");
  if (part) {
    add(f.one, "(p - 1)/p");
  } else {
    add(f.one, "");
    if (!alike(f.share, 0)) {
      sum += fmt::format("{}{}/p", f.share < 0 ? " - " : " + ", number(std::abs(f.share)));
      ++terms;
    }
  }
  return terms > 1 ? fmt::format("({})", sum) : sum;
}

// The part of a closed form with one unit; nothing where its factor is 0.
void add_part(std::string& form, const Factor& factor, const char* unit) {
  const std::string written = text(factor);
  if (written.empty()) return;
  form += fmt::format("{}{}{}", form.empty() ? "" : " + ", written == "1" ? "" : written + " ", unit);
}

}  // namespace

std::string closed_form(const Algorithm& algorithm) {
  if (!algorithm.cost) return "";
  const Arguments arguments = complete(algorithm, {});
  const std::array parts{&Cost::messages, &Cost::volume, &Cost::reduced};
  std::array<Factor, 3> factors;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    std::array<double, 4> values;
    for (int i = 0; i < 4; ++i) {
      const auto cost = algorithm.cost(4 << i, arguments);
      if (!cost) return "";
      values[static_cast<std::size_t>(i)] = (*cost).*parts[part];
    }
    factors[part] = through(values);
  }
  const auto holds = [&](int p) {
    const auto cost = algorithm.cost(p, arguments);
    for (std::size_t part = 0; part < parts.size(); ++part)
      if (!cost || !alike((*cost).*parts[part], factors[part].at(p))) return false;
    return true;
  };
  bool everywhere = true;
  for (int p = 4; p <= 1024; ++p) {
    const bool power = on_powers_of_two(p);
    if (power && !holds(p)) return "";
    everywhere = everywhere && (power || (algorithm.even_ranks_only && p % 2 == 1) || holds(p));
  }
  std::string form;
  add_part(form, factors[0], "α");
  add_part(form, factors[1], "n β");
  add_part(form, factors[2], "n γ");
  return everywhere ? form : form + " on powers of two";
}

}  // namespace tutti::inline core
