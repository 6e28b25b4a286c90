#pragma once

#include <cstddef>

namespace tutti::run {

/// Who is told what the program waits for calls that return at once.
class HearsWaiting {
 public:
  /// The program has waited so long for one of a batch, which may be over, or asked for it, and for
  /// timed ones `together` in number, with that one.
  virtual void waited(std::size_t batch, double seconds, std::size_t together) = 0;

 protected:
  ~HearsWaiting() = default;
};

}  // namespace tutti::run
