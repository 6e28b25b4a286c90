#include "choose/online/forecast.hpp"

#include <algorithm>

#include "choose/evidence/contrast.hpp"
#include "choose/online/constants.hpp"

namespace tutti::inline choose {
Confidence Forecast::confidence() const {
  const Sample ahead = race_.contrast_of(incumbent_, native_arm);
  const bool little = ahead.count > 0 && ahead.mean > contrast_of_ratio(rules_.much);
  if (race_.gains(incumbent_) && !little) return Confidence::sure;
  for (std::size_t a = 0; a < race_.size(); ++a)
    if (race_.arm(a).active && (race_.surely_less(a, native_arm, rules_.elimination) || is_promising(a)))
      return Confidence::some;
  return Confidence::none;
}

bool Forecast::is_priced(std::size_t arm) const {
  return arm != native_arm && prices_[native_arm] > 0 && prices_[arm] > 0;
}

// Whether an arm's price promises a gain, as long as nothing else is known of it.
bool Forecast::is_promising(std::size_t arm) const {
  return is_priced(arm) && !race_.is_known(arm) && prices_[arm] < rules_.promising * prices_[native_arm];
}

bool Forecast::is_promised(std::size_t arm) const {
  return is_promising(arm) && race_.contrast_of(arm, native_arm).count == 0;
}

double Forecast::more_than(std::size_t arm, std::size_t other) const {
  if (arm == other) return 0;
  if (const auto more = race_.more_than(arm, other, call_)) return *more;
  const auto beside_native = race_.more_than(arm, native_arm, call_),
             others = race_.more_than(other, native_arm, call_);
  if (beside_native && others) return *beside_native - *others;
  // A first call tells little.
  return std::clamp(race_.arm(arm).first_more, 0.0, online::first_guess * call_);
}

double Forecast::excess(std::size_t arm) const {
  return std::max(0.0, more_than(arm, race_.best(incumbent_)));
}

Excess Forecast::of_call(std::size_t arm, std::size_t presumed) const {
  const double worst =
      race_.is_known(arm) ? excess(arm) : std::clamp(race_.arm(arm).first_more, 0.0, worst_of_first());
  return {worst, more_than(arm, presumed)};
}

Excess Forecast::of_first_call(std::size_t arm, std::size_t presumed) const {
  const double guess = online::first_guess * call_, worst = worst_of_first();
  if (!is_priced(arm)) return {worst, std::min(std::max(guess, more_than(arm, presumed)), worst)};
  const double native = prices_[native_arm];
  return {std::clamp(online::mispriced * prices_[arm] - native, std::min(guess, worst), worst),
          std::clamp(prices_[arm] - native, 0.0, worst)};
}

}  // namespace tutti::inline choose
