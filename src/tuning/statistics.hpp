#pragma once

#include <span>

#include "tuning/measurement.hpp"

namespace tutti {

/// The median with its 95 % confidence interval, free of assumptions on the distribution: bounds are order
/// statistics whose ranks follow from the binomial distribution. Fewer than six samples can't give that
/// confidence: the interval is then their whole range. There is at least one sample.
Interval median_interval(std::span<const double> samples);

/// The same of the ratios samples[i] / reference[i], taken in pairs, because machines drift and pairs don't.
Interval ratio_interval(std::span<const double> samples, std::span<const double> reference);

/// Puts what was sampled of a plan into words. Both series are equally long.
Measurement summarize(Collective collective, int ranks, int hosts, std::size_t size, std::string plan,
                      std::span<const double> samples, std::span<const double> native);

}  // namespace tutti
