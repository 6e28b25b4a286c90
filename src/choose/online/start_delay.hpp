#pragma once

#include <algorithm>
#include <limits>

#include "choose/online/budget.hpp"
#include "choose/online/constants.hpp"

namespace tutti::inline choose {

/// When class tuners of a communicator may begin, where nobody knows a plan that gains: when the
/// program has run so long that beginning one is paid for. Rank 0 says now and then to all how many
/// calls pass until then.
class StartDelay {
 public:
  /// The communicator was made at that time, in seconds of one clock.
  explicit StartDelay(double made_at) : made_at_(made_at) {}

  /// Counts a call that would begin a class tuner. Whether rank 0 is to tell all ranks before it
  /// how many calls pass.
  bool is_told() { return !over_ && calls_++ >= left_; }
  /// How many calls pass until the run has paid for the `missing` part of what a class tuner begins
  /// with; 0: it has. Rank 0 says that.
  int calls_to_pass(const LearningRules& rules, double missing, double now) const;
  /// Takes in how many calls pass.
  void pass(int calls) {
    over_ = calls == 0;
    left_ = calls_ + calls - 1;
  }
  bool is_over() const { return over_; }
  double made_at() const { return made_at_; }

 private:
  bool over_ = false;
  int calls_ = 0, left_ = 0;
  double made_at_;
};

/// When plans are tried in a class of calls: when its calls have taken long enough to make finding
/// out what to try worth it, or from the first on where earlier programs found that out.
class ClassStartDelay {
 public:
  /// Calls of `bytes` on that many hosts.
  ClassStartDelay(int hosts, std::size_t bytes);

  /// How many calls pass before this is asked for again, first before the first of them; 0 when
  /// plans may be tried. `is_over()` says whether the communicator's delay is over, `ask()` how
  /// many calls all ranks want to pass; both are collective now and then.
  template <typename IsOver, typename Ask>
  int calls_to_pass(IsOver&& is_over, Ask&& ask) {
    const int later = may_be_few() ? wait(is_over(), ask) : online::least_calls;
    times_next_ = later == 1 && (timed_ < online::timed_first || calls_ % online::timed_every == 0);
    timed_ += times_next_;
    calls_ += later;
    return later;
  }
  /// Counts calls that passed beyond those, before this could be asked for again.
  void passed(int calls) { calls_ += calls; }
  /// Whether the next call is to be timed.
  bool times_next() const { return times_next_; }
  /// Takes in what a timed call took this rank, in seconds.
  void took(double seconds);

  /// Calls that passed, and those of them that were timed.
  int calls() const { return calls_; }
  int timed() const { return timed_; }
  /// What all calls, or so many of them, took this rank, by those that were timed, and the shortest
  /// of these, in seconds.
  double taken() const { return taken(calls_); }
  double taken(int calls) const { return timed_ > 0 ? in_timed_ / timed_ * calls : 0; }
  double shortest() const { return shortest_; }
  /// What the last question took this rank, and the shortest timed call of any rank, as far as
  /// known, in seconds; 0: not at all.
  double asking() const { return asking_; }
  double alone() const { return alone_; }
  /// Takes in what all ranks told each other, which took `asking`: what calls took, what is enough,
  /// and the shortest. How many calls they want to pass.
  int answer(double taken, double enough, double shortest, double asking);
  /// The same, where ranks have told each other what `timed` more calls took the rank that spent
  /// most in them, and the one that spent least, while calls went on.
  int hear(int timed, double longest, double shortest, double enough);

 private:
  // A few large calls may be all there are, and yet worth it.
  bool may_be_few() const { return large_ || calls_ > 0; }
  bool looks_early() const;
  template <typename Ask>
  int wait(bool over, Ask&& ask) const {
    if (over && timed_ >= online::timed_first) return ask();
    return looks_early() && ask() == 0 && over ? 0 : 1;
  }

  bool large_;
  bool times_next_ = false;
  int calls_ = 0, timed_ = 0;
  double in_timed_ = 0;
  double shortest_ = std::numeric_limits<double>::infinity();
  double asking_ = 0, alone_ = 0;
};

/// How long the calls of a class have to have taken before it is worth finding out what to try in
/// them, which takes `opening`, in seconds: what is found serves as long again, if programs go on
/// as they began. Where `spare` is less than that, their own small share has to pay for it.
double least_class_s(const LearningRules& rules, double opening, double spare);

/// How many times what calls took in which a program tried nothing is kept at its end, where that
/// costs `write_s`: mostly not at all, if its hundredth (LearningRules::run_share) does not pay for
/// it, but once on average. `draw` is a random number from 0 to 1.
double times_kept(double untried_s, double write_s, double draw);

/// How many calls it is until something has taken `lacking` seconds more, where `calls` of them
/// took `passed`; 0 where nothing is lacking. At least a part of those, so that ranks ask each
/// other seldom, and at most twice as many, for what follows may take longer.
int calls_to_wait(double lacking, double passed, int calls);

}  // namespace tutti::inline choose
