#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tutti::inline base {

/// Reads a time, in seconds: a number with one of the units ns, us, ms, s, m (minutes) and h, or
/// without a unit for seconds: "30", "20ms", "2m". Errors: it is no such time, or negative.
Result<double> parse_duration(std::string_view text);

/// "1.23 ms": seconds as a person reads them.
std::string time_text(double seconds);

}  // namespace tutti::inline base
