#pragma once

#include <algorithm>
#include <atomic>
#include <limits>

#include "choose/evidence/rules.hpp"
#include "choose/online/batch.hpp"
#include "choose/online/constants.hpp"
#include "choose/online/forecast.hpp"
#include "choose/online/race.hpp"

namespace tutti::inline choose {

/// What a process leaves to experiments in a class of calls, in seconds.
struct Allowance {
  double beside_share;  ///< beyond their share of the time spent in these calls
  /// What the run's share leaves after what experiments have cost so far, as long as no plan is
  /// ahead in these calls.
  double unproven = std::numeric_limits<double>::infinity();
};

/// What experiments in a class of calls have cost, and may cost yet: a share of the time spent in
/// it, and what is left of that which all classes have together. All in seconds; the time spent is
/// that of the rank that spends most, for what a program waits for may be that one.
class ClassBudget {
 public:
  /// `presumed` is the arm that serves calls from the first on.
  ClassBudget(const LearningRules& rules, std::size_t presumed)
      : rules_(rules), has_all_(presumed != native_arm || !rules.is_bound()), lead_{presumed} {}

  /// Adds time spent in these calls.
  void spend(double seconds) { seconds_ += seconds; }
  /// Adds what experiments, or agreements on them, have cost for good.
  void charge(double seconds) { charged_ += seconds; }
  /// Sets what the experiments under way may cost.
  void reserve(double seconds) { reserved_ = seconds; }
  void set_allowance(const Allowance& allowance) { allowance_ = allowance; }
  /// Estimates anew what the experiments of a race have cost: beside the best arm that was known at
  /// the time, which is the `leader` now, and beside the arm `presumed`, which would have served
  /// the calls without them, less than 0 where they saved time.
  void estimate(const Race& race, std::size_t leader, std::size_t presumed);
  /// What was estimated stays spent when a race begins anew.
  void begin_anew();

  double cost() const { return charged_ + estimate_.beside_best; }
  /// What the program has lost by it so far, beside what would have served the calls.
  double loss() const { return charged_ + std::max(0.0, estimate_.beside_presumed); }
  /// What is used beyond the share of the time, of what all classes have together.
  double overdraft() const;

  /// What experiments may still cost, where calls are as the `incumbent`'s. As long as nothing
  /// surely gains, less than the share is expected to be spent: some calls' worth at first and then
  /// little; and as long as nothing is ahead even at worst a small part of it, and of the run.
  /// Where nothing ever gains it goes unnoticed.
  Excess left(const BatchTime& incumbent, Confidence confidence) const;
  /// How many further calls as the `incumbent`'s earn what is missing for an experiment.
  double calls_until(const Excess& experiment, const BatchTime& incumbent, Confidence confidence) const;

 private:
  friend class Budget;
  double worst_share(Confidence confidence) const {
    return confidence == Confidence::none ? rules_.doubtful * rules_.cost_share : rules_.cost_share;
  }
  double worst_by_share(Confidence confidence) const;
  double worst_by_run() const;

  /// What experiments have cost by the latest estimate, beside arms.
  struct Estimate {
    double beside_best = 0, beside_presumed = 0;
  };
  /// The arm that leads.
  struct Lead {
    std::size_t arm;
    double cost_before = 0;  // what experiments cost while others led
    double cost_from = 0;    // what they cost beside this arm before it led
  };
  /// What stands in the budget of the process.
  struct Counted {
    double overdraft = 0, loss = 0;
  };

  LearningRules rules_;
  bool has_all_;  // what serves already has to prove itself soon
  double seconds_ = 0, charged_ = 0, reserved_ = 0;
  Lead lead_;
  Estimate estimate_;
  Allowance allowance_{0};
  Counted counted_;
};

/// What learning costs a process, in all classes of calls together, and what it may cost yet. All
/// in seconds; `now` is of one clock.
class Budget {
 public:
  /// `began_at` is the time of the program's first agreement; `meeting` is what it is expected to
  /// take until all ranks have met on a communicator of our own.
  Budget(double began_at, double meeting) : began_at_(began_at), meeting_(meeting) {}

  /// Counts what a class has cost by now; what was lost in it does not count where a plan `gains`.
  void count(ClassBudget& of, bool gains);
  /// Adds what class tuners begin with: probing the network, meeting on a communicator of our own,
  /// telling what to try.
  void charge(double seconds) {
    unproven_ += seconds;
    begun_ += seconds;
  }
  /// Adds what earlier programs have paid for.
  void earn(double seconds) { charge(-seconds); }

  /// What is left for experiments in a class. Where nothing is ahead the run has to pay for them.
  Allowance left(const ClassBudget& of, double now) const;
  /// What of the run is left for other beginnings. Experiments don't count, or those of some calls
  /// would keep all others from theirs.
  double left_to_begin(const LearningRules& rules, double now) const {
    return rules.run_share * (now - began_at_) - begun_;
  }

  /// What finding out what to try takes, and meeting on a communicator of our own where there is
  /// none yet: of late, or as can be expected.
  double opening(bool meets) const { return choosing_ + (meets ? meeting_.load() : 0); }
  /// Takes in what finding it out took, for which its class is charged; in vain, if nothing begins.
  /// @{
  void chose(double seconds) {
    choosing_ = seconds;
    begun_ += seconds;
  }
  void chose_in_vain(double seconds) { unproven_ += seconds; }
  /// @}
  /// Adds what meeting took. `is_usual` says whether it will take as long again: not where the
  /// communicator of all processes was made, on which all others meet.
  void met(double seconds, bool is_usual) {
    if (is_usual) meeting_ = seconds;
    charge(seconds);
  }

 private:
  double began_at_;
  std::atomic<double> overdraft_ = 0, unproven_ = 0, begun_ = 0;
  std::atomic<double> choosing_ = online::expected_choosing_s, meeting_;
};

}  // namespace tutti::inline choose
