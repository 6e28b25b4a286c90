#pragma once

#include <cstddef>

namespace tutti {

/// So many calls, one after the other, by one arm: one of a few ways to carry them out, the first is native.
struct Batch {
  std::size_t arm;
  int calls;
  bool measured = true;
};

/// What all ranks agree that a batch of calls took, in seconds a call.
struct BatchTime {
  double in_call;    ///< averaged over ranks
  double latest;     ///< in the calls, of the rank that spent most
  double period;     ///< from one call to the next, averaged over ranks
  double alone = 0;  ///< in the calls, without waiting for who comes late, as far as can be told; 0: it can't
};

}  // namespace tutti
