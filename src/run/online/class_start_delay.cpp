#include "run/online/class_start_delay.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "choose/online/start_time.hpp"
#include "core/plan/plan.hpp"
#include "run/calls/communicator.hpp"
#include "run/mpi/native.hpp"

namespace tutti::run {
namespace {

constexpr int least_calls = 2;  // a class that programs use less often is not worth a word
constexpr int timed_first = 4, timed_every = 8;
constexpr int early_looks = 4;                   // calls, of which every other one begins with a word
constexpr std::size_t large_bytes = 512 * 1024;  // take longer than a word between hosts, on any network

}  // namespace

ClassStartDelay::ClassStartDelay(Learning& learning, Communicator& communicator, const Rules& rules,
                                 StartDelay& of_all, const CallClass& calls)
    : learning_(learning),
      communicator_(communicator),
      rules_(rules),
      of_all_(of_all),
      class_(calls),
      large_(calls.placement.hosts > 1 &&
             total_bytes(calls.collective, communicator.setting(), calls.size.smallest()) >= large_bytes) {}

int ClassStartDelay::calls_to_pass() {
  const int later = wait();
  times_next_ = later == 1 && (timed_ < timed_first || calls_ % timed_every == 0);
  timed_ += times_next_;
  calls_ += later;
  return later;
}

void ClassStartDelay::took(double seconds) {
  in_timed_ += seconds;
  shortest_ = std::min(shortest_, seconds);
}

int ClassStartDelay::wait() {
  if (calls_ == 0 && !large_) return least_calls;
  const bool over = of_all_.is_over();
  if (over && timed_ >= timed_first) return ask();
  return looks_early() && ask() == 0 && over ? 0 : 1;
}

// A few large calls may be all there are, and yet worth it.
bool ClassStartDelay::looks_early() const {
  return large_ && calls_ < early_looks && calls_ % 2 == 0;
}

// Asks all ranks how many calls pass until it is worth knowing what to try; 0: it is worth it. The
// rank that spends most in the calls says what they took; rank 0, which has the knowledge, what is
// enough; on the user's communicator, for a short program has no other. What asking cost is told
// the next time, by the rank that came last and did not wait.
int ClassStartDelay::ask() {
  // What calls took, what is enough, and, negative, what the shortest and the last question took.
  std::array<double, 4> seconds{timed_ > 0 ? in_timed_ / timed_ * calls_ : 0, 0, -shortest_, -asking_};
  if (communicator_.rank() == 0 && !is_known_to_be_worth_it())
    seconds[1] = least_class_s(rules_.learning, of_all_.opening(),
                               learning_.spending.doubtful_spare(rules_.learning, {}, PMPI_Wtime()));
  const double begin = PMPI_Wtime();
  native().MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX,
                         communicator_.user());
  asking_ = PMPI_Wtime() - begin;
  const auto [taken, enough, shortest, asked] = seconds;
  learning_.spending.charge(-asked);
  alone_ = std::isfinite(shortest) ? -shortest : 0;
  return taken < enough ? tutti::calls_to_wait(enough - taken, taken, calls_) : 0;
}

bool ClassStartDelay::is_known_to_be_worth_it() const {
  return learning_.writer.knows_a_gain(class_) ||
         of_all_.is_worth_opening(learning_.writer.native_seconds(class_));
}

Evidence ClassStartDelay::slow_calls() const {
  if (!of_all_.is_slow(alone_)) return {};
  return {.calls = static_cast<double>(timed_), .alone = alone_};
}

}  // namespace tutti::run
