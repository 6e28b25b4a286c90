#include "run/online/start_delay.hpp"

#include "choose/online/start_time.hpp"
#include "run/calls/communicator.hpp"
#include "run/mpi/native.hpp"
#include "run/online/quick_probe.hpp"

namespace tutti::run {

StartDelay::StartDelay(Learning& learning, Communicator& communicator, const Rules& rules)
    : learning_(learning), communicator_(communicator), rules_(rules), made_at_(PMPI_Wtime()) {}

bool StartDelay::is_over() {
  if (over_ || calls_++ < left_) return over_;
  const int later = calls_to_wait();
  over_ = later == 0;
  left_ = calls_ + later - 1;
  return over_;
}

double StartDelay::opening() const {
  return learning_.spending.opening(!communicator_.has_met());
}

// Seconds for a look at the network, where it is not known yet.
double StartDelay::probing() const {
  const Hosts& hosts = communicator_.hosts();
  return learning_.writer.lacks_network(hosts) ? expected_quick_probe_s(hosts) : 0;
}

Placement StartDelay::placement() const {
  return {communicator_.ranks(), count(communicator_.hosts())};
}

bool StartDelay::is_slow(double call_s) const {
  return call_s > 0 && call_s >= least_class_s(rules_.learning, opening(), opening());
}

bool StartDelay::is_worth_opening(double call_s) const {
  if (!is_slow(call_s)) return false;
  const double probe = probing(), first = opening() + probe;
  return probe == 0 ||
         learning_.writer.seconds_in_slow_calls(placement()) >= least_class_s(rules_.learning, first, first);
}

// Rank 0 says it on the user's communicator: a short program has no other, and making one connects,
// too.
int StartDelay::calls_to_wait() const {
  int later = 0;
  if (communicator_.rank() == 0 && !learning_.writer.knows_a_gain(placement()) &&
      !is_worth_opening(learning_.writer.slowest_native_seconds(placement()))) {
    const double now = PMPI_Wtime();
    const double missing = opening() + probing() - learning_.spending.to_begin(rules_.learning, now);
    const double lacking = seconds_to_run(rules_.learning, missing);
    if (lacking > 0) later = tutti::calls_to_wait(lacking, now - made_at_, calls_);
  }
  native().MPI_Bcast(&later, 1, MPI_INT, 0, communicator_.user());
  return later;
}

}  // namespace tutti::run
