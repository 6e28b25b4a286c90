#pragma once

#include "core/plan/plan.hpp"
#include "run/calls/run_to_end.hpp"
#include "run/mpi/call.hpp"

namespace tutti::run {

/// A call that a plan has carried out, as another one with the same arguments can be: by which
/// program, and where that works, by the call's own buffers.
class BoundCall {
 public:
  BoundCall() = default;
  /// Binds a call that was carried out, by what its operands say. Nothing where they lie elsewhere
  /// than in the call's buffers and the communicator's memory.
  BoundCall(const Communicator& c, const Plan& plan, const Program& program, const Call& call);

  /// Whether it says how that plan carries the call out.
  bool is_by(const Plan& plan, const Communicator& c) const {
    return plan_ == plan.id() && era_ == c.programs().era();
  }

  /// Carries a call out. Returns MPI's error code.
  int run(Communicator& c, const Call& call) const {
    char* const begins[] = {nullptr, static_cast<char*>(const_cast<void*>(call.sendbuf)),
                            static_cast<char*>(call.recvbuf), c.workspace().arena.get(arena_)};
    Operands& operands = c.workspace().execution.operands();
    operands = operands_;
    for (int buffer = 0; buffer < 3; ++buffer)
      operands.base[buffer] = begins[places_[buffer].where] + places_[buffer].offset;
    return run_to_end(c, *program_, in_memory_);
  }

 private:
  enum Where : unsigned char { nowhere, sendbuf, recvbuf, arena };
  struct Place {
    Where where = nowhere;
    std::ptrdiff_t offset = 0;
  };

  int plan_ = 0;  // no plan has that number
  std::uint64_t era_ = 0;
  const Program* program_ = nullptr;
  bool in_memory_ = false;
  Operands operands_;
  Place places_[3];
  std::size_t arena_ = 0;  // bytes
};

}  // namespace tutti::run
