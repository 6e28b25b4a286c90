#include "run/online/call_sizes.hpp"

#include "run/mpi/agreed.hpp"

namespace tutti::run {

SizeAgreement& CallSizes::of(Called called) {
  auto& known = known_[called];
  if (!known)
    known = std::make_unique<SizeAgreement>(learning_, communicator_, called.mode != Mode::blocking);
  return *known;
}

bool CallSizes::knows_next(Called called) const {
  const auto& known = known_[called];
  return !known || known->knows_next();
}

SizeClass CallSizes::next_agreed(Collective collective, std::size_t own) {
  SizeAgreement& agreement = of(Called{collective});
  agreement.agree_on_first(own);
  return agreement.next().value_or(SizeClass{});
}

SizeClass CallSizes::of_request(std::size_t own) const {
  return {largest_said(SizeClass::of(own).number, communicator_.user())};
}

}  // namespace tutti::run
