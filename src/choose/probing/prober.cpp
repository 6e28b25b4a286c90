#include "choose/probing/prober.hpp"

#include <algorithm>
#include <array>

namespace tutti::inline choose {
namespace {

constexpr std::array<std::string_view, 12> names{"round_trip", "in_memory",  "there",        "burst",
                                                 "both_ways",  "send_call",  "receive_call", "late_receiver",
                                                 "one_to_all", "all_to_one", "all_to_all",   "crossing"};

}  // namespace

std::string_view name(Experiment experiment) {
  return names[static_cast<std::size_t>(experiment)];
}

std::optional<Experiment> experiment_named(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Experiment>(found - names.begin());
}

}  // namespace tutti::inline choose
