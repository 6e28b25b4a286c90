#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tutti::inline base {

/// Reads "5%", a share of 0.05; nothing where it is no such text, or not within 0 and 100 percent.
std::optional<double> parse_share(std::string_view text);

/// "5 %", or with a digit behind the point "5.0 %": a share as a person reads it.
std::string share_text(double share, int digits = 0);

}  // namespace tutti::inline base
