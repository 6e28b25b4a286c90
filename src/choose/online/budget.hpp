#pragma once

#include <algorithm>
#include <limits>

#include "choose/evidence/rules.hpp"

namespace tutti::inline choose {

/// What experiments have come to: whether a plan gains.
enum class Confidence {
  none,  ///< nothing tells
  some,  ///< one is ahead, or surely gains a little
  sure   ///< one surely gains much
};

/// What experiments in a class of calls may cost: a share of the time spent in it, and what is spare of that
/// which all classes have together. All in seconds; the time spent is that of the rank that spends most, for
/// what a program waits for may be that one.
class Budget {
 public:
  explicit Budget(const LearningRules& rules) : rules_(rules) {}

  /// Adds time spent in these calls, in seconds.
  void spend(double seconds) { seconds_ += seconds; }
  /// Adds what experiments, or agreements on them, have cost for good, in seconds.
  void charge(double seconds) { charged_ += seconds; }
  /// Sets what experiments have cost by the latest estimate, in seconds: beside the best that is
  /// known, and beside what would have served the calls without them, less than 0 where they saved
  /// time.
  void estimate(double beside_best, double beside_usual) {
    beside_best_ = beside_best;
    beside_usual_ = beside_usual;
  }
  /// Sets what the experiments under way may cost, in seconds.
  void reserve(double seconds) { reserved_ = seconds; }
  /// Sets what is spare beside the share, and what is of the run for classes in which no plan is
  /// ahead, with what was lost in this one, in seconds.
  void set_spare(double seconds, double unproven) { spare_ = seconds, unproven_ = unproven; }

  double cost() const { return charged_ + beside_best_; }
  /// What the program has lost by it so far, beside what would have served the calls.
  double loss() const { return charged_ + std::max(0.0, beside_usual_); }
  /// What is used beyond the share of the time, of what all classes have together.
  double overdraft() const;

  /// What experiments may cost, at worst beside the best that is known, and as far as can be expected beside
  /// what would serve the calls without them.
  struct Price {
    double worst, expected;
  };
  /// What experiments may still cost, where a call takes `call` seconds. As long as nothing surely
  /// gains, less than the share is expected to be spent: some calls' worth at first and then
  /// little; and as long as nothing is ahead even at worst a small part of it, and of the run. So
  /// where nothing ever gains it goes unnoticed.
  Price left(double call, Confidence confidence) const;
  /// How many further calls, one in each `period`, earn what is missing for a price.
  double calls_until(const Price& price, double call, double period, Confidence confidence) const;

 private:
  double worst_share(Confidence confidence) const {
    return confidence == Confidence::none ? rules_.doubtful * rules_.cost_share : rules_.cost_share;
  }
  double worst_by_share(Confidence confidence) const;
  double worst_by_run() const;

  LearningRules rules_;
  double seconds_ = 0, charged_ = 0, beside_best_ = 0, beside_usual_ = 0, reserved_ = 0, spare_ = 0;
  double unproven_ = std::numeric_limits<double>::infinity();
};

}  // namespace tutti::inline choose
