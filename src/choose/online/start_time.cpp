#include "choose/online/start_time.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::inline choose {
namespace {

constexpr int most_to_wait = 100'000;  // calls
constexpr int part_to_wait = 8;        // of those before, at least
constexpr int times_to_wait = 2;       // those before, at most: programs begin with what is over soon

}  // namespace

double seconds_to_run(const LearningRules& rules, double missing) {
  return std::max(0.0, missing) / rules.run_share;
}

double least_class_s(const LearningRules& rules, double opening, double spare) {
  if (!rules.is_bound()) return 0;
  return opening / (opening <= spare ? rules.cost_share : rules.doubtful * rules.cost_share);
}

int calls_to_wait(double lacking, double passed, int calls) {
  const double least = std::clamp(calls / part_to_wait, 1, most_to_wait),
               most = std::clamp<double>(times_to_wait * static_cast<double>(calls), least, most_to_wait);
  return static_cast<int>(passed > 0 ? std::clamp(std::ceil(lacking / passed * calls), least, most) : least);
}

}  // namespace tutti::inline choose
