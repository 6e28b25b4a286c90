#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/network/network.hpp"
#include "core/plan/plan.hpp"

namespace tutti::inline core {

/// What a plan costs on more ranks than are worth simulating, told from fewer.
struct SampledPrice {
  double seconds;
  double error;            ///< relative: how far curves that explain the samples about as well disagree
  std::vector<int> ranks;  ///< that were simulated, ascending
};

/// The price of a plan for `size` bytes (CollectiveTraits::size_means) on a network by hosts whose
/// ranks are too many: it is simulated on ever fewer of the hosts, each time on all their ranks,
/// with at most `most_operations` operations, and a function of the ranks fitted to that. Nothing
/// where links are not by hosts, where the plan is of this very number of ranks or computed for the
/// network, or where too few samples are small enough.
std::optional<SampledPrice> sampled_price(const Plan& plan, int ranks, std::size_t size,
                                          const Network& network, std::size_t most_operations = 1'000'000);

}  // namespace tutti::inline core
