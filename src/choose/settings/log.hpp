#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace tutti::inline choose {

enum class LogLevel { error, warn, info, debug };

/// The level from TUTTI_LOG, and whether this process speaks for all (rank 0 of MPI_COMM_WORLD).
struct Log {
  LogLevel level = LogLevel::warn;
  bool speaker = false;

  /// One line on standard error, "tutti: …", if this process is the speaker and the level is on.
  template <typename... Args>
  void say(LogLevel importance, fmt::format_string<Args...> format, Args&&... args) const {
    if (speaker && importance <= level)
      print("tutti: " + fmt::format(format, std::forward<Args>(args)...) + "\n");
  }

  static void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  }
};

}  // namespace tutti::inline choose
