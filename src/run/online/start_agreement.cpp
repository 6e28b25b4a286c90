#include "run/online/start_agreement.hpp"

#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "core/network/by_levels.hpp"
#include "core/network/groups.hpp"
#include "core/plan/plan.hpp"
#include "run/calls/communicator.hpp"
#include "run/mpi/hosts.hpp"
#include "run/mpi/native.hpp"
#include "run/online/group_look.hpp"
#include "run/online/quick_probe.hpp"

namespace tutti::run {

StartAgreement::StartAgreement(Learning& learning, Communicator& communicator, const Rules& rules)
    : learning_(learning), communicator_(communicator), rules_(rules), delay_(PMPI_Wtime()) {}

ClassStartDelay StartAgreement::delay_of(const CallClass& calls) const {
  return {calls.placement.hosts,
          total_bytes(calls.collective, communicator_.setting(), calls.size.smallest())};
}

int StartAgreement::calls_to_pass(const CallClass& calls, ClassStartDelay& delay) {
  return delay.calls_to_pass([&] { return is_over(); }, [&] { return ask(calls, delay); });
}

Evidence StartAgreement::slow_calls(const ClassStartDelay& delay) const {
  if (!is_slow(delay.alone())) return {};
  return {.calls = static_cast<double>(delay.timed()), .alone = delay.alone()};
}

// Whether the communicator's delay is over, before a call that would begin a class tuner.
bool StartAgreement::is_over() {
  if (!delay_.is_told()) return delay_.is_over();
  const bool decides = communicator_.rank() == 0;
  const double begin = decides ? PMPI_Wtime() : 0;
  int calls = 0;
  if (decides && !learning_.writer.knows_a_gain(placement()) &&
      !is_worth_opening(learning_.writer.slowest_native_seconds(placement())) &&
      !is_paid_by(learning_.writer.most_untried_seconds(placement()))) {
    const double has = learning_.budget.left_to_begin(rules_.learning, begin);
    calls = delay_.calls_to_pass(rules_.learning, opening() + probing() - has, begin);
  }
  native().MPI_Bcast(&calls, 1, MPI_INT, 0, communicator_.user());
  // The rank that decides waits for nobody: only it can tell what this costs.
  if (decides) learning_.budget.charge(PMPI_Wtime() - begin);
  delay_.pass(calls);
  return delay_.is_over();
}

// Asks all ranks how many calls pass until it is worth knowing what to try. The rank that spends
// most in the calls says what they took; rank 0, which has the knowledge, what is enough.
int StartAgreement::ask(const CallClass& calls, ClassStartDelay& delay) {
  // What calls took, what is enough, what earlier programs pay for, and, negative, what the
  // shortest and the last question took: that is told by the rank that came last and did not wait.
  std::array<double, 5> seconds{delay.taken(), 0, 0, -delay.shortest(), -delay.asking()};
  if (communicator_.rank() == 0) {
    seconds[1] = enough_of_class(calls);
    if (seconds[1] > 0 && delay_.is_over() && untried_calls_pay(calls)) {
      seconds[1] = 0;
      seconds[2] = opening() + probing();
      learning_.writer.try_for(calls, seconds[2] / rules_.learning.run_share);
    }
  }
  const double begin = PMPI_Wtime();
  native().MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX,
                         communicator_.user());
  const auto [taken, enough, paid, shortest, asked] = seconds;
  learning_.budget.charge(-asked);
  learning_.budget.earn(paid);
  return delay.answer(taken, enough, -shortest, PMPI_Wtime() - begin);
}

// What is left for a class of which nothing was tried yet, in seconds.
double StartAgreement::left_for(bool known_gain) const {
  constexpr std::size_t known_plan = native_arm + 1;  // what has to prove itself soon has all there is
  const ClassBudget of_class(rules_.learning, known_gain ? known_plan : native_arm);
  return learning_.budget.left(of_class, PMPI_Wtime()).beside_share;
}

// What calls of a class have to have taken to pay for finding out what to try in them.
double StartAgreement::enough_of_class(const CallClass& calls) const {
  const bool gains = learning_.writer.knows_a_gain(calls);
  const double left = left_for(gains);
  if ((gains && opening() <= left) || is_worth_opening(learning_.writer.native_seconds(calls))) return 0;
  return least_class_s(rules_.learning, opening(), left);
}

// The run has to have paid for what class tuners begin with, too; calls are expected to go on
// taking as much of it as they did.
double StartAgreement::enough(const CallClass& calls, double taken) const {
  const double of_class = enough_of_class(calls), missing = opening() + probing() - left_to_begin();
  if (of_class == 0 || missing <= 0) return of_class;
  const double run_s = PMPI_Wtime() - delay_.made_at(), still_s = missing / rules_.learning.run_share;
  return taken > 0 ? std::max(of_class, taken * (1 + still_s / run_s)) : std::numeric_limits<double>::max();
}

double StartAgreement::least_of_request_s() const {
  return rules_.learning.is_bound() ? online::least_of_request_s : 0;
}

// Programs have to have spent enough in such calls to pay for finding out what to try, or know a
// gain that is left to be had.
bool StartAgreement::is_worth_tuning(const CallClass& calls) const {
  if (!rules_.learning.is_bound()) return true;
  if (learning_.writer.knows_a_gain(calls)) return opening() <= left_for(true);
  const double first = opening() + probing();
  return learning_.writer.native_seconds(calls) >= least_of_request_s() &&
         learning_.writer.native_seconds_spent(calls) >= least_class_s(rules_.learning, first, first);
}

bool StartAgreement::meet() {
  if (communicator_.has_met()) return true;
  native().MPI_Barrier(communicator_.user());  // waiting for the last costs the program nothing
  const double begin = PMPI_Wtime();
  const bool were_open = Contexts::instance().are_open();
  if (!communicator_.meet()) return false;
  native().MPI_Barrier(communicator_.user());
  learning_.budget.met(PMPI_Wtime() - begin, were_open == Contexts::instance().are_open());
  return true;
}

bool StartAgreement::lacks_network() const {
  const GroupLevels* const groups = told_levels();
  return !probed_ &&
         learning_.writer.lacks_network(communicator_.hosts(), groups ? groups->of_hosts().size() : 0);
}

const GroupLevels* StartAgreement::told_levels() const {
  return communicator_.told_groups() ? communicator_.told_groups()->levels() : nullptr;
}

void StartAgreement::probe() {
  probed_ = true;
  if (communicator_.setting().shares_memory()) communicator_.share_memory();
  const Network network = probe_with(told_levels());
  if (communicator_.rank() == 0) learning_.writer.take(network);
}

Network StartAgreement::probe_with(const GroupLevels* groups) {
  const double begin = PMPI_Wtime();
  Network network = probe_quickly(communicator_, groups);
  learning_.budget.charge(PMPI_Wtime() - begin);
  return network;
}

// Latencies between any two hosts may be many times those between neighbours: where a look would
// have taken longer than the run had paid for, the next one waits for that.
bool StartAgreement::lacks_groups() const {
  const Hosts& hosts = communicator_.hosts();
  if (knows_groups_ || !rules_.learn || communicator_.told_groups() || !may_have_groups(hosts)) return false;
  const double look = group_look_s_ > 0
                          ? group_look_s_
                          : expected_group_look_s(hosts, learning_.writer.seconds_between_hosts(1));
  return look > 0 && look + 2 * online::longest_quick_probe_s <= left_to_begin();
}

double StartAgreement::left_to_begin() const {
  return learning_.budget.left_to_begin(rules_.learning, PMPI_Wtime());
}

// What rank 0 says, which has the knowledge.
template <typename Says>
bool StartAgreement::told_by_root(Says says) const {
  int told = communicator_.rank() == 0 && says();
  native().MPI_Bcast(&told, 1, MPI_INT, 0, communicator_.user());
  return told != 0;
}

// Groups that do not matter are none: what messages between them take is looked at first. Nothing
// changes on this communicator, where ranks have begun calls and made plans without groups.
void StartAgreement::find_groups() {
  if (!told_by_root([&] { return lacks_groups(); })) return;
  const std::vector<std::string> hosts = host_names_on_root(communicator_.user());
  if (told_by_root([&] { return knows_groups_ = learning_.writer.knows_groups_of(hosts); })) return;
  const double begin = PMPI_Wtime();
  GroupLook look = look_for_groups(communicator_, left_to_begin());
  group_look_s_ = look.whole_s;
  learning_.budget.charge(PMPI_Wtime() - begin);
  if (!told_by_root([&] { return knows_groups_ = !look.groups.empty(); })) return;
  look.groups = groups_by_root(communicator_.user(), look.groups);
  const ToldGroups found(with_groups_around({.hosts = communicator_.hosts()}, look.groups));
  if (found.levels()) {
    const Network network = probe_with(found.levels());
    if (communicator_.rank() != 0) return;
    if (levels_matter(network))
      learning_.writer.take(network);
    else
      for (auto& around : look.groups) around.resize(1);
  }
  if (communicator_.rank() == 0) learning_.writer.take(hosts, look.groups);
}

void StartAgreement::probe_if_awaited() {
  if (!std::exchange(awaits_probe_, false) || !communicator_.has_met()) return;
  if (told_by_root([&] { return lacks_network(); })) probe();
}

double StartAgreement::opening() const {
  return learning_.budget.opening(!communicator_.has_met()) + telling();
}

// Seconds until all ranks have heard what to try, along a tree between hosts; 0 where nobody knows
// yet what messages take.
double StartAgreement::telling() const {
  if (count(communicator_.hosts()) == 1) return 0;
  const auto steps = std::bit_width(static_cast<unsigned>(communicator_.ranks() - 1));
  return steps * learning_.writer.seconds_between_hosts(online::told_bytes);
}

void StartAgreement::told() {
  learning_.budget.charge(telling());
}

// Seconds for a look at the network, where it is not known yet.
double StartAgreement::probing() const {
  return lacks_network() ? expected_quick_probe_s(communicator_, told_levels()) : 0;
}

Placement StartAgreement::placement() const {
  return {communicator_.ranks(), count(communicator_.hosts())};
}

// Whether calls that take `call_s` seconds are so slow that each pays for finding out what to try
// in them, if the network is known.
bool StartAgreement::is_slow(double call_s) const {
  return call_s > 0 && call_s >= least_class_s(rules_.learning, opening(), opening());
}

// Whether programs that tried nothing in some calls have earned in them what a class tuner begins
// with, as runs earn it. For rank 0, which has the knowledge.
bool StartAgreement::is_paid_by(double untried_s) const {
  return rules_.learning.run_share * untried_s >= opening() + probing();
}

bool StartAgreement::untried_calls_pay(const CallClass& calls) const {
  return is_paid_by(learning_.writer.untried_seconds(calls));
}

double StartAgreement::take_what_untried_calls_pay(const CallClass& calls) {
  const double untried = learning_.writer.untried_seconds(calls);
  if (untried > 0) learning_.writer.try_for(calls, untried);
  return rules_.learning.run_share * untried;
}

// Whether calls are slow and the network is known, or programs have spent enough in slow calls to
// pay for a look at it. For rank 0, which has the knowledge.
bool StartAgreement::is_worth_opening(double call_s) const {
  if (!is_slow(call_s)) return false;
  const double probe = probing(), first = opening() + probe;
  return probe == 0 ||
         learning_.writer.seconds_in_slow_calls(placement()) >= least_class_s(rules_.learning, first, first);
}

}  // namespace tutti::run
