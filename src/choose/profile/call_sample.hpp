#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "choose/profile/constants.hpp"

namespace tutti::inline choose {

/// What some of a rank's calls took, in any unit: the first ones, then ever fewer, so that they are
/// of the whole run, in place of earlier ones that are drawn. Which calls these are follows from
/// their numbers alone: all ranks that make the same calls keep the same ones, in the same places,
/// and need not speak of it. The very first call, in which much is made ready, is not among them.
class CallSample {
 public:
  /// The time of a call, by its number from 0 on; numbers go up by one.
  void add(std::uint64_t number, std::uint64_t took) {
    if (number == next_) [[unlikely]]
      keep(took);
  }
  std::span<const std::uint64_t> times() const { return {times_.data(), kept_}; }

 private:
  void keep(std::uint64_t took);

  std::uint64_t next_ = 1;  // whose time is kept next
  std::size_t kept_ = 0;
  std::array<std::uint64_t, profile::most_sampled> times_{};
};

}  // namespace tutti::inline choose
