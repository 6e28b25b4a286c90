#pragma once

#include <string>

#include "core/algorithms/algorithm.hpp"

namespace tutti::inline core {

/// An algorithm's closed form with its default arguments as a formula in the bytes n, the ranks p,
/// the latency α, the time β a byte on a link, and the time γ a byte to combine, such as
/// "⌈log₂ p⌉ α + (p - 1)/p n β"; with "on powers of two" where it holds for these only. Empty where
/// the literature has none, or none in these terms.
std::string closed_form(const Algorithm& algorithm);

}  // namespace tutti::inline core
