#include "programs/measuring/measuring_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/share.hpp"
#include "core/network/median.hpp"
#include "programs/measuring/memory.hpp"
#include "run/mpi/pause.hpp"

namespace tutti::run {
namespace {

#ifdef TUTTI_SIMULATED
// Lets all ranks begin at the same time: the simulation's clock is everyone's, so that they can
// agree on a moment.
void synchronize(Communicator& c) {
  const double begin = Trees(c).largest(PMPI_Wtime()) + 0.5;
  pause(begin - PMPI_Wtime());
}
#else
// Lets all ranks begin at about the same time: by a barrier of ours, so that it is the same one
// whatever the library's own is like.
void synchronize(Communicator& c) {
  static const Plan& barrier = *new Plan(Plan::of(Collective::barrier, "dissemination"));
  carry_out(c, barrier, Call{});
}
#endif

constexpr double least_seconds = 1e-9;  // of what is hidden behind computing

}  // namespace

int MeasuringRanks::run(const Plan& plan) const {
  if (mode == Mode::blocking) return plan.is_native() ? workload->run_natively() : workload->run(plan);
  int error = MPI_SUCCESS;
  if (behind != Measurer::Behind::computing) error = workload->run_behind(plan, 0);
  if (behind != Measurer::Behind::nothing && error == MPI_SUCCESS)
    error = workload->run_behind(plan, native_s);
  return error;
}

double timed(const MeasuringRanks& team, const Plan& plan, int calls, int draw) {
  const std::vector<double> late = lateness(team.arrival, team.ranks, draw);
  synchronize(team.all);
  if (!team.workload) return 0;
  const double begin = PMPI_Wtime() + *std::ranges::max_element(late);
  pause(late[static_cast<std::size_t>(team.workload->rank())]);
  for (int call = 0; call < calls; ++call) {
    team.workload->set_root(call % team.ranks);
    team.run(plan);
  }
  return std::max(least_seconds, (PMPI_Wtime() - begin) / calls - team.computing_s());
}

int calls_a_sample(const MeasuringRanks& team, const Plan& plan) {
  if (simulated || team.arrival != ArrivalPattern{}) return 1;
  constexpr double least_sample = 100e-6;
  double slowest = 0;
  for (const int calls : {1, 10}) {
    slowest = team.trees().largest(timed(team, plan, calls));
    if (slowest > least_sample) return 1;
  }
  return std::clamp(static_cast<int>(least_sample / slowest), 1, 1000);
}

double native_seconds(MeasuringRanks& team) {
  constexpr int calls = 5;
  const Plan native = Plan::native(Collective::barrier);  // which says nothing but that
  const Mode mode = std::exchange(team.mode, Mode::blocking);
  const auto behind = std::exchange(team.behind, Measurer::Behind::nothing);
  std::vector<double> mine;
  for (int call = 0; call < calls; ++call) mine.push_back(timed(team, native, 1));
  team.mode = mode;
  team.behind = behind;
  return team.trees().tell(median(team.trees().largest(mine)));
}

std::optional<FirstRun> try_out(const MeasuringRanks& team, const Plan& plan) {
  double seconds = 0;
  bool right = true;
  if (team.workload) team.workload->fill();
  synchronize(team.all);
  if (team.workload) {
    const double begin = PMPI_Wtime();
    const bool well = team.run(plan) == MPI_SUCCESS;
    seconds = std::max(least_seconds, PMPI_Wtime() - begin - team.computing_s());
    right = well && team.workload->check();
  }
  auto slowest = team.trees().largest({seconds, right ? 0.0 : 1.0});
  team.trees().tell(slowest.data(), slowest.size() * sizeof(double));
  if (slowest[1] > 0) return std::nullopt;
  return FirstRun{seconds, slowest[0]};
}

std::string why_too_large(const Point& point, Communicator& all) {
  const double own = workload_bytes(point.collective, point.ranks, point.size);
  const auto together =
      static_cast<double>(simulated ? all.ranks()
                                    : std::count(all.hosts().begin(), all.hosts().end(),
                                                 all.hosts()[static_cast<std::size_t>(all.rank())]));
  const double there = available_memory();
  const double share = Trees(all).largest(there > 0 ? own * together / there : 0.0);
  if (share <= 0.5) return "";
  constexpr double gibi = 1 << 30;
  return fmt::format(
      "{} of {} bytes on {} ranks: the buffers of a host's ranks take {:.1f} GB, {} of what is free",
      name(point.collective), point.size, point.ranks, own * together / gibi, share_text(share));
}

}  // namespace tutti::run
