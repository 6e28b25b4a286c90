#include "run/online/size_agreement.hpp"

#include "run/mpi/agreed.hpp"

namespace tutti::run {

void SizeAgreement::agree_on_first(std::size_t own) {
  if (pattern_.calls() > 0) return;
  pattern_.begin_with({largest_said(SizeClass::of(own).number, communicator_.user())});
}

std::optional<SizeClass> SizeAgreement::next() {
  if (pattern_.is_told()) tell();
  if (pattern_.is_heard()) hear();
  return pattern_.next();
}

void SizeAgreement::tell() {
  const MPI_Comm comm = communicator_.user();
  const double begin = PMPI_Wtime();
  agreement_.begin(pattern_.tell(), comm);
  if (at_once_) agreement_.drive(comm);
  learning_.budget.charge(PMPI_Wtime() - begin);
}

// Who waits here for others would wait for them in the call; calls that return at once come when
// all have said it. Where MPI failed nothing more is told.
void SizeAgreement::hear() {
  if (const auto all = agreement_.finish(); !all.empty()) pattern_.hear(all);
}

}  // namespace tutti::run
