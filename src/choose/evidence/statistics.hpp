#pragma once

#include <span>
#include <vector>

#include "choose/evidence/measurement.hpp"

namespace tutti::inline choose {

/// The median with its 95 % confidence interval, free of assumptions on the distribution: bounds
/// are order statistics whose ranks follow from the binomial distribution. Fewer than six samples
/// can't give that confidence: the interval is then their whole range. There is at least one
/// sample.
Interval median_interval(std::span<const double> samples);

/// The median of the ratios samples[i] / reference[i] with its 95 % confidence interval: taken in
/// pairs, because machines drift and pairs don't.
Interval ratio_interval(std::span<const double> samples, std::span<const double> reference);

/// Whether samples of times fall into two groups that no distribution with one mode explains: each
/// at least a tenth of them, at least a factor of two apart, and far apart beside what each
/// scatters. Source: Ashman, Bird, Zepf, Detecting bimodality in astronomical datasets, 1994 (the
/// distance).
bool have_two_modes(std::span<const double> samples);

/// The times, by ascending size, that stand in the way of a curve that grows with the size: the
/// fewest without which none is more than twice as long as a later one.
std::vector<std::size_t> unexplained(std::span<const double> times);

/// The geometric mean of ratios; 1 where there are none.
double geometric_mean(std::span<const double> ratios);

/// Puts what was sampled of a plan into words. Both series are equally long.
Measurement summarize(Collective collective, int ranks, int hosts, std::size_t size, std::string plan,
                      std::span<const double> samples, std::span<const double> native);

/// How far apart two sizes are, in factors of two.
double doublings_between(std::size_t a, std::size_t b);

}  // namespace tutti::inline choose
