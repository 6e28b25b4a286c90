#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tutti::inline base {

/// A hash of a long text, eight bytes at a time: fnv1a waits for a product at each byte. It is the
/// same on all hosts of one order of bytes, and no protection from those who want two texts to have
/// one.
inline std::uint64_t quick_hash(std::string_view text) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15ULL;  // odd, so that no bit is lost
  std::uint64_t hash = text.size() * factor;
  const auto mix = [&hash](const char* from, std::size_t bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, bytes);
    hash = (hash ^ word) * factor;
    hash ^= hash >> 32;  // a product's low bits depend on few
  };
  for (; text.size() >= sizeof(std::uint64_t); text.remove_prefix(sizeof(std::uint64_t)))
    mix(text.data(), sizeof(std::uint64_t));
  if (!text.empty()) mix(text.data(), text.size());
  return hash;
}

}  // namespace tutti::inline base
