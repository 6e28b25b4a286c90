#include "cli/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace tutti::cli {

ProgressBar::ProgressBar() : terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressBar::show(const TuningProgress& progress) {
  const double part = std::clamp(progress.elapsed_s / progress.budget_s, 0.0, 1.0);
  const double left = std::max(0.0, progress.budget_s - progress.elapsed_s);
  const std::string state = fmt::format("point {} of {}, at most {:.0f} s left: {}", progress.points_done + 1,
                                        progress.points_known, left, progress.doing);
  if (!terminal_) {
    if (progress.points_done + 1 != shown_point_) fmt::print(stderr, "{}\n", state);
    shown_point_ = progress.points_done + 1;
    return;
  }
  constexpr std::size_t width = 24;
  const auto full = static_cast<std::size_t>(part * width);
  const std::string line =
      fmt::format("[{}{}] {}", std::string(full, '='), std::string(width - full, ' '), state);
  fmt::print(stderr, "\r{}{}", line, std::string(written_ > line.size() ? written_ - line.size() : 0, ' '));
  std::fflush(stderr);
  written_ = line.size();
}

void ProgressBar::clear() {
  if (written_ > 0) fmt::print(stderr, "\r{}\r", std::string(written_, ' '));
  written_ = 0;
}

}  // namespace tutti::cli
