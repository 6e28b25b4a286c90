#pragma once

#include <span>

#include "choose/evidence/rules.hpp"
#include "choose/online/race.hpp"

namespace tutti::inline choose {

/// What is thought of an arm beside native: whether a plan gains.
enum class Confidence {
  none,  ///< nothing tells
  some,  ///< one is ahead, or surely gains a little
  sure   ///< one surely gains much
};

/// What calls take longer than others would, in seconds: at worst, beside the best that is known,
/// and as far as can be expected, beside what would serve them without experiments.
struct Excess {
  double worst = 0, expected = 0;

  friend Excess operator+(const Excess& a, const Excess& b) {
    return {a.worst + b.worst, a.expected + b.expected};
  }
  friend Excess operator*(double times, const Excess& a) { return {times * a.worst, times * a.expected}; }
};

/// What calls are thought to take before they are made, in seconds: by what was seen of their arms,
/// by what they are priced, or by a guess; and so whether a plan is in prospect that gains. What it
/// looks at outlives it.
class Forecast {
 public:
  /// `incumbent` serves calls and takes `call` of late. `prices` are what a call by each arm is
  /// thought to take, and native's is known to, without waiting for who comes late; 0 where nobody
  /// knows.
  Forecast(const LearningRules& rules, const Race& race, std::span<const double> prices,
           std::size_t incumbent, double call)
      : rules_(rules), race_(race), prices_(prices), incumbent_(incumbent), call_(call) {}

  Confidence confidence() const;
  /// Whether an arm promises a gain by its price alone: it is to be judged by its first call.
  bool is_promised(std::size_t arm) const;

  /// What a call of an arm takes longer than one of another, in seconds; negative where it takes
  /// less.
  double more_than(std::size_t arm, std::size_t other) const;
  /// Extra time expected over the best arm, in seconds.
  double excess(std::size_t arm) const;
  /// What a call of an arm takes longer beside what is `presumed` to be good; it may not have been
  /// measured yet.
  Excess of_call(std::size_t arm, std::size_t presumed) const;
  /// What an arm's first call takes longer than the incumbent's at worst, and beside what is
  /// `presumed` to be good.
  Excess of_first_call(std::size_t arm, std::size_t presumed) const;

 private:
  bool is_priced(std::size_t arm) const;
  bool is_promising(std::size_t arm) const;
  double worst_of_first() const { return (rules_.hopeless - 1) * call_; }

  const LearningRules& rules_;
  const Race& race_;
  std::span<const double> prices_;
  std::size_t incumbent_;
  double call_;
};

}  // namespace tutti::inline choose
