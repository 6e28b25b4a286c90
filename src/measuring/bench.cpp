#include "measuring/bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mpi/hosts.hpp"
#include "mpi/pause.hpp"

namespace tutti::runtime {
namespace {

int run(Workload& workload, const Plan& plan) {
  return plan.is_native() ? workload.run_natively() : workload.run(plan);
}

#ifdef TUTTI_SIMULATED
// Lets all ranks begin at the same time: the simulation's clock is everyone's, so that they can agree on a
// moment.
void synchronize(Communicator& c) {
  PMPI_Barrier(c.user());
  double start = PMPI_Wtime() + 0.5;
  native().bcast(&start, 1, MPI_DOUBLE, 0, c.user());
  pause(start - PMPI_Wtime());
}
#else
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

#ifdef TUTTI_SIMULATED
// In a simulation ranks begin at the same time: one call says all.
int calls_a_sample(Workload&, const Plan&, Communicator&) {
  return 1;
}
#else
// How many calls one sample takes: ranks leave a barrier one after another, which has to weigh little.
int calls_a_sample(Workload& workload, const Plan& plan, Communicator& c) {
  constexpr double least_sample = 100e-6;
  double slowest = 0;
  for (const int calls : {1, 10}) {
    const double mine = timed(workload, plan, calls, c);
    native().allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, c.user());
    if (slowest > least_sample) return 1;
  }
  return std::clamp(static_cast<int>(least_sample / slowest), 1, 1000);
}
#endif

// The first run of a plan: makes its schedule, and shows whether the result is right. Empty if it is, on all
// ranks.
std::string try_out(Workload& workload, const Plan& plan, const Bench::Request& request, MPI_Comm comm) {
  workload.fill();
  const int well = run(workload, plan) == MPI_SUCCESS && workload.check();
  int all_well = 0;
  native().allreduce(&well, &all_well, 1, MPI_INT, MPI_MIN, comm);
  if (all_well) return "";
  return fmt::format("{} {} of {} bytes on {} ranks gives a wrong result", name(request.point.collective),
                     plan.text(), request.point.size, request.point.ranks);
}

}  // namespace

Bench::Group& Bench::group(int ranks) {
  const auto [entry, added] = groups_.try_emplace(ranks);
  Group& group = entry->second;
  if (added) {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm made = MPI_COMM_NULL;
    PMPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &made);
    group.comm = OwnComm(made);
    if (made != MPI_COMM_NULL) {
      group.communicator = std::make_unique<Communicator>(made);
      group.communicator->hidden();
      group.communicator->hosts() = hosts_of(made);
      learn_network(*group.communicator);
    }
  }
  return group;
}

void Bench::use_network(Network network) {
  network_ = std::move(network);
  for (auto& [ranks, group] : groups_)
    if (group.communicator) learn_network(*group.communicator);
}

void Bench::learn_network(Communicator& communicator) const {
  if (!network_) return;
  communicator.use_network(
      std::make_shared<const KnownNetwork>(KnownNetwork::of(*network_, communicator.ranks())));
}

Bench::Reply Bench::measure(const Request& request) {
  Group& group = this->group(request.point.ranks);
  Reply reply;
  if (!group.comm) return reply;
  const MPI_Comm comm = group.comm.get();
  const bool root = group.communicator->rank() == 0;
  reply.hosts = count(group.communicator->hosts());
  for (const Plan& plan : request.plans)
    if (const auto why = plan.refusal(group.communicator->setting())) {
      reply.error = *why;
      return reply;
    }
  const auto workload = make_workload(*group.communicator, request.point.collective, request.point.size);

  const double begin = PMPI_Wtime();
  for (const Plan& plan : request.plans)
    if (reply.error = try_out(*workload, plan, request, comm); !reply.error.empty()) return reply;

  const int calls = calls_a_sample(*workload, request.plans.front(), *group.communicator);
  const std::size_t plans = request.plans.size();
  std::vector<double> mine;  // by repetition, then plan
  for (int repetition = 0, more = 1; more; ++repetition) {
    std::vector<double> round(plans);
    for (std::size_t i = 0; i < plans; ++i) {
      // Everyone begins a round once in a while, so that none always comes after the same other.
      const std::size_t plan = (i + static_cast<std::size_t>(repetition)) % plans;
      round[plan] = timed(*workload, request.plans[plan], calls, *group.communicator);
    }
    mine.insert(mine.end(), round.begin(), round.end());
    more = repetition + 1 < request.effort.repetitions && PMPI_Wtime() - begin < request.effort.seconds;
    native().bcast(&more, 1, MPI_INT, 0, comm);
  }
  std::vector<double> slowest(root ? mine.size() : 0);
  PMPI_Reduce(mine.data(), slowest.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_MAX, 0, comm);
  if (root) {
    reply.samples.assign(plans, {});
    for (std::size_t i = 0; i < slowest.size(); ++i) reply.samples[i % plans].push_back(slowest[i]);
  }
  return reply;
}

}  // namespace tutti::runtime
