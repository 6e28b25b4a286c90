#include "tools/cli/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace tutti::tools {
namespace {

bool plain = false;

bool knows_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const char* value = std::getenv(name); value && *value) {
      const std::string_view locale(value);
      return locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos;
    }
  return false;
}

// In eighths of a character where the terminal has them.
std::string drawn(double share, int width) {
  if (!knows_utf8()) return std::string(static_cast<std::size_t>(std::lround(share * width)), '#');
  constexpr std::array<std::string_view, 8> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto parts = static_cast<std::size_t>(std::lround(share * width * 8));
  std::string text;
  for (std::size_t i = 0; i < parts / 8; ++i) text += "█";
  return text.append(eighths[parts % 8]);
}

}  // namespace

void keep_plain() {
  plain = true;
}

std::string bar(double share, bool good, int width) {
  static const bool terminal = isatty(STDOUT_FILENO) == 1;
  if (plain || !terminal) return "";
  const char* no_color = std::getenv("NO_COLOR");
  const std::string text = drawn(std::clamp(share, 0.0, 1.0), width);
  const bool coloured = good && !(no_color && *no_color);
  return coloured ? fmt::format("  \x1b[32m{}\x1b[0m", text) : fmt::format("  {}", text);
}

}  // namespace tutti::tools
