#pragma once

#include <atomic>
#include <cstdint>

namespace tutti::run {

/// Whose turn it is among calls that use something one after the other.
class Turns {
 public:
  /// The number of a call that begins.
  std::uint64_t take() { return taken_++; }
  bool is_turn_of(std::uint64_t number) const { return over_.load(std::memory_order_acquire) == number; }
  /// The one whose turn it was is done.
  void pass_on() { over_.fetch_add(1, std::memory_order_release); }

 private:
  std::atomic<std::uint64_t> taken_ = 0, over_ = 0;
};

}  // namespace tutti::run
