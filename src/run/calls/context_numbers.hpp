#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "run/calls/constants.hpp"

namespace tutti::run {

/// Numbers of contexts as ranks tell them to each other, as bits: those that all have remain where
/// words are combined by MPI_BAND.
struct ContextNumbers {
  std::array<std::uint64_t, calls::most_contexts / 64> words{};

  void add(int number) { words[static_cast<std::size_t>(number) / 64] |= std::uint64_t{1} << number % 64; }
  bool has(int number) const { return words[static_cast<std::size_t>(number) / 64] >> number % 64 & 1; }
};

}  // namespace tutti::run
