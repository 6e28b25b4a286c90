#include "programs/measuring/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/network/median.hpp"
#include "core/network/quantised.hpp"
#include "core/schedule/by_place.hpp"
#include "programs/measuring/library_bench.hpp"
#include "programs/measuring/measuring_ranks.hpp"
#include "programs/measuring/rounds.hpp"
#include "run/mpi/hosts.hpp"

namespace tutti::run {
namespace {

// When each rank of a group was done, by plan: the median of its own times, of the slowest group.
// On rank 0.
std::vector<std::vector<double>> leaves(const MeasuringRanks& team,
                                        const std::vector<std::vector<double>>& own_times) {
  const auto ranks = static_cast<std::size_t>(team.ranks);
  std::vector<double> all(own_times.size() * ranks);
  for (std::size_t plan = 0; plan < own_times.size(); ++plan)
    if (team.workload && !own_times[plan].empty())
      all[plan * ranks + static_cast<std::size_t>(team.workload->rank())] = median(own_times[plan]);
  all = team.trees().largest(all);
  std::vector<std::vector<double>> by_plan;
  for (std::size_t plan = 0; plan < own_times.size() && !all.empty(); ++plan) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(plan * ranks);
    by_plan.emplace_back(first, first + static_cast<std::ptrdiff_t>(ranks));
  }
  return by_plan;
}

// Whether the first call takes as long as the next: the library makes connections, and phases that
// are left to it communicators.
bool is_alike_from_the_start(const Plan& plan) {
  return simulated && !plan.is_native() && !plan.has_native_phases();
}

std::vector<Rank> first_ranks(int ranks) {
  std::vector<Rank> first(static_cast<std::size_t>(ranks));
  std::iota(first.begin(), first.end(), 0);
  return first;
}

}  // namespace

// The communicator of this rank's group.
Communicator* Bench::group(const std::vector<std::vector<Rank>>& groups) {
  const auto [entry, added] = groups_.try_emplace(groups);
  Group& group = entry->second;
  if (added) {
    int color = MPI_UNDEFINED, place = 0;
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (const auto me = std::find(groups[i].begin(), groups[i].end(), everybody_.rank());
          me != groups[i].end()) {
        color = static_cast<int>(i);
        place = static_cast<int>(me - groups[i].begin());
      }
    MPI_Comm made = MPI_COMM_NULL;
    PMPI_Comm_split(everybody_.user(), color, place, &made);
    group.comm = OwnComm(made);
    if (made != MPI_COMM_NULL) {
      group.own = std::make_unique<Communicator>(made);
      group.own->send_on_users();
      group.ranks = groups[static_cast<std::size_t>(color)];
      group.own->hosts() = places_among(group.ranks, everybody_.hosts());
      group.own->in_hosts() = places_among(group.ranks, everybody_.in_hosts());
      learn_network(*group.own, group.ranks);
    }
  }
  return group.own.get();
}

// The communicator of the first ranks; null on others.
Communicator* Bench::first(int ranks) {
  return ranks == everybody_.ranks() ? &everybody_ : group({first_ranks(ranks)});
}

LibrarySamples Bench::measure(const protocol::MeasureLibrary& request) {
  Communicator* own = first(request.point.ranks);
  return own ? measure_library(*own, request.point, request.effort) : LibrarySamples{};
}

// The communicator of the same ranks as neighbours.
Communicator& Bench::among_neighbors(const Point& point, Communicator& ranks) {
  const std::pair key(&ranks, point.stencil);
  auto known = neighbors_.find(key);
  if (known == neighbors_.end())
    known = neighbors_.emplace(key, NeighborComm(ranks, *topology_of(point))).first;
  return known->second.communicator();
}

void Bench::use_network(Network network) {
  network_ = std::move(network);
  learn_network(everybody_, first_ranks(everybody_.ranks()));
  for (auto& [ranks, group] : groups_)
    if (group.own) learn_network(*group.own, group.ranks);
}

void Bench::learn_network(Communicator& communicator, const std::vector<Rank>& ranks) const {
  if (!network_) return;
  communicator.use_network(std::make_shared<const KnownNetwork>(
      KnownNetwork::of(restricted(*network_, ranks), communicator.ranks())));
}

Bench::Reply Bench::measure(const Request& request) {
  const bool beside = !request.groups.empty();
  Communicator* own = beside ? group(request.groups) : first(request.point.ranks);
  Reply reply;
  if (!own && !beside) return reply;
  if (own && traits(request.point.collective).on_neighbors) own = &among_neighbors(request.point, *own);
  MeasuringRanks team{.all = beside ? everybody_ : *own,
                      .workload = nullptr,
                      .ranks = request.point.ranks,
                      .mode = request.point.mode,
                      .behind = request.effort.behind,
                      .arrival = request.arrival};
  const Trees trees = team.trees();
  const Rounds rounds(trees, request.effort);

  reply.hosts = count(beside ? places_among(request.groups.front(), everybody_.hosts()) : own->hosts());
  for (const Plan& plan : request.plans)
    if (const auto why = own ? plan.refusal(own->setting()) : std::nullopt) reply.error = *why;
  if (beside && trees.largest(reply.error.empty() ? 0.0 : 1.0) > 0 && reply.error.empty())
    reply.error = "a plan can't serve one of the groups";
  if (simulated && request.point.mode != Mode::blocking && traits(request.point.collective).on_neighbors)
    reply.error = "SimGrid has no operations between neighbours that return at once";
  if (!reply.error.empty()) return reply;
  const std::size_t plans = request.plans.size();
  reply.samples.assign(plans, {});
  if (reply.left_out = why_too_large(request.point, team.all); !reply.left_out.empty()) return reply;
  if (own)
    team.workload = make_workload(*own, request.point.collective, request.point.size, request.point.lengths);

  if (team.behind != Measurer::Behind::nothing) team.native_s = native_seconds(team);

  std::vector<std::vector<double>> own_times(plans);  // by plan and repetition
  std::vector<std::size_t> again;                     // plans that are timed beyond their first run
  for (std::size_t plan = 0; plan < plans && (plan < 2 || !rounds.time_is_up()); ++plan) {
    std::optional<FirstRun> first;
    try {
      first = try_out(team, request.plans[plan]);
    } catch (const NotHad& reason) {
      reply.error = fmt::format("{}: {}", request.plans[plan].text(), reason.why);
      return reply;
    }
    if (!first) {
      reply.error =
          fmt::format("{} {} of {} bytes on {} ranks gives a wrong result", name(request.point.collective),
                      request.plans[plan].text(), request.point.size, request.point.ranks);
      return reply;
    }
    if (is_alike_from_the_start(request.plans[plan]) && request.arrival == ArrivalPattern{}) {
      reply.samples[plan] = {first->slowest};
      own_times[plan] = {first->mine};
    } else {
      again.push_back(plan);
    }
  }
  if (again.empty()) {
    if (beside) reply.leaves = leaves(team, own_times);
    return reply;
  }

  const int calls = calls_a_sample(team, request.plans.front());
  std::vector<int> draws(again.size());
  auto samples = rounds.slowest(again.size(), [&](std::size_t i) {
    const double seconds = timed(team, request.plans[again[i]], calls, draws[i]++);
    if (calls == 1) own_times[again[i]].push_back(seconds);
    return seconds;
  });
  for (std::size_t i = 0; i < again.size(); ++i) reply.samples[again[i]] = std::move(samples[i]);
  if (beside && calls == 1) reply.leaves = leaves(team, own_times);
  return reply;
}

}  // namespace tutti::run
