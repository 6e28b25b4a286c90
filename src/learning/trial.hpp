#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "learning/knowledge.hpp"
#include "learning/rules.hpp"

namespace tutti {

/// What all ranks agree that a stint of calls took, in seconds a call.
struct StintTime {
  double in_call;  ///< averaged over ranks
  double latest;   ///< of the rank that spent most
  double period;   ///< from one call to the next, averaged over ranks

  double by(Judgement judgement) const {
    return judgement == Judgement::in_call ? in_call : judgement == Judgement::latest ? latest : period;
  }
};

/// So many calls, one after the other, by one arm.
struct Stint {
  std::size_t arm;
  int calls;
  bool measured = true;
};

/// What becomes of a class of calls: which of a few arms serves each of them. An arm is a way to carry the
/// calls out; the first is native. Arms take turns in stints, cycle by cycle in an order that follows from
/// the cycle's number, and are compared within cycles (successive elimination); the one that remains serves
/// further calls, with a check now and then. Times come in and decisions go out; they follow from nothing
/// else, so that ranks that are told the same decide alike. Source: Even-Dar, Mannor, Mansour, Action
/// elimination and stopping conditions, 2006.
class Trial {
 public:
  enum class State {
    opening,      ///< the presumed arm alone
    introducing,  ///< arms make their first calls
    comparing,
    saving,  ///< the presumed arm runs until its time pays for the next experiment
    settled,
    checking
  };

  /// `presumed` is the arm that serves calls until another has proven better, and where none is: native, or a
  /// plan that others have found good. `seed` is the class'.
  Trial(const LearningRules& rules, std::size_t arms, std::size_t presumed, std::uint64_t seed);

  /// Takes in what others have seen of an arm, as contrasts to native: it counts for a few cycles. Before
  /// anything else.
  void assume(std::size_t arm, Sample against_native);

  /// What comes next, stint by stint; at the end of the list `conclude` makes the next one.
  const std::vector<Stint>& stints() const { return stints_; }

  /// Takes in what the measured stints of the list took, in their order, and what experiments of this class
  /// may cost beside their share, in seconds: `spare`.
  void conclude(std::span<const StintTime> times, double spare_s);

  /// The experiments under way will not be concluded.
  void abandon() { reserved_ = 0; }

  /// Counts what the agreement about it has cost.
  void charge(double seconds) { cost_ += seconds; }

  State state() const { return state_; }
  /// The arm that serves calls where no experiment is made.
  std::size_t incumbent() const { return incumbent_; }
  /// What experiments have cost and may cost before the next conclusion, beyond their share of the time, in
  /// seconds.
  double overdraft() const;
  /// What experiments have cost more than the best arm known, in seconds.
  double cost() const { return cost_; }
  double seconds() const { return seconds_; }          ///< in these calls so far, of the average rank
  double experiments() const { return experiments_; }  ///< calls that were

  struct Arm {
    double calls = 0;                      ///< all that it served
    Sample seconds;                        ///< in the calls
    std::array<Sample, 3> against_native;  ///< contrasts to native in the same cycles, by Judgement
    Sample moved;                          ///< what lay between its calls more than in the typical stint
    std::vector<double> recent;            ///< what its last stints took a call
    double first_s = 0;                    ///< its first call, connections included
    bool introduced = false;
    bool active = true;
    bool hopeless = false;
  };
  const Arm& arm(std::size_t number) const { return arms_[number]; }
  /// What was found out of an arm since this was last asked, for those who keep it.
  Evidence take_news(std::size_t arm);
  std::size_t arms() const { return arms_.size(); }
  /// The contrast of two arms, by the rules' judgement.
  Sample contrast_of(std::size_t a, std::size_t b) const;
  /// An arm's time over native's with its bounds, at the confidence of choices, by a judgement.
  Interval ratio_to_native(std::size_t arm, Judgement judgement) const;
  /// Whether it surely takes less time than native.
  bool gains(std::size_t arm) const;
  /// Whether it surely takes longer than native.
  bool loses(std::size_t arm) const;
  /// Whether times have two modes, even when measured again: then it is native that serves.
  bool is_unstable() const { return unstable_; }
  /// How often it began anew because a check found another arm faster.
  int reopened() const { return reopened_; }

 private:
  std::vector<StintTime> with_what_is_moved(std::span<const StintTime> times);
  void account(std::span<const StintTime> times);
  void meet(std::span<const StintTime> times);
  void compare(std::span<const StintTime> times);
  void next();
  bool introduce();
  bool compare_more();
  void save();
  void eliminate();
  bool is_decided();
  bool settle_where_stable(std::size_t arm);
  void settle(std::size_t arm);
  void settle_on_what_is_known();
  void rest();
  void check();
  void judge_check(std::span<const StintTime> times);
  void reopen();

  void cycles(const std::vector<std::size_t>& arms, int cycles, int calls);
  std::vector<std::size_t> active() const;
  std::vector<std::size_t> affordable() const;
  std::size_t best() const;
  double mean_time(std::size_t arm) const;
  double excess(std::size_t arm) const;
  double worst_first_excess() const;
  double worst_excess(std::size_t arm) const;
  double balance() const;
  double hope() const;
  bool surely_less(std::size_t a, std::size_t b, double alpha) const {
    return contrast_of(a, b).interval(alpha).high < 0;
  }
  Sample& pair(std::size_t a, std::size_t b) { return pairs_[a * arms_.size() + b]; }
  const Sample& pair(std::size_t a, std::size_t b) const { return pairs_[a * arms_.size() + b]; }
  std::uint64_t random();

  LearningRules rules_;
  std::vector<Arm> arms_;
  std::vector<Evidence> news_;  // by arm
  std::vector<Sample> pairs_;   // contrasts of arm a and arm b > a
  std::size_t presumed_, incumbent_;
  std::size_t runner_up_ = 0;
  State state_ = State::opening;
  std::vector<Stint> stints_;
  std::size_t per_cycle_ = 1;  // stints
  int rounds_ = 0;             // of comparing
  bool doubted_ = false;       // the check under way looks into another
  bool looked_again_ = false;  // because of two modes
  bool unstable_ = false;
  int reopened_ = 0;
  double spare_ = 0, reserved_ = 0, cost_ = 0, seconds_ = 0, experiments_ = 0;
  std::uint64_t random_;
};

}  // namespace tutti
