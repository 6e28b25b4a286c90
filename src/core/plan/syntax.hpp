#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tutti::inline core {

/// The name of what is around a plan whose messages go through memory that ranks of a host share.
inline constexpr std::string_view through_memory = "memory";

/// Plans within each other that a text may have, the outermost counted too: what goes through all
/// of them takes time, and stack, that grow with each level. It was chosen by hand.
inline constexpr int most_nested_plans = 6;

/// A plan's text as a tree: NAME [ "(" arg { "," arg } ")" ] [ "[" plan { "," plan } "]" ], where
/// an arg is a value or key "=" value; or "memory(" plan ")", and likewise for compositions that
/// wrap a plan, which is the only phase then. What the names mean is for `make_plan` to say.
struct PlanSyntax {
  struct Argument {
    std::string key;  ///< empty: a bare value
    std::string value;
    int column;
  };
  std::string name;
  int column;  ///< where the name starts in the text, counted from 1
  std::vector<Argument> arguments;
  std::vector<PlanSyntax> phases;
};

/// Reads a plan's text. Errors carry the column.
Result<PlanSyntax> parse_plan(std::string_view text);

/// "plan 'rong': column 1: what": how every error about a plan reads.
std::string plan_error(std::string_view text, int column, std::string_view what);

}  // namespace tutti::inline core
