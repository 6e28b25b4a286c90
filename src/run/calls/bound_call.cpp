#include "run/calls/bound_call.hpp"

#include "run/calls/constants.hpp"

namespace tutti::run {

BoundCall::BoundCall(const Communicator& c, const Plan& plan, const Program& program, const Call& call)
    : era_(c.programs().era()),
      program_(&program),
      in_memory_(plan.uses_memory()),
      operands_(c.workspace().execution.operands()),
      arena_(c.workspace().arena.given()) {
  if (arena_ > calls::most_kept_bytes) return;  // bound calls do not shrink the arena
  for (int buffer = 0; buffer < 3; ++buffer) {
    char* const base = operands_.base[buffer];
    Place& place = places_[buffer];
    const bool is_input = buffer == static_cast<int>(Buffer::input);
    if (!base) continue;
    if (is_input && call.sendbuf == MPI_IN_PLACE)
      place = {recvbuf, base - static_cast<char*>(call.recvbuf)};
    else if (is_input && base == call.sendbuf)
      place = {sendbuf};
    else if (base == call.recvbuf)
      place = {recvbuf};
    else if (c.workspace().arena.holds(base))
      place = {arena, base - c.workspace().arena.begin()};
    else
      return;
  }
  plan_ = plan.id();
}

}  // namespace tutti::run
