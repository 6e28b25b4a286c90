#pragma once

#include "choose/settings/configuration.hpp"
#include "run/online/learning.hpp"

namespace tutti::run {

class Communicator;

/// How long the class tuners of a communicator wait, where nobody knows a plan that gains, for the program to
/// have run so long that beginning one is paid for.
class StartDelay {
 public:
  StartDelay(Learning& learning, Communicator& communicator, const Rules& rules);

  /// Whether it is over, before a call that would begin a class tuner. Collective now and then.
  bool is_over();

  /// Whether calls that take `call_s` seconds are so slow that each pays for finding out what to
  /// try in them, if the network is known.
  bool is_slow(double call_s) const;
  /// Whether calls are slow and the network is known, or programs have spent enough in slow calls
  /// to pay for a look at it. For rank 0, which has the knowledge.
  bool is_worth_opening(double call_s) const;
  /// What a class tuner begins with, in seconds, on this communicator.
  double opening() const;

 private:
  int calls_to_wait() const;
  double probing() const;
  Placement placement() const;

  Learning& learning_;
  Communicator& communicator_;
  const Rules& rules_;
  bool over_ = false;
  int calls_ = 0, left_ = 0;
  double made_at_;
};

}  // namespace tutti::run
