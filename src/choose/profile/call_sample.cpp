#include "choose/profile/call_sample.hpp"

#include <string_view>

#include "base/quick_hash.hpp"

namespace tutti::inline choose {

// Behind n calls one of n / size is kept, in the mean, so that all are as likely to be in the
// sample.
void CallSample::keep(std::uint64_t took) {
  if (kept_ < times_.size()) {
    times_[kept_++] = took;
    ++next_;
    return;
  }
  const std::uint64_t drawn = quick_hash({reinterpret_cast<const char*>(&next_), sizeof next_});
  times_[drawn % times_.size()] = took;
  const std::uint64_t most = 2 * (next_ / times_.size()) - 1;  // to the next one
  next_ += 1 + drawn / times_.size() % most;
}

}  // namespace tutti::inline choose
