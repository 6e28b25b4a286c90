#pragma once

#include <cstddef>

namespace tutti::inline choose {

/// A number of calls in a row by one arm. An arm is one of a few ways to carry out calls; the first
/// is native.
struct Batch {
  std::size_t arm;
  int calls;
  bool measured = true;
  int cycle = 0;  ///< in which it is compared with others
};

/// What all ranks agree that a batch of calls took, in seconds a call.
struct BatchTime {
  double in_call;    ///< averaged over ranks
  double latest;     ///< in the calls, of the rank that spent most
  double period;     ///< from one call to the next, averaged over ranks
  double alone = 0;  ///< in the calls, without waiting for who comes late, as far as can be told; 0: it can't
};

}  // namespace tutti::inline choose
