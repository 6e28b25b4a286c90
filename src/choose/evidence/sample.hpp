#pragma once

#include "choose/evidence/measurement.hpp"

namespace tutti::inline choose {

/// What was seen of a quantity, each value with a weight: how many calls it is the mean of. Two of
/// them can be put together, and fade. Source: West, Updating mean and variance estimates, 1979;
/// Chan, Golub, LeVeque, Updating formulae and a pairwise algorithm for computing sample variances,
/// 1982.
struct Sample {
  double count = 0;   ///< of values
  double weight = 0;  ///< of all of them
  double mean = 0;
  double squares = 0;  ///< weighted, of the deviations from the mean

  void add(double value, double value_weight = 1);
  void merge(const Sample& other);
  /// Makes what was seen so far count for less, by a factor below one.
  void fade(double factor);

  /// An interval that holds the mean, with error probability `alpha` at all times together: it may
  /// be asked for after every value, and what is concluded may decide whether more are taken. Minus
  /// to plus infinity while there are too few values.
  ///
  /// The values that have come are those of a normal distribution whose spread nobody knows, or
  /// means of many. Source: Gönen et al., The Bayesian two-sample t test, 2005 (the mixture);
  /// Pérez-Ortiz et al., E-statistics, group invariance and anytime-valid testing, 2024 (why it may
  /// be asked at any time).
  Interval interval(double alpha) const;

  friend bool operator==(const Sample&, const Sample&) = default;
};

}  // namespace tutti::inline choose
