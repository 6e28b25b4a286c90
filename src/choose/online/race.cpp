#include "choose/online/race.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "choose/evidence/contrast.hpp"
#include "choose/evidence/statistics.hpp"
#include "choose/online/constants.hpp"

namespace tutti::inline choose {
Race::Race(const LearningRules& rules, std::size_t arms)
    : rules_(rules), arms_(arms), pairs_(arms * arms), news_(arms), news_of_pairs_(arms * arms) {}

void Race::assume(Comparison known) {
  Sample& contrasts = known.contrasts;
  if (known.arm == known.other || contrasts.count <= 0) return;
  contrasts.fade(std::min(1.0, online::most_assumed / contrasts.count));
  // Values of long batches weigh no more than a program's first, which are of single calls.
  const double lighter = std::min(1.0, online::most_assumed / contrasts.weight);
  contrasts.weight *= lighter;
  contrasts.squares *= lighter;
  if (known.arm > known.other) {
    std::swap(known.arm, known.other);
    contrasts.mean = -contrasts.mean;
  }
  pair(known.arm, known.other).assumed = contrasts;
}

void Race::open(std::span<const Batch> batches, std::span<const BatchTime> times) {
  for (const BatchTime& time : times) between_calls_.add(time.period - time.in_call);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    arms_[batches[i].arm].introduced = true;
    tell(batches[i].arm, batches[i].calls, times[i]);
  }
}

// What lies behind a single call counts as far as it usually scatters less than a call takes. The
// call counts for no more than what it took longer without waiting for who came late, for that may
// be what made it long.
double Race::introduce(std::span<const Batch> both, std::span<const BatchTime> times, double call_s) {
  const BatchTime &other = times.front(), &first = times.back();
  between_calls_.add(other.period - other.in_call);
  const double call = (other.in_call + first.in_call) / 2,
               scatter = between_calls_.squares / between_calls_.weight;
  const double share = call > 0 ? call * call / (call * call + scatter) : 0;
  const double moved = (first.period - first.in_call) - (other.period - other.in_call);
  Arm& arm = arms_[both.back().arm];
  arm.introduced = true;
  arm.first_more = first.in_call - other.in_call + share * moved;
  if (first.alone > 0 && other.alone > 0)
    arm.first_more = std::min(arm.first_more, first.alone - other.alone);
  if (both.back().arm != native_arm &&
      arm.first_more > (rules_.hopeless - 1) * call_s + rules_.connecting_s) {
    arm.hopeless = true, arm.active = false;
    // There will be no other calls of this arm, and others should not have to try.
    const std::size_t a = both.front().arm, b = both.back().arm;
    tell(b, 1, first);
    if (a < b)
      news(a, b).add(other, first, 1);
    else
      news(b, a).add(first, other, 1);
  }
  return arm.first_more;
}

void Race::tell(std::size_t arm, int calls, const BatchTime& time) {
  news_[arm].calls += calls;
  news_[arm].seconds.add(time.in_call, calls);
}

void Race::Contrasts::add(const BatchTime& first, const BatchTime& second, int calls) {
  in_call.add(contrast(first.in_call, second.in_call), calls);
  period.add(contrast(first.period, second.period), calls);
}

// Compares every two arms within each cycle.
void Race::compare(std::span<const Batch> batches, std::span<const BatchTime> times, std::size_t a_cycle) {
  for (std::size_t begin = 0; begin < batches.size(); begin += a_cycle) {
    for (std::size_t i = begin; i < begin + a_cycle; ++i) {
      const std::size_t a = batches[i].arm;
      const int calls = batches[i].calls;
      const BatchTime& mine = times[i];
      Arm& arm = arms_[a];
      arm.seconds.add(mine.in_call, calls);
      if (arm.recent.size() == online::most_recent) arm.recent.erase(arm.recent.begin());
      arm.recent.push_back(mine.in_call);
      tell(a, calls, mine);
      for (std::size_t j = begin; j < begin + a_cycle; ++j) {
        const std::size_t b = batches[j].arm;
        const BatchTime& other = times[j];
        if (a >= b) continue;
        Pair& both = pair(a, b);
        both.contrasts.add(mine, other, calls);
        news(a, b).add(mine, other, calls);
        both.between.add(mine.period - mine.in_call - (other.period - other.in_call), calls);
        both.calls += calls;
        both.in_call_s += calls * (mine.in_call - other.in_call);
        both.period_s += calls * (mine.period - other.period);
        both.latest_s += calls * std::max(mine.latest, other.latest);
      }
    }
  }
}

// Whether an arm takes three times as long as native, in calls and from call to call.
bool Race::is_hopeless(std::size_t arm) const {
  const Pair& both = pair(native_arm, arm);
  if (arm == native_arm || both.contrasts.in_call.count < 1) return false;
  const double tolerated = (rules_.hopeless - 1) * arms_[native_arm].seconds.mean * both.calls;
  return std::max(both.in_call_s, both.period_s) < -tolerated;
}

void Race::eliminate(std::size_t kept, double margin) {
  const std::size_t leader = best(kept);
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    Arm& arm = arms_[a];
    if (!arm.active || a == leader) continue;
    if (is_hopeless(a))
      arm.hopeless = true, arm.active = false;
    else if (contrast_of(a, leader).mean >= margin &&
             surely_less(leader, a, a == native_arm || a == kept ? rules_.choice : rules_.elimination))
      arm.active = false;
  }
}

void Race::Pair::fade(double factor) {
  for (Sample* known : {&assumed, &contrasts.in_call, &contrasts.period, &between}) known->fade(factor);
}

// Whether what lies between calls scatters less than a call takes, or surely differs.
bool Race::Pair::goes_by_period(double alpha) const {
  const Interval bounds = between.interval(alpha);
  if (bounds.low > 0 || bounds.high < 0) return true;
  const double call = latest_s / calls;
  return between.count > 1 && between.squares / (between.count - 1) < call * call;
}

// The arms' difference, in seconds: what lies between calls counts as far as it is surely there.
double Race::Pair::seconds() const {
  if (between.count < 2) return in_call_s;
  const double freedom = between.count - 1, square = between.mean * between.mean;
  const double noise = 4 * (1 + 8 / (freedom * freedom)) * between.squares / freedom / between.weight;
  const double share = square > 0 ? std::max(0.0, 1 - noise / square) : 0;
  return in_call_s + share * (period_s - in_call_s);
}

void Race::fade(double factor) {
  for (Pair& known : pairs_) known.fade(factor);
  for (Arm& arm : arms_) arm.seconds.fade(factor);
}

void Race::begin_anew() {
  pairs_.assign(pairs_.size(), {});
  for (Arm& arm : arms_) {
    arm.active = !arm.hopeless;
    arm.seconds = {};
    arm.recent.clear();
  }
}

void Race::forget_recent() {
  for (Arm& arm : arms_) arm.recent.clear();
}

bool Race::goes_by_period(std::size_t a, std::size_t b) const {
  return pair(std::min(a, b), std::max(a, b)).goes_by_period(rules_.moving);
}

Sample Race::contrast_of(std::size_t a, std::size_t b, bool by_period) const {
  const Pair& both = pair(std::min(a, b), std::max(a, b));
  Sample known = both.assumed;
  known.merge(by_period ? both.contrasts.period : both.contrasts.in_call);
  if (a > b) known.mean = -known.mean;
  return known;
}

// The difference of all calls of the first arm's time and the second's.
double Race::difference(std::size_t a, std::size_t b) const {
  const Pair& both = pair(std::min(a, b), std::max(a, b));
  return a <= b ? both.seconds() : -both.seconds();
}

std::optional<double> Race::more_than(std::size_t a, std::size_t b, double call) const {
  const Pair& both = pair(std::min(a, b), std::max(a, b));
  if (both.contrasts.in_call.count > 0) return difference(a, b) / both.calls;
  if (both.assumed.count > 0) return call * (ratio_of_contrast(contrast_of(a, b).mean) - 1);
  return std::nullopt;
}

Interval Race::ratio_to_native(std::size_t arm) const {
  return ratio_of_contrast(contrast_of(arm, native_arm).interval(rules_.choice));
}

bool Race::is_compared_with_native(std::size_t arm) const {
  return arm == native_arm || std::isfinite(ratio_to_native(arm).high);
}

std::vector<std::size_t> Race::strangers() const {
  std::vector<std::size_t> arms;
  for (std::size_t a = 0; a < arms_.size(); ++a)
    if (!arms_[a].introduced) arms.push_back(a);
  return arms;
}

std::vector<std::size_t> Race::active() const {
  std::vector<std::size_t> arms;
  for (std::size_t a = 0; a < arms_.size(); ++a)
    if (arms_[a].active && arms_[a].introduced) arms.push_back(a);
  return arms;
}

std::size_t Race::best(std::size_t incumbent) const {
  const auto arms = active();
  std::size_t leader = arms.empty() || arms_[incumbent].active ? incumbent : arms.front();
  double least = 0;
  for (const std::size_t a : arms) {
    double ahead = 0;
    for (const std::size_t b : arms) ahead += a == b ? 0 : contrast_of(a, b).mean;
    if (ahead < least) {
      least = ahead;
      leader = a;
    }
  }
  return leader;
}

// Native leaves the race when an arm surely takes less, and that arm when another does; what is
// ahead of one that gains does as well, unless it was itself seen to take longer than native.
bool Race::gains(std::size_t arm) const {
  std::vector<bool> gain(arms_.size());
  for (std::size_t a = 1; a < arms_.size(); ++a) gain[a] = surely_less(a, native_arm, rules_.choice);
  const auto follows = [&](std::size_t a) {
    if (surely_less(native_arm, a, rules_.elimination)) return false;
    for (std::size_t b = 1; b < arms_.size(); ++b)
      if (gain[b] && a != b && contrast_of(a, b).count > 0 && contrast_of(a, b).mean <= 0) return true;
    return false;
  };
  for (bool more = true; more && !gain[arm];) {
    more = false;
    for (std::size_t a = 1; a < arms_.size(); ++a)
      if (!gain[a] && follows(a)) gain[a] = more = true;
  }
  return gain[arm];
}

bool Race::loses(std::size_t arm) const {
  return arm != native_arm && (arms_[arm].hopeless || surely_less(native_arm, arm, rules_.choice));
}

bool Race::has_two_modes(std::size_t arm) const {
  return have_two_modes(arms_[arm].recent);
}

double Race::net_cost_beside(std::size_t arm) const {
  double seconds = 0;
  for (std::size_t a = 0; a < arms_.size(); ++a) seconds += difference(a, arm);
  return seconds;
}

double Race::cost_beside(std::size_t arm) const {
  double seconds = 0;
  for (std::size_t a = 0; a < arms_.size(); ++a) seconds += std::max(0.0, difference(a, arm));
  return seconds;
}

Evidence Race::take_news(std::size_t arm) {
  Evidence evidence = std::exchange(news_[arm], {});
  if (arm != native_arm) evidence.against_native = take_news(arm, native_arm);
  return evidence;
}

Sample Race::take_news(std::size_t arm, std::size_t other) {
  const Contrasts taken = std::exchange(news(std::min(arm, other), std::max(arm, other)), {});
  Sample contrasts = goes_by_period(arm, other) ? taken.period : taken.in_call;
  if (arm > other) contrasts.mean = -contrasts.mean;
  return contrasts;
}

}  // namespace tutti::inline choose
