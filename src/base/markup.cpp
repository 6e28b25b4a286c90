#include "base/markup.hpp"

namespace tutti::inline base {

std::string escaped(const std::string& plain) {
  std::string text;
  for (const char c : plain)
    text += c == '<'   ? "&lt;"
            : c == '>' ? "&gt;"
            : c == '&' ? "&amp;"
            : c == '"' ? "&quot;"
                       : std::string(1, c);
  return text;
}

}  // namespace tutti::inline base
