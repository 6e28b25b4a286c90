#pragma once

#include <string>

#include "tools/cli/stopwatch.hpp"

namespace tutti::tools {

/// Shows on standard error where a long measurement stands. On a terminal one line that changes;
/// elsewhere a line when a new stage begins.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar() { clear(); }
  /// `share` is what is done, from 0 to 1; `stage` what it is done of; `state` goes on about it.
  void show(double share, const std::string& stage, const std::string& state);
  /// Shows on a terminal that step `number` of `of` has begun, with the time left by those done.
  void show_step(std::size_t number, std::size_t of, const std::string& what);
  void clear();

 private:
  bool terminal_;
  std::function<double()> clock_ = stopwatch();
  std::size_t written_ = 0;  // characters on the line
  std::string shown_stage_;  // the last one that got its line
};

}  // namespace tutti::tools
