#include "choose/online/start_delay.hpp"

#include <cmath>

#include "choose/online/constants.hpp"

namespace tutti::inline choose {
int StartDelay::calls_to_pass(const LearningRules& rules, double missing, double now) const {
  return calls_to_wait(missing / rules.run_share, now - made_at_, calls_);
}

ClassStartDelay::ClassStartDelay(int hosts, std::size_t bytes)
    : large_(hosts > 1 && bytes >= online::large_bytes) {}

void ClassStartDelay::took(double seconds) {
  in_timed_ += seconds;
  shortest_ = std::min(shortest_, seconds);
}

int ClassStartDelay::answer(double taken, double enough, double shortest, double asking) {
  asking_ = asking;
  alone_ = std::isfinite(shortest) ? shortest : 0;
  return calls_to_wait(enough - taken, taken, calls_);
}

int ClassStartDelay::hear(int timed, double longest, double shortest, double enough) {
  timed_ += timed;
  in_timed_ += longest;
  shortest_ = std::min(shortest_, shortest / timed);
  return answer(taken(), enough, shortest_, 0.0);
}

bool ClassStartDelay::looks_early() const {
  return large_ && calls_ < online::early_looks && calls_ % 2 == 0;
}

double least_class_s(const LearningRules& rules, double opening, double spare) {
  if (!rules.is_bound()) return 0;
  return opening / (opening <= spare ? rules.cost_share : rules.doubtful * rules.cost_share);
}

double times_kept(double untried_s, double write_s, double draw) {
  const double pays_for = LearningRules{}.run_share * untried_s;
  if (pays_for >= write_s) return 1;
  return draw * write_s < pays_for ? write_s / pays_for : 0;
}

int calls_to_wait(double lacking, double passed, int calls) {
  if (!(lacking > 0)) return 0;
  const double least = std::clamp(calls / online::part_to_wait, 1, online::most_to_wait),
               most = std::clamp<double>(online::times_to_wait * static_cast<double>(calls), least,
                                         online::most_to_wait);
  return static_cast<int>(passed > 0 ? std::clamp(std::ceil(lacking / passed * calls), least, most) : least);
}

}  // namespace tutti::inline choose
