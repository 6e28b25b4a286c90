#pragma once

#include "choose/evidence/call_class.hpp"
#include "choose/online/start_delay.hpp"
#include "choose/settings/configuration.hpp"
#include "run/online/learning.hpp"

namespace tutti::run {

class Communicator;

/// How the ranks of a communicator agree on when learning begins, there and in each class of calls:
/// in a few words on the user's communicator, for a short program has no other, and making one
/// connects, too.
class StartAgreement {
 public:
  StartAgreement(Learning& learning, Communicator& communicator, const Rules& rules);

  /// A delay for such calls.
  ClassStartDelay delay_of(const CallClass& calls) const;
  /// How many calls of a class pass before this is asked for again; 0 when plans may be tried.
  /// Collective now and then.
  int calls_to_pass(const CallClass& calls, ClassStartDelay& delay);
  /// Counts that rank 0 has told all what to try; for rank 0.
  void told();
  /// What each timed call that passed surely took natively, if it was long enough that programs
  /// that make few such calls should begin with a plan; else nothing.
  Evidence slow_calls(const ClassStartDelay& delay) const;
  /// What calls of a class, which return at once and took `taken` so far, have to have taken before
  /// plans may be tried, in seconds; 0: nothing. For rank 0, which has the knowledge.
  double enough(const CallClass& calls, double taken) const;
  /// Whether earlier programs that tried nothing in such calls pay for what a class tuner begins
  /// with; and all that they pay, in seconds, which is spent then. For rank 0, which has the
  /// knowledge.
  /// @{
  bool untried_calls_pay(const CallClass& calls) const;
  double take_what_untried_calls_pay(const CallClass& calls);
  /// @}

  /// Whether a request of such calls, which is started again and again, is worth a class tuner from
  /// its making on; for rank 0. And what a native call of one has to take to be worth it, in
  /// seconds.
  /// @{
  bool is_worth_tuning(const CallClass& calls) const;
  double least_of_request_s() const;
  /// @}

  /// Meets in a context for plans' messages, and counts what that takes; false on all ranks where
  /// there is none. Collective.
  bool meet();

  /// Whether the network between the ranks is not known, and was not looked at; for rank 0. And a
  /// short look at it, for all ranks: collective.
  /// @{
  bool lacks_network() const;
  void probe();
  /// @}
  /// Whether there may be groups of hosts of which nobody knows, and the run has paid for a look
  /// for them; for rank 0. And that look, for all ranks: what it finds serves later programs
  /// wherever these hosts meet. Collective.
  /// @{
  bool lacks_groups() const;
  void find_groups();
  /// @}
  /// Calls that return at once wait for a look at the network, which they can't take themselves, if
  /// rank 0 lacks it; and takes that look, if any do: collective.
  /// @{
  void await_probe() { awaits_probe_ = true; }
  void probe_if_awaited();
  /// @}

 private:
  double left_to_begin() const;
  template <typename Says>
  bool told_by_root(Says says) const;
  const GroupLevels* told_levels() const;
  Network probe_with(const GroupLevels* groups);
  bool is_over();
  int ask(const CallClass& calls, ClassStartDelay& delay);
  double left_for(bool known_gain) const;
  double enough_of_class(const CallClass& calls) const;
  double opening() const;
  double telling() const;
  double probing() const;
  Placement placement() const;
  bool is_slow(double call_s) const;
  bool is_worth_opening(double call_s) const;
  bool is_paid_by(double untried_s) const;

  Learning& learning_;
  Communicator& communicator_;
  const Rules& rules_;
  StartDelay delay_;
  bool awaits_probe_ = false;
  bool probed_ = false;        // pairs that did not answer then won't the next time
  bool knows_groups_ = false;  // rank 0's
  double group_look_s_ = 0;    // what a look for groups of hosts takes, once that was seen
};

}  // namespace tutti::run
