#include <fmt/format.h>

#include "base/size.hpp"
#include "choose/probing/constants.hpp"
#include "choose/probing/probing.hpp"

namespace tutti::inline choose {

Result<Repetitions> repeat_linear(Collective collective, Measurer& measurer, std::size_t largest,
                                  double budget_s, const ProbeHooks& hooks) {
  const std::vector<Plan> plans{Plan::native(collective), Plan::of(collective, "linear")};
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 1024; bytes <= largest; bytes *= 2) sizes.push_back(bytes);
  Repetitions repetitions;
  for (const std::size_t bytes : sizes) {
    hooks.progress(static_cast<double>(repetitions.size()) / static_cast<double>(sizes.size()),
                   fmt::format("linear {} of {}", name(collective), size_text(bytes)));
    const auto samples = measurer.measure({collective, measurer.site().ranks, bytes}, plans,
                                          {measurer.site().simulated ? 1 : probing::enough_repetitions,
                                           budget_s / static_cast<double>(sizes.size())});
    if (!samples) return tl::unexpected(samples.error());
    // A size that takes too much memory or time is left out, and so would be those beyond it.
    if (samples->seconds[1].empty()) break;
    repetitions[bytes] = samples->seconds[1];
  }
  return repetitions;
}

}  // namespace tutti::inline choose
