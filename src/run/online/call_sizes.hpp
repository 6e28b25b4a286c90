#pragma once

#include <memory>
#include <optional>

#include "run/online/size_agreement.hpp"

namespace tutti::run {

/// The sizes of the calls of a communicator of which each rank knows its own (has_own_sizes), as
/// its ranks have agreed on them, for each operation in each mode. Tables that decide by them, and
/// learning, go by the same.
class CallSizes {
 public:
  CallSizes(Learning& learning, Communicator& communicator)
      : learning_(learning), communicator_(communicator) {}

  /// Whether it is known here what size ranks take the next call to have, or that they can't tell:
  /// not where some have yet to be heard of a call that returns at once. Looks at numbers only.
  bool knows_next(Called called) const;
  /// What size the next call is taken to have, until it is counted; nothing where ranks can't tell
  /// yet. Collective now and then, but for calls that return at once, and none of these before it
  /// is known.
  std::optional<SizeClass> next(Called called) { return of(called).next(); }
  /// What size the next call that blocks is taken to have, also the first; `own` is this rank's.
  SizeClass next_agreed(Collective collective, std::size_t own);
  /// Whether ranks agree on something before the next call of those that block.
  bool is_due(Collective collective) { return of(Called{collective}).is_due(); }
  /// The class that calls taken to have such a size are learnt of in.
  SizeClass learnt_as(Called called, SizeClass taken) { return of(called).learnt_as(taken); }
  /// Counts that call: it is made now.
  void count(Called called, std::size_t own) { of(called).count(own); }
  /// The size of a persistent request, which all ranks are making: they tell each other, once for
  /// all starts. Collective.
  SizeClass of_request(std::size_t own) const;

 private:
  SizeAgreement& of(Called called);

  Learning& learning_;
  Communicator& communicator_;
  ByCalled<std::unique_ptr<SizeAgreement>> known_;
};

}  // namespace tutti::run
