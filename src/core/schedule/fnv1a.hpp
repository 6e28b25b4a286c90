#pragma once

#include <cstdint>
#include <string_view>

namespace tutti::inline core {

/// A hash of a text that is the same everywhere: FNV-1a of 64 bits.
inline std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace tutti::inline core
