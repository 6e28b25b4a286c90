#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "run/calls/constants.hpp"
#include "run/calls/inside.hpp"

/// Calls that return at once and are under way (run/requests), as other calls see them: something
/// to drive on.
namespace tutti::run {

/// How many nonblocking calls by plans, and errands, are under way in this process.
inline constinit std::atomic<int> under_way{0};
inline bool any_under_way() {
  return under_way.load(std::memory_order_relaxed) > 0;
}

/// Something of ours that goes on beside calls by plans: asked again and again, whenever the
/// program calls, until it is done. It may go on by nonblocking calls of the MPI library.
struct Errand {
  /// A communicator of which no collective that blocks may begin until it is done, or
  /// MPI_COMM_NULL.
  MPI_Comm before;
  std::function<bool()> is_done;
  /// Whether it begins calls on that communicator, which nonblocking ones may not overtake either.
  bool holds_calls = false;
  /// Whether it is asked only where the program waits, or asks for requests: Open MPI 4.1 hangs in
  /// programs that begin a second MPI_Comm_idup after its progress was called.
  bool where_waited = false;
};

/// What drives them on, set when this process begins.
struct Driver {
  void (*all)();  ///< as far as they go without waiting, but for those that another thread drives
  void (*see_to)(Errand);
  /// Drives all until no errand is left that has to be done before others of a communicator, or
  /// none that holds calls.
  void (*finish_before)(MPI_Comm, bool holds_calls_only);
  /// Returns whether the MPI library drives them on while this thread blocks in it.
  bool (*before_blocking)(MPI_Comm comm, bool with_launcher);
};
inline constinit std::atomic<const Driver*> calls_driver{nullptr};

/// While it lives this thread blocks in the MPI library, for all ranks of a communicator or for
/// others.
///
/// What is under way is driven on meanwhile by the library, or by a thread of ours. Where neither
/// does, as in functions in which the library waits for the launcher, calls of this thread are
/// driven before: nonblocking ones on `comm` to their end, for all ranks start them before they
/// come; others as long as there is patience, for other ranks may start theirs only when this one
/// has gone on.
class Blocking {
 public:
  explicit Blocking(MPI_Comm comm = MPI_COMM_NULL, bool with_launcher = false) {
    if (any_under_way()) [[unlikely]] {
      before_ = memo.blocks;
      memo.blocks = calls_driver.load(std::memory_order_acquire)->before_blocking(comm, with_launcher);
    }
  }
  Blocking(const Blocking&) = delete;
  Blocking& operator=(const Blocking&) = delete;
  ~Blocking() {
    if (before_) [[unlikely]]
      memo.blocks = *before_;
  }

 private:
  std::optional<bool> before_;  // what memo.blocks was; nothing where nothing was under way
};

/// Calls what blocks in the MPI library.
template <typename Pass>
int blocking(MPI_Comm comm, Pass&& pass, bool with_launcher = false) {
  const Blocking here(comm, with_launcher);
  return pass();
}

/// Drives all calls under way as far as they go without waiting, but for those that another thread
/// drives.
inline void progress() {
  if (!any_under_way()) return;
  const Inside inside;
  calls_driver.load(std::memory_order_acquire)->all();
}

/// Adds an errand. For one thread: where several call there are none.
inline void see_to(Errand errand) {
  calls_driver.load(std::memory_order_acquire)->see_to(std::move(errand));
}

/// Adds one that tells how something of the MPI library's has ended: `test(&done)` looks for the
/// end, and `ended` is given MPI's error code.
template <typename Test, typename Ended>
void see_to_end(Test test, Ended ended) {
  see_to({MPI_COMM_NULL, [test = std::move(test), ended = std::move(ended)]() mutable {
            int done = 0;
            const int error = test(&done);
            if (error == MPI_SUCCESS && !done) return false;
            ended(error);
            return true;
          }});
}

/// Drives on until no errand has to be done before collectives of a communicator that block.
inline void finish_errands_before(MPI_Comm comm) {
  if (any_under_way()) calls_driver.load(std::memory_order_acquire)->finish_before(comm, false);
}

/// Drives on until calls of a communicator have begun that were started and held back.
inline void begin_held_calls_of(MPI_Comm comm) {
  if (any_under_way()) calls_driver.load(std::memory_order_acquire)->finish_before(comm, true);
}

/// Asks until the answer is yes, and drives on what is under way. Ranks may outnumber processors.
/// Returns MPI's error code.
template <typename Ask>
int drive_until(Ask&& ask) {
  const Inside inside;
  std::optional<InWait> waiting;  // not where all is there
  for (std::int64_t looks = 0;; ++looks) {
    progress();
    int done = 0;
    if (const int error = ask(&done); error != MPI_SUCCESS || done) return error;
    if (!waiting) waiting.emplace();
    if (looks > calls::looks_before_yielding) sched_yield();
  }
}

}  // namespace tutti::run
