#include "run/online/patience.hpp"

#include "choose/online/patience.hpp"
#include "run/calls/communicator.hpp"
#include "run/mpi/native.hpp"
#include "run/online/quick_probe.hpp"

namespace tutti::run {

Patience::Patience(Learning& learning, Communicator& communicator, const Rules& rules)
    : learning_(learning), communicator_(communicator), rules_(rules), made_at_(PMPI_Wtime()) {}

bool Patience::is_over() {
  if (over_ || calls_++ < left_) return over_;
  const int later = calls_to_wait();
  over_ = later == 0;
  left_ = calls_ + later - 1;
  return over_;
}

double Patience::opening() const {
  return learning_.spending.opening(!communicator_.has_met());
}

// Seconds for a look at the network, where it is not known yet.
double Patience::probing() const {
  const Hosts& hosts = communicator_.hosts();
  return learning_.writer.lacks_network(hosts) ? expected_quick_probe_s(hosts) : 0;
}

Placement Patience::placement() const {
  return {communicator_.ranks(), count(communicator_.hosts())};
}

bool Patience::is_slow(double call_s) const {
  return call_s > 0 && call_s >= least_class_s(rules_.learning, opening(), opening());
}

bool Patience::is_worth_opening(double call_s) const {
  if (!is_slow(call_s)) return false;
  const double probe = probing(), first = opening() + probe;
  return probe == 0 ||
         learning_.writer.seconds_in_slow_calls(placement()) >= least_class_s(rules_.learning, first, first);
}

// Rank 0 says it on the user's communicator: a short program has no other, and making one connects,
// too.
int Patience::calls_to_wait() const {
  int later = 0;
  if (communicator_.rank() == 0 && !learning_.writer.knows_a_gain(placement()) &&
      !is_worth_opening(learning_.writer.slowest_native_seconds(placement()))) {
    const double now = PMPI_Wtime();
    const double missing = opening() + probing() - learning_.spending.to_begin(rules_.learning, now);
    const double lacking = seconds_to_run(rules_.learning, missing);
    if (lacking > 0) later = tutti::calls_to_wait(lacking, now - made_at_, calls_);
  }
  native().bcast(&later, 1, MPI_INT, 0, communicator_.user());
  return later;
}

}  // namespace tutti::run
