#pragma once

#include <optional>
#include <span>
#include <vector>

#include "choose/evidence/comparison.hpp"
#include "choose/evidence/knowledge.hpp"
#include "choose/evidence/rules.hpp"
#include "choose/online/batch.hpp"

namespace tutti::inline choose {

/// The number of the arm that the MPI library serves.
inline constexpr std::size_t native_arm = 0;

/// What is known of the arms of a bandit, of how they compare above all: which is ahead, which
/// surely gains or loses, which are still in the race (successive elimination).
///
/// What a plan takes is the time in its calls and what it moves out of them: ranks that leave a
/// reduction early wait in the broadcast that follows. So two arms are compared by the time from
/// one call to the next where what lies between their calls scatters less than a call takes, or
/// surely differs. Elsewhere, among computing and calls of others, the time in calls tells more.
///
/// Source: Even-Dar, Mannor, Mansour, Action elimination and stopping conditions, 2006.
class Race {
 public:
  Race(const LearningRules& rules, std::size_t arms);

  struct Arm {
    double calls = 0;            ///< all that it served
    Sample seconds;              ///< in calls of cycles
    std::vector<double> recent;  ///< what its last batches took a call
    double first_more = 0;       ///< what its first call took longer than another's, connections included
    bool introduced = false;
    bool active = true;
    bool hopeless = false;
  };
  const Arm& arm(std::size_t number) const { return arms_[number]; }
  std::size_t size() const { return arms_.size(); }

  /// What others have seen of how two arms compare: counts for a few cycles.
  void assume(Comparison known);
  /// Counts calls that an arm served.
  void count(std::size_t arm, double calls) { arms_[arm].calls += calls; }
  /// Takes in an arm's first batches, of which nothing is to be compared.
  void open(std::span<const Batch> batches, std::span<const BatchTime> times);
  /// Takes in an arm's first call, after one of another; where it took longer than is tolerated,
  /// beside a call of the incumbent (`call_s`, in seconds), it makes no second. Returns what it
  /// took longer than the other's, in seconds, or shorter.
  double introduce(std::span<const Batch> both, std::span<const BatchTime> times, double call_s);
  /// Takes in what the batches of some cycles took, `a_cycle` batches each.
  void compare(std::span<const Batch> batches, std::span<const BatchTime> times, std::size_t a_cycle);
  /// Lets arms go that surely take longer than the best, and by a contrast of `margin` at least, or
  /// are hopeless. `kept` goes by the confidence of choices, as native does.
  void eliminate(std::size_t kept, double margin);
  void bring_back(std::size_t arm) { arms_[arm].active = true; }
  /// What was seen so far counts for less.
  void fade(double factor);
  /// All but the hopeless begin anew.
  void begin_anew();
  void forget_recent();

  /// How two arms compare: contrasts of a's time with b's, in the same cycles.
  Sample contrast_of(std::size_t a, std::size_t b) const { return contrast_of(a, b, goes_by_period(a, b)); }
  /// How two arms compare by the time from call to call, or by that in calls.
  Sample contrast_of(std::size_t a, std::size_t b, bool by_period) const;
  /// What a call by a takes longer than one by b, in seconds, of calls by both that take `call`;
  /// nothing where they were not compared.
  std::optional<double> more_than(std::size_t a, std::size_t b, double call) const;
  /// Whether they are compared from call to call.
  bool goes_by_period(std::size_t a, std::size_t b) const;
  /// An arm's time over native's with its bounds, at the confidence of choices.
  Interval ratio_to_native(std::size_t arm) const;
  /// Whether the arm ran in a cycle, since all began.
  bool is_known(std::size_t arm) const { return arms_[arm].seconds.count > 0; }
  /// Whether an arm is native, or was compared with it: others learn from that what is settled on.
  bool is_compared_with_native(std::size_t arm) const;
  /// Arms that made no call yet.
  std::vector<std::size_t> strangers() const;
  /// The introduced arms that are still in the race.
  std::vector<std::size_t> active() const;
  /// The one that is ahead of the others, on the average; `incumbent` where there is nothing to
  /// compare.
  std::size_t best(std::size_t incumbent) const;
  bool surely_less(std::size_t a, std::size_t b, double alpha) const {
    return contrast_of(a, b).interval(alpha).high < 0;
  }
  /// Whether an arm surely takes less time than native.
  bool gains(std::size_t arm) const;
  /// Whether an arm probably takes less time than native: enough to serve calls for a while.
  bool is_ahead(std::size_t arm) const {
    return gains(arm) || surely_less(arm, native_arm, rules_.elimination);
  }
  /// Whether an arm surely takes longer than native.
  bool loses(std::size_t arm) const;
  /// Whether the last times of an arm have two modes.
  bool has_two_modes(std::size_t arm) const;
  /// What calls in cycles took longer than as many of an arm's would have, in seconds; arms that
  /// took less are taken off, or left out.
  double net_cost_beside(std::size_t arm) const;
  double cost_beside(std::size_t arm) const;

  /// What was found out of an arm since this was last asked, for those who keep it: what it took,
  /// also beside native.
  Evidence take_news(std::size_t arm);
  /// Contrasts of an arm's times with another's, found since this was last asked.
  Sample take_news(std::size_t arm, std::size_t other);

 private:
  // Contrasts of one arm's times with another's.
  struct Contrasts {
    Sample in_call, period;
    void add(const BatchTime& first, const BatchTime& second, int calls);
  };
  struct Pair {
    Sample assumed;  // contrasts that others have seen
    Contrasts contrasts;
    Sample between;                      // differences of period less time in call, in seconds
    double calls = 0;                    // by each of them; these and what follows do not fade
    double in_call_s = 0, period_s = 0;  // differences of all calls
    double latest_s = 0;                 // of all calls, of the arm and rank that spent most

    bool goes_by_period(double alpha) const;
    double seconds() const;
    void fade(double factor);
  };
  Pair& pair(std::size_t a, std::size_t b) { return pairs_[a * arms_.size() + b]; }
  const Pair& pair(std::size_t a, std::size_t b) const { return pairs_[a * arms_.size() + b]; }
  Contrasts& news(std::size_t a, std::size_t b) { return news_of_pairs_[a * arms_.size() + b]; }
  double difference(std::size_t a, std::size_t b) const;
  bool is_hopeless(std::size_t arm) const;
  void tell(std::size_t arm, int calls, const BatchTime& time);

  LearningRules rules_;
  std::vector<Arm> arms_;
  std::vector<Pair> pairs_;  // of arm a and arm b > a
  Sample between_calls_;     // between calls of what usually serves, in seconds

  // News that nobody was told yet. It stays when all begins anew.
  std::vector<Evidence> news_;  // by arm
  std::vector<Contrasts> news_of_pairs_;
};

}  // namespace tutti::inline choose
