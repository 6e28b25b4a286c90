#pragma once

#include <array>
#include <memory>

#include "run/calls/call_size.hpp"
#include "run/calls/carry_out.hpp"
#include "run/mpi/reduction.hpp"
#include "run/online/learner.hpp"
#include "run/process/constants.hpp"
#include "run/process/profiler.hpp"
#include "run/process/program_phases.hpp"

namespace tutti::run {

/// What was found out of a call, which holds for all calls of its operation on the same
/// communicator with the same arguments but for the buffers. Programs repeat their calls: a second
/// one is neither sized nor routed.
struct KnownCall {
  // The arguments, and whether buffers are MPI_IN_PLACE.
  std::int64_t sendcount = -1, recvcount = -1;  // no valid call has these
  MPI_Datatype sendtype = MPI_DATATYPE_NULL, recvtype = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  Rank root = 0;
  bool in_place = false;
  int phase = 0;  // of the program, which profiles tell apart

  CallFacts facts{0};
  Decision* decision = nullptr;  ///< that serves the calls, if no class tuner does
  ClassTuner* tuner = nullptr;   ///< that they belong to
  CallRecord* record = nullptr;  ///< where they are profiled, if they are
  BoundCall bound;               ///< how a plan carried one out

  // Whether a call's buffers have to be looked at again.
  static bool looks_wrong(const Call& call) {
    return (call.recvbuf == call.sendbuf || !call.recvbuf || call.recvbuf == MPI_IN_PLACE) &&
           call.recvcount > 0;
  }

  bool is_like(const Call& call) const {
    return recvcount == call.recvcount && recvtype == call.recvtype && op == call.op && root == call.root &&
           sendcount == call.sendcount && sendtype == call.sendtype &&
           in_place == (call.sendbuf == MPI_IN_PLACE) && !looks_wrong(call) &&
           phase == current_phase.load(std::memory_order_relaxed);
  }
};

/// Some calls of each operation on a communicator, the last ones as far as they fall into different
/// places.
class KnownCalls {
 public:
  /// A call like this one, or null.
  KnownCall* find(Collective collective, const Call& call) {
    auto& known = known_[static_cast<std::size_t>(collective)];
    if (!known) return nullptr;
    KnownCall& there = (*known)[place(call)];
    return there.is_like(call) ? &there : nullptr;
  }

  /// Forgets all calls: other decisions hold from now on.
  void forget() { known_ = {}; }

  /// Keeps what was found of a call, in the place of another. Null for calls whose arguments may
  /// mean something else the next time: counts in arrays, handles of the user's, arguments that are
  /// only significant somewhere.
  KnownCall* remember(Collective collective, const Call& call, const KnownCall& found) {
    if (!is_lasting(collective, call)) return nullptr;
    auto& known = known_[static_cast<std::size_t>(collective)];
    if (!known) known = std::make_unique<Known>();
    KnownCall& there = (*known)[place(call)];
    there = found;
    there.sendcount = call.sendcount;
    there.recvcount = call.recvcount;
    there.sendtype = call.sendtype;
    there.recvtype = call.recvtype;
    there.op = call.op;
    there.root = call.root;
    there.in_place = call.sendbuf == MPI_IN_PLACE;
    there.phase = current_phase.load(std::memory_order_relaxed);
    return &there;
  }

 private:
  using Known = std::array<KnownCall, process::known_calls>;

  static std::size_t place(const Call& call) {
    const auto count = static_cast<std::size_t>(call.recvcount);
    return (count ^ count >> 3 ^ count >> 8) % process::known_calls;
  }

  static bool is_lasting(MPI_Datatype type) {
    const TypeInfo* info = type_info(type);
    return info && info->predefined;
  }

  static bool is_lasting(Collective collective, const Call& call) {
    if (is_irregular(collective)) return false;
    switch (collective) {
      case Collective::barrier:
        return true;
      case Collective::allgather:
      case Collective::alltoall:
      case Collective::neighbor_allgather:
      case Collective::neighbor_alltoall:
        return is_lasting(call.recvtype) && (call.sendbuf == MPI_IN_PLACE || is_lasting(call.sendtype));
      case Collective::gather:
      case Collective::scatter:
        return false;
      default:
        return is_lasting(call.recvtype) && (!traits(collective).reduces || is_predefined(call.op));
    }
  }

  std::array<std::unique_ptr<Known>, collectives.size()> known_;
};

}  // namespace tutti::run
