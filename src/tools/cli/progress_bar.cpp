#include "tools/cli/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/duration.hpp"

namespace tutti::tools {

ProgressBar::ProgressBar() : terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressBar::show(double share, const std::string& stage, const std::string& state) {
  if (!terminal_) {
    if (stage != shown_stage_) fmt::print(stderr, "{}{}\n", stage, state);
    shown_stage_ = stage;
    return;
  }
  constexpr std::size_t width = 24;
  const auto full = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * width);
  const std::string line =
      fmt::format("[{}{}] {}{}", std::string(full, '='), std::string(width - full, ' '), stage, state);
  fmt::print(stderr, "\r{}{}", line, std::string(written_ > line.size() ? written_ - line.size() : 0, ' '));
  std::fflush(stderr);
  written_ = line.size();
}

void ProgressBar::show_step(std::size_t number, std::size_t of, const std::string& what) {
  if (!terminal_) return;
  const auto done = static_cast<double>(number), all = static_cast<double>(of);
  const std::string left =
      number == 0 ? "" : fmt::format(", about {} left", time_text(clock_() / done * (all - done)));
  show(done / all, what, left);
}

void ProgressBar::clear() {
  if (written_ > 0) fmt::print(stderr, "\r{}\r", std::string(written_, ' '));
  written_ = 0;
}

}  // namespace tutti::tools
