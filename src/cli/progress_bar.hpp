#pragma once

#include <string>

namespace tutti::cli {

/// Shows on standard error where a long measurement stands. On a terminal one line that changes; elsewhere a
/// line when a new stage begins.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar() { clear(); }
  /// `share` is what is done, from 0 to 1; `stage` what it is done of; `state` goes on about it.
  void show(double share, const std::string& stage, const std::string& state);
  void clear();

 private:
  bool terminal_;
  std::size_t written_ = 0;  // characters on the line
  std::string shown_stage_;  // the last one that got its line
};

}  // namespace tutti::cli
