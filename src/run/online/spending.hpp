#pragma once

#include <algorithm>
#include <atomic>

#include "choose/evidence/rules.hpp"
#include "choose/online/budget.hpp"

namespace tutti::run {

/// What learning costs a process, all class tuners together, and what it may cost yet. All in seconds; `now`
/// is of one clock.
class Spending {
 public:
  /// `began_at` is the time of the program's first collective.
  explicit Spending(double began_at) : began_at_(began_at) {}

  /// What a class tuner has cost, as it was counted last.
  struct Account {
    double overdraft = 0;  ///< beyond its share of the time
    double unproven = 0;   ///< lost as long as nothing gains
  };
  void count(Account& tuner, const Budget& now, bool gains);
  /// Adds what class tuners begin with: probing the network, meeting on a communicator of our own.
  void charge(double seconds) {
    unproven_ += seconds;
    begun_ += seconds;
  }

  /// What there is for a class tuner beside its share of the time.
  double spare(const LearningRules& rules, const Account& tuner) const {
    return rules.cost_s - (overdraft_ - tuner.overdraft);
  }
  /// What of the run is left for a class tuner in which nothing is ahead, with what was lost in it.
  double unproven(const LearningRules& rules, const Account& tuner, double now) const {
    return rules.run_share * run(now) - (unproven_ - tuner.unproven);
  }

  /// What there is for a class tuner in which nothing is ahead, beside its share of the time.
  double doubtful_spare(const LearningRules& rules, const Account& tuner, double now) const {
    return std::min(spare(rules, tuner), unproven(rules, tuner, now));
  }

  /// What of the run is left for other beginnings. Experiments don't count, or those of some calls would keep
  /// all others from theirs.
  double to_begin(const LearningRules& rules, double now) const {
    return rules.run_share * run(now) - begun_;
  }

  /// What finding out what to try takes, and meeting on a communicator of our own where there is none yet: of
  /// late, or as can be expected.
  double opening(bool meets) const { return choosing_ + (meets ? meeting_.load() : 0); }
  void chose(double seconds) { choosing_ = seconds; }
  void met(double seconds);

 private:
  double run(double now) const { return now - began_at_; }

#ifdef TUTTI_SIMULATED
  static constexpr double expected_meeting = 0.012;  // SimGrid's first collective there has all meet all
#else
  static constexpr double expected_meeting = 0.003;
#endif
  static constexpr double expected_choosing = 0.005;

  double began_at_;
  std::atomic<double> overdraft_ = 0, unproven_ = 0, begun_ = 0;
  std::atomic<double> choosing_ = expected_choosing, meeting_ = expected_meeting;
};

}  // namespace tutti::run
