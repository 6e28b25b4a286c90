#include "measuring/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "measuring/memory.hpp"
#include "mpi/hosts.hpp"
#include "mpi/pause.hpp"

namespace tutti::runtime {
namespace {

int run(Workload& workload, const Plan& plan) {
  return plan.is_native() ? workload.run_natively() : workload.run(plan);
}

#ifdef TUTTI_SIMULATED
// In a simulation ranks begin at the same time, and times repeat exactly: one call says all. All of them are
// processes of this host.
constexpr bool simulated = true;

// Lets all ranks begin at the same time: the simulation's clock is everyone's, so that they can agree on a
// moment.
void synchronize(Communicator& c) {
  pause(Trees(c).largest(PMPI_Wtime()) + 0.5 - PMPI_Wtime());
}
#else
constexpr bool simulated = false;

// Lets all ranks begin at about the same time: by a barrier of ours, so that it is the same one whatever the
// library's own is like.
void synchronize(Communicator& c) {
  static const Plan& barrier = *new Plan(make_plan(Collective::barrier, "dissemination").value());
  carry_out(c, barrier, Call{});
}
#endif

// Calls one after another, timed on every rank from the moment of `synchronize`: seconds a call.
double timed(Workload& workload, const Plan& plan, int calls, Communicator& c) {
  synchronize(c);
  const double begin = PMPI_Wtime();
  for (int call = 0; call < calls; ++call) {
    workload.set_root(call % c.ranks());
    run(workload, plan);
  }
  return (PMPI_Wtime() - begin) / calls;
}

// How many calls one sample takes: ranks leave a barrier one after another, which has to weigh little.
int calls_a_sample(Workload& workload, const Plan& plan, Communicator& c) {
  if (simulated) return 1;
  constexpr double least_sample = 100e-6;
  double slowest = 0;
  for (const int calls : {1, 10}) {
    slowest = Trees(c).largest(timed(workload, plan, calls, c));
    if (slowest > least_sample) return 1;
  }
  return std::clamp(static_cast<int>(least_sample / slowest), 1, 1000);
}

// The first run of a plan: makes its schedule, and shows whether the result is right. The slowest rank's
// seconds; nothing if a rank has a wrong result.
std::optional<double> try_out(Workload& workload, const Plan& plan, Communicator& c) {
  workload.fill();
  synchronize(c);
  const double begin = PMPI_Wtime();
  const bool well = run(workload, plan) == MPI_SUCCESS;
  const double seconds = PMPI_Wtime() - begin;
  auto slowest = Trees(c).largest({seconds, well && workload.check() ? 0.0 : 1.0});
  Trees(c).tell(slowest.data(), slowest.size() * sizeof(double));
  if (slowest[1] > 0) return std::nullopt;
  return slowest[0];
}

// Whether the first call takes as long as the next: the library makes connections, and phases that are left
// to it communicators.
bool is_alike_from_the_start(const Plan& plan) {
  return simulated && !plan.is_native() && !plan.has_native_phases();
}

// Why a call's buffers are too much for the memory of a host, on all ranks; empty if they are not.
std::string why_too_large(const Bench::Request& request, Communicator& c) {
  const double own = workload_bytes(request.point.collective, c.ranks(), request.point.size);
  const auto together =
      static_cast<double>(simulated ? c.ranks()
                                    : std::count(c.hosts().begin(), c.hosts().end(),
                                                 c.hosts()[static_cast<std::size_t>(c.rank())]));
  const double there = available_memory();
  const double share = Trees(c).largest(there > 0 ? own * together / there : 0.0);
  if (share <= 0.5) return "";
  constexpr double gibi = 1 << 30;
  return fmt::format(
      "{} of {} bytes on {} ranks: the buffers of a host's ranks take {:.1f} GB, {:.0f} % of what is free",
      name(request.point.collective), request.point.size, request.point.ranks, own * together / gibi,
      100 * share);
}

}  // namespace

Communicator* Bench::group(int ranks) {
  if (ranks == everybody_.ranks()) return &everybody_;
  const auto [entry, added] = groups_.try_emplace(ranks);
  Group& group = entry->second;
  if (added) {
    MPI_Comm made = MPI_COMM_NULL;
    PMPI_Comm_split(everybody_.user(), everybody_.rank() < ranks ? 0 : MPI_UNDEFINED, everybody_.rank(),
                    &made);
    group.comm = OwnComm(made);
    if (made != MPI_COMM_NULL) {
      group.own = std::make_unique<Communicator>(made);
      group.communicator = group.own.get();
      group.own->serve_as_hidden();
      group.own->hosts().assign(everybody_.hosts().begin(), everybody_.hosts().begin() + ranks);
      learn_network(*group.own);
    }
  }
  return group.communicator;
}

void Bench::use_network(Network network) {
  network_ = std::move(network);
  learn_network(everybody_);
  for (auto& [ranks, group] : groups_)
    if (group.communicator) learn_network(*group.communicator);
}

void Bench::learn_network(Communicator& communicator) const {
  if (!network_) return;
  communicator.use_network(
      std::make_shared<const KnownNetwork>(KnownNetwork::of(*network_, communicator.ranks())));
}

Bench::Reply Bench::measure(const Request& request) {
  // The time of the one who waits: a simulation's own passes otherwise.
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  Communicator* const communicator = group(request.point.ranks);
  Reply reply;
  if (!communicator) return reply;
  Communicator& c = *communicator;
  const Trees trees(c);
  const auto time_is_up = [&] {
    const std::chrono::duration<double> passed = Clock::now() - begin;
    return trees.tell(passed.count() >= request.effort.seconds);
  };

  reply.hosts = count(c.hosts());
  for (const Plan& plan : request.plans)
    if (const auto why = plan.refusal(c.setting())) {
      reply.error = *why;
      return reply;
    }
  const std::size_t plans = request.plans.size();
  reply.samples.assign(plans, {});
  if (reply.left_out = why_too_large(request, c); !reply.left_out.empty()) return reply;
  const auto workload = make_workload(c, request.point.collective, request.point.size);

  std::vector<std::size_t> again;  // plans that are timed beyond their first run
  for (std::size_t plan = 0; plan < plans && (plan < 2 || !time_is_up()); ++plan) {
    const auto first = try_out(*workload, request.plans[plan], c);
    if (!first) {
      reply.error =
          fmt::format("{} {} of {} bytes on {} ranks gives a wrong result", name(request.point.collective),
                      request.plans[plan].text(), request.point.size, request.point.ranks);
      return reply;
    }
    if (is_alike_from_the_start(request.plans[plan]))
      reply.samples[plan] = {*first};
    else
      again.push_back(plan);
  }
  if (again.empty()) return reply;

  const int calls = calls_a_sample(*workload, request.plans.front(), c);
  std::vector<double> mine;  // by repetition, then plan
  for (int repetition = 0, more = 1; more; ++repetition) {
    std::vector<double> round(again.size());
    for (std::size_t i = 0; i < again.size(); ++i) {
      // Everyone begins a round once in a while, so that none always comes after the same other.
      const std::size_t turn = (i + static_cast<std::size_t>(repetition)) % again.size();
      round[turn] = timed(*workload, request.plans[again[turn]], calls, c);
    }
    mine.insert(mine.end(), round.begin(), round.end());
    more = repetition + 1 < request.effort.repetitions && !time_is_up();
  }
  const std::vector<double> slowest = trees.largest(mine);
  for (std::size_t i = 0; i < slowest.size(); ++i)
    reply.samples[again[i % again.size()]].push_back(slowest[i]);
  return reply;
}

}  // namespace tutti::runtime
