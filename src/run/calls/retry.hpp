#pragma once

namespace tutti::run {

/// When something is tried again that could not be had: each time after twice as many occasions.
class Retry {
 public:
  /// Whether this is an occasion to try; all ranks come to all of them.
  bool is_due() { return to_pass_-- <= 0; }
  void failed() { to_pass_ = passed_ *= 2; }

 private:
  int to_pass_ = 0, passed_ = 8;
};

}  // namespace tutti::run
