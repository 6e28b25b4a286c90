// Duplicates of communicators that are made while the program goes on.

#include "run/calls/own_collective.hpp"
#include "run/calls/reported.hpp"
#include "run/process/process.hpp"
#include "run/requests/user_request.hpp"

namespace tutti::run {

struct Process::Duplicate {
  explicit Duplicate(CommunicatorState& origin)
      : context(origin.communicator.context_of_duplicate()),
        newborn(std::make_unique<Newborn>(Newborn{origin.number, std::nullopt})) {
    newborn->number.push_back(++origin.duplicates);
  }

  MPI_Comm made = MPI_COMM_NULL;
  PromisedNumber context;
  std::unique_ptr<Newborn> newborn;
  OwnCollective making;
  std::unique_ptr<UserRequest> request = make_generalized_request();  // the program's
};

// What decides is what all ranks know by the order of calls on `from`: those on others may have
// come in another order, for this one waits for nobody.
int Process::duplicate(MPI_Comm from, MPI_Comm* made, MPI_Request* request,
                       const std::function<int()>& make) {
  if (!made || !request) return make();
  return guarded(from, [&]() -> int {
    CommunicatorState* origin = find_known(from);
    if (origin) origin->begin_duplication();
    if (!origin || !makes_ready_of(from) || !origin->serves_at_once() || !origin->agreement.of_world ||
        !origin->communicator.reserves_contexts() || !may_follow_world())
      return make();
    const auto one = [&] {
      const Inside inside;
      return std::make_shared<Duplicate>(*origin);
    }();
    if (const int error = one->request->start(); error != MPI_SUCCESS) return error;
    MPI_Request handle = one->request->handle();
    *made = MPI_COMM_NULL;
    if (const int error = make(); error != MPI_SUCCESS) {  // callbacks of the program's may fail
      one->request->complete(error);
      PMPI_Request_free(&handle);
      return error;
    }
    // Where the program has it may be another place when the request is complete, in Fortran.
    one->made = *made;
    const MPI_Request native = std::exchange(*request, handle);
    one->making.begin([=](MPI_Request* of) {
      *of = native;
      return MPI_SUCCESS;
    });
    one->making.drive(from, true);
    see_to({from, [this, one] { return is_complete(*one); }});
    return MPI_SUCCESS;
  });
}

// The program's request is complete when it may use the communicator and the ranks have told each
// other which number its context has. Where none was free it waits for a call that blocks.
bool Process::is_complete(Duplicate& one) {
  if (!one.making.is_complete() || !one.context.is_known()) return false;
  const int error = one.making.finish();
  auto number = one.context.take();
  if (number && error == MPI_SUCCESS && one.made != MPI_COMM_NULL) {
    one.newborn->context.emplace(std::move(*number));
    keep(one.made, std::move(one.newborn));
  }
  one.request->complete(error);
  return true;
}

}  // namespace tutti::run
