#include "choose/evidence/sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "choose/evidence/constants.hpp"
#include "choose/evidence/rounded.hpp"

namespace tutti::inline choose {
namespace {

// The t statistic that n values have to exceed.
double critical_t(double n, double alpha) {
  const double freedom = n - 1, growth = 1 + n * evidence::mixed_effects;
  const double odds = std::pow(std::sqrt(growth) / alpha, 2 / n);
  return odds < growth ? rounded(std::sqrt(freedom * (odds - 1) / (1 - odds / growth)))
                       : std::numeric_limits<double>::infinity();
}

}  // namespace

void Sample::add(double value, double value_weight) {
  if (value_weight <= 0) return;
  count += 1;
  weight += value_weight;
  const double deviation = value - mean;
  mean += deviation * value_weight / weight;
  squares += value_weight * deviation * (value - mean);
}

void Sample::merge(const Sample& other) {
  if (other.weight <= 0) return;
  if (weight <= 0) {  // its mean stays what it is to the last digit
    *this = other;
    return;
  }
  const double both = weight + other.weight, deviation = other.mean - mean;
  squares += other.squares + deviation * deviation * weight * other.weight / both;
  mean += deviation * other.weight / both;
  count += other.count;
  weight = both;
}

void Sample::fade(double factor) {
  count *= factor;
  weight *= factor;
  squares *= factor;
}

Interval Sample::interval(double alpha) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (count < evidence::fewest_values) return {-infinity, mean, infinity};
  const double t = critical_t(count, alpha);
  if (t == infinity) return {-infinity, mean, infinity};
  const double radius = t * std::sqrt(squares / (count - 1) / weight);
  return {mean - radius, mean, mean + radius};
}

}  // namespace tutti::inline choose
