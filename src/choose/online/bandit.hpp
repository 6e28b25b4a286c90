#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "choose/evidence/rules.hpp"
#include "choose/online/batch.hpp"
#include "choose/online/budget.hpp"
#include "choose/online/forecast.hpp"
#include "choose/online/race.hpp"
#include "choose/online/turns.hpp"

namespace tutti::inline choose {

/// What becomes of a class of calls: which of a few arms serves each of them. Arms are introduced,
/// race, one is settled on and checked now and then. They take turns in batches, cycle by cycle in
/// an order that follows from the cycle's number, as their budget permits; until it does the
/// incumbent serves calls. Times come in and decisions go out; they follow from nothing else, so
/// that ranks that are told the same decide alike.
class Bandit {
 public:
  enum class State {
    opening,      ///< the presumed arm alone
    waiting,      ///< the incumbent alone, until its time pays for an experiment
    introducing,  ///< arms make their first calls
    comparing,
    settled,
    checking
  };

  /// `presumed` is the arm that serves calls where no other proves better: native, or a plan that
  /// others have found good. `known` is what others have seen of how the arms compare; what is
  /// promising beside native by that serves calls from the first on. `seed` is the class'.
  /// `earlier_calls` were served before, and earned their share of what experiments may cost.
  /// `prices` are what calls by an arm are thought to take, and native's are known to, in seconds,
  /// 0 where nobody knows. A presumed arm of which nothing but its price is known serves one call,
  /// and goes on if that took less than native's.
  Bandit(const LearningRules& rules, std::size_t arms, std::size_t presumed, std::uint64_t seed,
         std::span<const Comparison> known = {}, double earlier_calls = 0,
         std::span<const double> prices = {});

  /// What comes next, batch by batch; at the end of the list `conclude` makes the next one. At most
  /// `online::most_measured` of them are measured.
  const std::vector<Batch>& batches() const { return batches_; }
  /// The batches of the list that are an experiment. Before them the incumbent may have to earn
  /// their cost, and behind them it serves calls while ranks tell each other what the measured ones
  /// took.
  std::span<const Batch> experiment() const {
    return std::span(batches_).subspan(experiment_at_, experiment_size_);
  }
  /// Takes in what the measured batches of the list took, in their order, and what experiments may
  /// cost.
  void conclude(std::span<const BatchTime> times, const Allowance& allowance);
  /// Counts what an agreement about such a list has cost, or choosing what to try.
  void charge_agreement(double seconds);
  void charge_choice(double seconds) { budget_.charge(seconds); }
  /// Has what experiments have cost counted in the budget of all classes.
  void count_in(Budget& of_all) { of_all.count(budget_, race_.gains(incumbent_)); }
  /// The incumbent served calls behind the batches, before it could be said what those took.
  void serve(int calls);
  /// The experiments under way will not be concluded.
  void abandon() { budget_.reserve(0); }

  State state() const { return state_; }
  /// The arm that serves calls where no experiment is made.
  std::size_t incumbent() const { return incumbent_; }
  const ClassBudget& budget() const { return budget_; }
  const Race& race() const { return race_; }
  /// Calls that were experiments.
  double experiments() const { return experiments_; }
  /// What was found out of an arm since this was last asked, for those who keep it.
  Evidence take_news(std::size_t arm) { return race_.take_news(arm); }
  /// Contrasts of an arm's times with another's, found since this was last asked.
  Sample take_news(std::size_t arm, std::size_t other) { return race_.take_news(arm, other); }
  /// Whether times have two modes, even when measured again: then it is native that serves.
  bool is_unstable() const { return unstable_; }
  /// Whether what is listed is one call of a plan that was presumed by its price, to be judged at
  /// once.
  bool is_first_of_presumed() const { return state_ == State::opening && experiment_size_ == 1; }
  /// How often it began anew because a check found another arm faster.
  int reopened() const { return reopened_; }

 private:
  // Batches that tell something of some arms, and what they may cost.
  struct Experiment {
    State kind;
    std::vector<Batch> batches;
    std::size_t a_cycle = 1;  // measured batches
    Excess price;
  };
  // Measured batches cycle by cycle, and what they took.
  struct Cycles {
    std::vector<Batch> batches;
    std::vector<BatchTime> times;
  };

  void carry_out(const Experiment& experiment, double calls_before);
  void account(std::span<const BatchTime> times);
  void open(std::span<const BatchTime> times);
  void meet(std::span<const BatchTime> times);
  void compare(std::span<const BatchTime> times);
  std::vector<Batch> turns(const std::vector<std::size_t>& arms, int count, int calls);
  void charge_unmeasured();
  Cycles in_cycles(std::span<const BatchTime> times) const;
  void choose_incumbent();
  void next();
  void wait_for(const Experiment& experiment);
  Experiment introduction() const;
  Experiment round();
  std::vector<std::size_t> racing() const;
  bool is_decided();
  bool settle_where_stable(std::size_t arm);
  void settle(std::size_t arm);
  void settle_on_what_is_known();
  void rest();
  void check();
  void judge_check(std::span<const BatchTime> times);
  void reopen(const Cycles& cycles);

  Forecast forecast() const { return {rules_, race_, prices_, incumbent_, incumbent_call_.in_call}; }
  Excess left() const { return budget_.left(incumbent_call_, forecast().confidence()); }
  double calls_until(const Excess& price) const {
    return budget_.calls_until(price, incumbent_call_, forecast().confidence());
  }

  LearningRules rules_;
  Race race_;
  ClassBudget budget_;
  std::size_t presumed_, incumbent_;
  std::size_t runner_up_ = 0;
  State state_ = State::opening;
  std::vector<Batch> batches_;
  std::size_t experiment_at_ = 0, experiment_size_ = 0;
  std::size_t a_cycle_ = 1;            // measured batches
  BatchTime incumbent_call_{0, 0, 0};  // of late
  std::vector<double> prices_;         // by arm; of native the least that its first calls took
  double agreement_s_ = 0;             // of the last agreements
  double served_;                      // calls
  int compared_ = 0;                   // cycles
  bool doubted_ = false;               // the check under way looks into another
  bool looked_again_ = false;          // because of two modes
  bool unstable_ = false;
  int reopened_ = 0;
  double experiments_ = 0;
  Turns turns_;
};

}  // namespace tutti::inline choose
