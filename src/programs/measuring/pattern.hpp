#pragma once

#include <cstddef>

#include "core/schedule/schedule.hpp"

namespace tutti::run {

/// Byte i of the block that `from` sends as its `which`-th: differs between neighbours in all
/// three.
inline unsigned char pattern(Rank from, int which, std::size_t i) {
  return static_cast<unsigned char>(static_cast<std::size_t>(from) * 7 +
                                    static_cast<std::size_t>(which) * 31 + i * 13 + i / 251);
}

/// Puts such a block there, or says whether it is there.
/// @{
inline void fill_pattern(unsigned char* bytes, std::size_t size, Rank from, int which) {
  for (std::size_t i = 0; i < size; ++i) bytes[i] = pattern(from, which, i);
}
inline bool holds_pattern(const unsigned char* bytes, std::size_t size, Rank from, int which) {
  for (std::size_t i = 0; i < size; ++i)
    if (bytes[i] != pattern(from, which, i)) return false;
  return true;
}
/// @}

}  // namespace tutti::run
