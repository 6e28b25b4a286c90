#pragma once

#include <limits>

#include "choose/evidence/call_class.hpp"
#include "run/online/start_delay.hpp"

namespace tutti::run {

/// How long a class of calls is served as usual on a communicator before plans are tried in it:
/// until its calls have taken long enough to make finding out what to try worth it, or from the
/// first on where earlier programs found that out.
class ClassStartDelay {
 public:
  ClassStartDelay(Learning& learning, Communicator& communicator, const Rules& rules, StartDelay& of_all,
                  const CallClass& calls);

  /// How many calls pass before this is asked for again, first before the first of them; 0 when plans may be
  /// tried. Collective now and then.
  int calls_to_pass();
  /// Whether the next call is to be timed.
  bool times_next() const { return times_next_; }
  /// Takes in what a timed call took this rank.
  void took(double seconds);

  /// Calls that passed.
  int calls() const { return calls_; }
  /// What each of the timed calls surely took natively, if it was long enough that programs that
  /// make few such calls should begin with a plan; else nothing.
  Evidence slow_calls() const;

 private:
  int wait();
  int ask();
  bool looks_early() const;
  bool is_known_to_be_worth_it() const;

  Learning& learning_;
  Communicator& communicator_;
  const Rules& rules_;
  StartDelay& of_all_;
  CallClass class_;
  bool large_;
  bool times_next_ = false;
  int calls_ = 0, timed_ = 0;
  double in_timed_ = 0;
  double shortest_ = std::numeric_limits<double>::infinity();  // of this rank
  double alone_ = 0;                                           // the shortest of any rank's, as far as known
  double asking_ = 0;                                          // the last question, of this rank
};

}  // namespace tutti::run
