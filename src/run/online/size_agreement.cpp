#include "run/online/size_agreement.hpp"

#include "run/calls/under_way.hpp"

namespace tutti::run {

std::optional<SizeClass> SizeAgreement::next(std::size_t own) {
  if (pattern_.is_told()) tell();
  if (pattern_.is_heard()) hear();
  const auto taken = pattern_.next();
  pattern_.count(SizeClass::of(own));
  return taken;
}

void SizeAgreement::tell() {
  const Blocking agreeing(communicator_.user());
  const double begin = PMPI_Wtime();
  agreement_.begin(pattern_.tell(), communicator_.user());
  learning_.budget.charge(PMPI_Wtime() - begin);
}

// Who waits here for others would wait for them in the call. Where MPI failed nothing more is told.
void SizeAgreement::hear() {
  const Blocking agreeing(communicator_.user());
  if (const auto all = agreement_.finish(); !all.empty()) pattern_.hear(all);
}

}  // namespace tutti::run
