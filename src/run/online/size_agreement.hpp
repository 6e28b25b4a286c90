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
  SizeAgreement(Learning& learning, Communicator& communicator)
      : learning_(learning), communicator_(communicator) {}

  /// What size the next call is taken to have, of which `own` is this rank's; nothing where that
  /// can't be told yet. Collective now and then.
  std::optional<SizeClass> next(std::size_t own);

 private:
  void tell();
  void hear();

  Learning& learning_;
  Communicator& communicator_;
  SizePattern pattern_;
  Agreement<SharedSize> agreement_;
};

}  // namespace tutti::run
