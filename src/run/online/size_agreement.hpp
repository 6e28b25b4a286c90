#pragma once

#include "choose/online/size_pattern.hpp"
#include "run/calls/communicator.hpp"
#include "run/online/agreement.hpp"
#include "run/online/learning.hpp"

namespace tutti::run {

/// How the ranks of a communicator agree on the size of calls of which each knows only its own: by
/// those of earlier calls, which they tell each other while the program goes on.
class SizeAgreement {
 public:
  /// An agreement of calls that block, or of calls that return at once, in which nobody waits.
  SizeAgreement(Learning& learning, Communicator& communicator, bool at_once)
      : learning_(learning),
        communicator_(communicator),
        at_once_(at_once),
        pattern_(at_once ? online::calls_of_an_agreement : tutti::online::calls_while_sizes_are_told) {}

  /// Whether `next` waits for nobody: what ranks tell each other was heard, if it is needed now.
  bool knows_next() const { return !pattern_.is_heard() || agreement_.is_complete(); }
  /// The ranks are in a call that blocks, of which `own` is this rank's size: where it is the first
  /// one they tell each other. Collective then.
  void agree_on_first(std::size_t own);
  /// Whether `next` is collective now, or `agree_on_first` is.
  bool is_due() const { return pattern_.calls() == 0 || pattern_.is_told() || pattern_.is_heard(); }
  /// What size the next call is taken to have, until it is counted; nothing where that can't be
  /// told yet. Collective now and then.
  std::optional<SizeClass> next();
  /// The class that calls taken to have such a size are learnt of in.
  SizeClass learnt_as(SizeClass taken) { return pattern_.learnt_as(taken); }
  /// Counts that call, of which `own` is this rank's size.
  void count(std::size_t own) { pattern_.count(SizeClass::of(own)); }

 private:
  void tell();
  void hear();

  Learning& learning_;
  Communicator& communicator_;
  bool at_once_;
  SizePattern pattern_;
  Agreement<SharedSize> agreement_;
};

}  // namespace tutti::run
