#pragma once

#include "tuning/tuner.hpp"

namespace tutti::cli {

/// Shows on standard error where tuning stands: what is being measured and the time left. On a terminal one
/// line that changes; elsewhere a line a point.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar() { clear(); }
  void show(const TuningProgress& progress);
  void clear();

 private:
  bool terminal_;
  std::size_t written_ = 0;      // characters on the line
  std::size_t shown_point_ = 0;  // the last one that got its line
};

}  // namespace tutti::cli
