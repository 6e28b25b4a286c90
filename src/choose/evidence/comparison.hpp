#pragma once

#include <cstddef>

#include "choose/evidence/sample.hpp"

namespace tutti::inline choose {

/// How two ways to carry out a class of calls compare, by their numbers; the first is native.
struct Comparison {
  std::size_t arm, other;
  Sample contrasts;  ///< of the arm's times with the other's, taken in turn
  friend bool operator==(const Comparison&, const Comparison&) = default;
};

}  // namespace tutti::inline choose
