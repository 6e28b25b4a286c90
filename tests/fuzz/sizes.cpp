// Sizes: what is accepted says itself again.

#include "base/size.hpp"
#include "fuzz.hpp"

void try_text(const std::string& text) {
  using namespace tutti;
  const auto size = parse_size(text);
  if (!size) return require(!size.error().message.empty());
  const auto again = parse_size(size_text(*size));
  require(again && *again == *size);
}
