#pragma once

#include <cstddef>

namespace tutti::run {

/// Who is told what the program waits for calls that return at once.
class HearsWaiting {
 public:
  /// The program has waited so long for calls of a batch, which may be over, or asked for them;
  /// `share` of the timed ones that it waited for together are of the batch.
  virtual void waited(std::size_t batch, double seconds, double share) = 0;

 protected:
  ~HearsWaiting() = default;
};

}  // namespace tutti::run
