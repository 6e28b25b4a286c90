#include "learning/trial.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "learning/contrast.hpp"
#include "tuning/statistics.hpp"

namespace tutti {
namespace {

constexpr std::size_t native = 0;
constexpr int opening_calls = 2;
constexpr int cycles_a_round = 6, most_cycles = 32, most_rounds = 9;
constexpr int cycles_with_strangers = 2;
constexpr std::size_t field = 4;  // arms that are compared at a time, others wait until some are gone
constexpr int long_race = 4;      // rounds, after which they wait no longer
constexpr int longest_stint = 8;  // calls
constexpr double longest_stint_s = 0.020;                 // unless it is one call
constexpr int least_saving = 4, longest_saving = 10'000;  // calls
constexpr double caution = 2;                             // costs are estimates
constexpr double most_assumed = 12;                       // cycles
constexpr std::size_t most_recent = 64;
constexpr double first_guess = 1.2;     // of the presumed arm's time, for another
constexpr double least_of_call = 0.05;  // of the time in a call, that it may seem to take
constexpr double worthwhile = 0.005;    // contrast: less is no reason to go on
constexpr int doubting_cycles = 4;
constexpr double fading = 0.95;  // of what was known, at each check
constexpr int never = 1'000'000'000;

}  // namespace

Trial::Trial(const LearningRules& rules, std::size_t arms, std::size_t presumed, std::uint64_t seed)
    : rules_(rules),
      arms_(arms),
      news_(arms),
      pairs_(arms * arms),
      presumed_(presumed),
      incumbent_(presumed),
      stints_{{presumed, 1, false}, {presumed, opening_calls, true}},
      random_(seed) {
  if (arms == 1) {
    stints_ = {{native, never, false}};
    state_ = State::settled;
  }
}

void Trial::assume(std::size_t arm, Sample against_native) {
  if (arm == native || against_native.count <= 0) return;
  against_native.fade(std::min(1.0, most_assumed / against_native.count));
  arms_[arm].against_native[static_cast<std::size_t>(rules_.judgement)] = against_native;
  against_native.mean = -against_native.mean;
  pair(native, arm) = against_native;
}

void Trial::conclude(std::span<const StintTime> given, double spare_s) {
  spare_ = spare_s;
  reserved_ = 0;
  const std::vector<StintTime> times = with_what_is_moved(given);
  account(times);
  switch (state_) {
    case State::opening:
      arms_[presumed_].introduced = true;
      return next();
    case State::introducing:
      meet(times);
      return next();
    case State::comparing:
      compare(times);
      eliminate();
      return next();
    case State::saving:
      return next();
    case State::settled:
      return check();
    case State::checking:
      return judge_check(times);
  }
}

// What a plan takes is the time in a call and what it moves out of it, into what lies between calls. That
// differs from stint to stint anyway, as computing and calls of others do: it counts as far as it scatters
// less from stint to stint of an arm than a call takes, beside what lies between in the typical stint of the
// cycle. Of first calls, of which there is no cycle, it does not count.
std::vector<StintTime> Trial::with_what_is_moved(std::span<const StintTime> times) {
  std::vector<StintTime> effective(times.begin(), times.end());
  if (state_ == State::introducing) {
    for (StintTime& time : effective) time.period = time.in_call;
    return effective;
  }
  std::size_t measured = 0;
  for (std::size_t begin = 0; begin < effective.size(); begin += per_cycle_) {
    const std::span cycle(effective.begin() + static_cast<std::ptrdiff_t>(begin), per_cycle_);
    double in_call = 0;
    std::vector<double> between;
    for (const StintTime& time : cycle) {
      in_call += time.in_call / static_cast<double>(per_cycle_);
      between.push_back(time.period - time.in_call);
    }
    const auto middle = between.begin() + static_cast<std::ptrdiff_t>((between.size() - 1) / 2);
    std::nth_element(between.begin(), middle, between.end());
    const double typical = *middle;
    double squares = 0, freedom = 0;
    for (StintTime& time : cycle) {
      while (!stints_[measured].measured) ++measured;
      Arm& arm = arms_[stints_[measured++].arm];
      time.period -= time.in_call + typical;
      arm.moved.add(time.period);
    }
    for (const Arm& arm : arms_) {
      squares += arm.moved.squares;
      freedom += std::max(0.0, arm.moved.count - 1);
    }
    const double scatter = freedom > 0 ? squares / freedom : 0;
    const double share = in_call > 0 ? in_call * in_call / (in_call * in_call + scatter) : 0;
    for (StintTime& time : cycle)
      time.period = std::max(time.in_call + share * time.period, least_of_call * time.in_call);
  }
  return effective;
}

// Time and cost of what has run. What an arm took longer than the best one is what its experiments cost.
void Trial::account(std::span<const StintTime> times) {
  std::size_t next_time = 0;
  std::vector<double> calls(arms_.size());
  for (const Stint& stint : stints_) {
    if (!stint.measured) {
      seconds_ += stint.calls * mean_time(stint.arm);
      arms_[stint.arm].calls += stint.calls;
      continue;
    }
    const StintTime& time = times[next_time++];
    seconds_ += stint.calls * time.in_call;
    calls[stint.arm] += stint.calls;
    Arm& arm = arms_[stint.arm];
    arm.calls += stint.calls;
    if (state_ == State::introducing) continue;
    arm.seconds.add(time.by(rules_.judgement), stint.calls);
    if (arm.recent.size() == most_recent) arm.recent.erase(arm.recent.begin());
    arm.recent.push_back(time.by(rules_.judgement));
    news_[stint.arm].calls += stint.calls;
    news_[stint.arm].seconds.add(time.by(rules_.judgement), stint.calls);
  }
  if (state_ == State::opening) return;
  if (state_ == State::introducing) {
    // Calls take longer or shorter for many reasons: what is over is taken off what is under.
    double more = 0;
    for (const StintTime& time : times) more += time.by(rules_.judgement) - mean_time(best());
    cost_ += std::max(0.0, more);
    experiments_ += static_cast<double>(times.size());
    return;
  }
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    experiments_ += calls[a];
    if (calls[a] > 0) cost_ += calls[a] * excess(a);
  }
}

// The contrasts of every two arms within each cycle.
void Trial::compare(std::span<const StintTime> times) {
  for (std::size_t begin = 0; begin < stints_.size(); begin += per_cycle_)
    for (std::size_t i = begin; i < begin + per_cycle_; ++i)
      for (std::size_t j = begin; j < begin + per_cycle_; ++j) {
        const std::size_t a = stints_[i].arm, b = stints_[j].arm;
        const int weight = stints_[i].calls;
        const auto by = [&](Judgement judgement) {
          return contrast(times[i].by(judgement), times[j].by(judgement));
        };
        if (a < b) pair(a, b).add(by(rules_.judgement), weight);
        if (a == native || b != native) continue;
        for (const Judgement judgement : judgements)
          arms_[a].against_native[static_cast<std::size_t>(judgement)].add(by(judgement), weight);
        news_[a].against_native.add(by(rules_.judgement), weight);
      }
}

// First calls; arms that are hopeless make no second.
void Trial::meet(std::span<const StintTime> times) {
  for (std::size_t i = 0; i < stints_.size(); ++i) {
    Arm& arm = arms_[stints_[i].arm];
    arm.introduced = true;
    arm.first_s = times[i].in_call;
    if (stints_[i].arm != native &&
        arm.first_s > rules_.hopeless * mean_time(presumed_) + rules_.connecting_s)
      arm.hopeless = true, arm.active = false;
  }
}

void Trial::next() {
  if (introduce()) return;
  const bool all = std::all_of(arms_.begin(), arms_.end(), [](const Arm& a) { return a.introduced; });
  if (all && is_decided()) return;
  if (active().size() > 1 && compare_more()) return;
  save();
}

// First calls of as many arms as there is room for in the field, and allowance, were each as slow as is
// tolerated.
bool Trial::introduce() {
  const double each = caution * worst_first_excess();
  double left = hope() > 0 ? balance() : 0;
  const std::size_t racing = active().size();
  stints_.clear();
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    const bool room = racing + stints_.size() < field || rounds_ >= long_race;
    if (arms_[a].introduced || left < each || !room) continue;
    left -= each;
    reserved_ += each / caution;
    stints_.push_back({a, 1, true});
  }
  state_ = State::introducing;
  return !stints_.empty();
}

// A round of cycles: longer stints from round to round, then more cycles.
bool Trial::compare_more() {
  const int most_calls = std::min(1 << std::min(rounds_, 8), longest_stint);
  const auto arms = affordable();
  if (arms.size() < 2) return false;
  double longest = 0, expected = 0, worst = 0;
  for (const std::size_t a : arms) {
    longest = std::max(longest, mean_time(a));
    expected += excess(a);
    worst += worst_excess(a);
  }
  int calls = most_calls;
  int count = std::min(cycles_a_round << std::max(0, rounds_ - 3), most_cycles);
  // Of an arm that made but its first call, a little first.
  if (std::any_of(arms.begin(), arms.end(), [this](auto a) { return arms_[a].seconds.count == 0; }))
    count = std::min(count, cycles_with_strangers);
  if (longest > 0) calls = std::clamp(static_cast<int>(longest_stint_s / longest), 1, calls);
  if (worst > 0) {
    const double of_hope = expected > 0 ? hope() / expected : most_cycles * longest_stint;
    const double affordable_calls = std::min(of_hope, balance() / (caution * worst));
    calls = std::clamp(static_cast<int>(affordable_calls / count), 1, calls);
    count = std::min(count, static_cast<int>(affordable_calls / calls));
  }
  if (count < 1) return false;
  reserved_ = worst * calls * count;
  cycles(arms, count, calls);
  state_ = State::comparing;
  ++rounds_;
  return true;
}

// The leader, native, and those that are expected to cost least, as far as a call of each can be afforded.
std::vector<std::size_t> Trial::affordable() const {
  auto arms = active();
  const std::size_t leader = best();
  const auto needed = [&](std::size_t a) { return a == leader || a == native; };
  std::sort(arms.begin(), arms.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(!needed(a), excess(a), a) < std::tuple(!needed(b), excess(b), b);
  });
  double left = hope();
  std::size_t count = 0;
  while (count < arms.size() && excess(arms[count]) <= left) left -= excess(arms[count++]);
  arms.resize(count);
  return arms;
}

// Until there is allowance for an arm's first call, or for a cycle of those in the race.
void Trial::save() {
  const auto arms = active();
  const bool room = arms.size() < field || rounds_ >= long_race;
  const bool waiting =
      room && std::any_of(arms_.begin(), arms_.end(), [](const Arm& arm) { return !arm.introduced; });
  double cycle = 0;
  for (const std::size_t a : arms) cycle += excess(a);
  const double a_call = rules_.cost_share * mean_time(incumbent_);
  double calls = longest_saving;
  if (a_call > 0) {
    if (waiting) calls = (caution * worst_first_excess() - balance()) / a_call;
    if (arms.size() > 1) calls = std::min(calls, (cycle - hope()) / (rules_.hope * a_call));
  }
  stints_ = {{incumbent_,
              static_cast<int>(std::clamp<double>(std::ceil(calls), least_saving, longest_saving)), false}};
  state_ = State::saving;
}

// Arms that surely take longer than the best one, and those that are hopeless.
void Trial::eliminate() {
  const std::size_t leader = best();
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    Arm& arm = arms_[a];
    if (!arm.active || a == leader) continue;
    if (a != native && arm.seconds.count > 0 && arms_[native].seconds.count > 0 &&
        mean_time(a) > rules_.hopeless * mean_time(native))
      arm.hopeless = true, arm.active = false;
    else if (surely_less(leader, a, a == native || a == presumed_ ? rules_.choice : rules_.elimination))
      arm.active = false;
  }
  // What serves calls from now on where no experiment is made: more is risked here than for good.
  if (leader != native && (gains(leader) || surely_less(leader, native, rules_.elimination)))
    incumbent_ = leader;
  else if (loses(incumbent_))
    incumbent_ = native;
}

// Settles where nothing is left to find out, or where finding it out takes too long.
bool Trial::is_decided() {
  if (rounds_ == 0) return false;
  const std::size_t leader = best();
  const bool leads = std::none_of(arms_.begin(), arms_.end(), [&](const Arm& arm) {
    const auto a = static_cast<std::size_t>(&arm - arms_.data());
    return arm.active && a != leader && contrast_of(a, leader).interval(rules_.elimination).low < -worthwhile;
  });
  if (leads && (leader == native || gains(leader))) return settle_where_stable(leader);
  if (rounds_ < most_rounds) return false;
  settle_on_what_is_known();
  return true;
}

// A plan is not settled on where its times, or native's, have two modes: they are measured again, and if they
// have two modes then, native stays.
bool Trial::settle_where_stable(std::size_t arm) {
  unstable_ = arm != native && (have_two_modes(arms_[arm].recent) || have_two_modes(arms_[native].recent));
  if (unstable_ && !looked_again_) {
    looked_again_ = true;
    for (Arm& a : arms_) a.recent.clear();
    arms_[native].active = true;
    return false;
  }
  settle(unstable_ ? native : arm);
  return true;
}

// The best of those that surely gain; else what was presumed, if it does not surely lose.
void Trial::settle_on_what_is_known() {
  const std::size_t leader = best();
  looked_again_ = true;
  settle_where_stable(gains(leader)       ? leader
                      : gains(incumbent_) ? incumbent_
                      : loses(presumed_)  ? native
                                          : presumed_);
}

void Trial::settle(std::size_t arm) {
  incumbent_ = presumed_ = arm;
  arms_[arm].active = true;
  runner_up_ = arm;
  double least = 2;
  for (std::size_t a = 0; a < arms_.size(); ++a)
    if (const double behind = contrast_of(a, arm).mean;
        a != arm && a != native && !arms_[a].hopeless && arms_[a].seconds.count > 0 && behind < least) {
      least = behind;
      runner_up_ = a;
    }
  rest();
}

// Until the next check, so long that it costs its share at most.
void Trial::rest() {
  double off = 0;
  for (const std::size_t a : {native, runner_up_}) off += excess(a);
  const double calls = mean_time(incumbent_) > 0 ? off / (rules_.check_share * mean_time(incumbent_)) : 0;
  const bool alone = incumbent_ == native && runner_up_ == native;
  stints_ = {{incumbent_,
              alone ? never : static_cast<int>(std::clamp<double>(calls, rules_.check_every, never)), false}};
  state_ = State::settled;
  doubted_ = false;
}

void Trial::check() {
  std::vector<std::size_t> arms{native, incumbent_, runner_up_};
  std::sort(arms.begin(), arms.end());
  arms.erase(std::unique(arms.begin(), arms.end()), arms.end());
  cycles(arms, doubted_ ? doubting_cycles : 1, 1);
  state_ = State::checking;
}

// A check that finds another arm faster is made once more, longer; if it finds that again, all begins anew.
void Trial::judge_check(std::span<const StintTime> times) {
  std::vector<Sample> behind(arms_.size());  // the settled arm, against each other one
  for (std::size_t begin = 0; begin < stints_.size(); begin += per_cycle_)
    for (std::size_t i = begin; i < begin + per_cycle_; ++i)
      for (std::size_t j = begin; j < begin + per_cycle_; ++j)
        if (stints_[i].arm == incumbent_ && i != j)
          behind[stints_[j].arm].add(contrast(times[i].by(rules_.judgement), times[j].by(rules_.judgement)));
  const double noticed = contrast_of_ratio(rules_.noticed);
  const bool doubtful =
      std::any_of(behind.begin(), behind.end(), [&](const Sample& b) { return b.mean > noticed; });
  if (doubtful && doubted_) return reopen();
  if (doubtful) {
    doubted_ = true;
    return check();
  }
  for (Sample& known : pairs_) known.fade(fading);
  for (Arm& arm : arms_) {
    arm.seconds.fade(fading);
    for (Sample& known : arm.against_native) known.fade(fading);
  }
  compare(times);
  rest();
}

void Trial::reopen() {
  ++reopened_;
  doubted_ = looked_again_ = unstable_ = false;
  rounds_ = 0;
  pairs_.assign(pairs_.size(), {});
  for (Arm& arm : arms_) {
    arm.active = !arm.hopeless;
    arm.seconds.fade(0.01);  // a first guess
    arm.against_native = {};
  }
  next();
}

// Each cycle in an order of its own.
void Trial::cycles(const std::vector<std::size_t>& arms, int count, int calls) {
  stints_.clear();
  per_cycle_ = arms.size();
  for (int cycle = 0; cycle < count; ++cycle) {
    std::vector<std::size_t> order = arms;
    for (std::size_t left = order.size(); left > 1; --left)
      std::swap(order[left - 1], order[static_cast<std::size_t>(random() % left)]);
    for (const std::size_t arm : order) stints_.push_back({arm, calls, true});
  }
}

std::vector<std::size_t> Trial::active() const {
  std::vector<std::size_t> arms;
  for (std::size_t a = 0; a < arms_.size(); ++a)
    if (arms_[a].active && arms_[a].introduced) arms.push_back(a);
  return arms;
}

// The arm that is ahead of the others in the race, on the average.
std::size_t Trial::best() const {
  const auto arms = active();
  std::size_t leader = arms.empty() || arms_[incumbent_].active ? incumbent_ : arms.front();
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

double Trial::mean_time(std::size_t arm) const {
  const Arm& a = arms_[arm];
  if (a.seconds.count > 0) return a.seconds.mean;
  // A first call tells little.
  const double presumed = arms_[presumed_].seconds.mean;
  return a.introduced && arm != presumed_ ? std::min(a.first_s, first_guess * presumed) : presumed;
}

// What a call of an arm costs more than one of the best.
double Trial::excess(std::size_t arm) const {
  return std::max(0.0, mean_time(arm) - mean_time(best()));
}

// The same of a first call, if it is as slow as is tolerated.
double Trial::worst_first_excess() const {
  return (rules_.hopeless - 1) * arms_[presumed_].seconds.mean;
}

// And of another call, of an arm that may not have been measured yet.
double Trial::worst_excess(std::size_t arm) const {
  if (arms_[arm].seconds.count > 0) return excess(arm);
  return std::clamp(arms_[arm].first_s - arms_[presumed_].seconds.mean, 0.0, worst_first_excess());
}

// What experiments may cost yet at worst.
double Trial::balance() const {
  return rules_.cost_share * seconds_ + spare_ - caution * (cost_ + reserved_);
}

// What they may be expected to cost yet: little where nothing may gain, more where something surely does.
double Trial::hope() const {
  if (incumbent_ != native && gains(incumbent_)) return balance() / caution;
  return std::min(balance() / caution,
                  rules_.hope * rules_.cost_share * seconds_ + spare_ / caution - cost_ - reserved_);
}

double Trial::overdraft() const {
  return std::max(0.0, caution * (cost_ + reserved_) - rules_.cost_share * seconds_);
}

Sample Trial::contrast_of(std::size_t a, std::size_t b) const {
  if (a <= b) return pair(a, b);
  Sample turned = pair(b, a);
  turned.mean = -turned.mean;
  return turned;
}

Interval Trial::ratio_to_native(std::size_t arm, Judgement judgement) const {
  return ratio_of_contrast(
      arms_[arm].against_native[static_cast<std::size_t>(judgement)].interval(rules_.choice));
}

// Native leaves the race when an arm surely takes less; what is ahead of that one gains as well.
bool Trial::gains(std::size_t arm) const {
  const auto directly = [this](std::size_t a) {
    return a != native && surely_less(a, native, rules_.choice);
  };
  if (directly(arm)) return true;
  for (std::size_t a = 1; a < arms_.size(); ++a)
    if (arm != native && a != arm && directly(a) && contrast_of(arm, a).count > 0 &&
        contrast_of(arm, a).mean <= 0)
      return true;
  return false;
}

Evidence Trial::take_news(std::size_t arm) {
  return std::exchange(news_[arm], {});
}

bool Trial::loses(std::size_t arm) const {
  return arm != native && (arms_[arm].hopeless || surely_less(native, arm, rules_.choice));
}

// SplitMix64. Source: Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014.
std::uint64_t Trial::random() {
  std::uint64_t z = random_ += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace tutti
