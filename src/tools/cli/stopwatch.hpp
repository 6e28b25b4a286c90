#pragma once

#include <chrono>
#include <functional>

namespace tutti::tools {

/// Seconds since it was made.
inline std::function<double()> stopwatch() {
  const auto begin = std::chrono::steady_clock::now();
  return [begin] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
}

}  // namespace tutti::tools
