// Hashes of long texts: any byte and any length counts.

#include "base/quick_hash.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

namespace tutti {
namespace {

TEST(QuickHash, DiffersByEachByteAndByLength) {
  std::set<std::uint64_t> seen;
  std::size_t texts = 0;
  const auto see = [&](const std::string& text) {
    seen.insert(quick_hash(text));
    ++texts;
    EXPECT_EQ(quick_hash(text), quick_hash(std::string(text)));
  };
  for (std::size_t length = 0; length < 40; ++length) {
    const std::string text(length, '\0');
    see(text);
    for (std::size_t at = 0; at < length; ++at)
      for (const char other : {'\1', '\x80', '\xff'}) {
        std::string changed = text;
        changed[at] = other;
        see(changed);
      }
  }
  EXPECT_EQ(seen.size(), texts);
}

}  // namespace
}  // namespace tutti
