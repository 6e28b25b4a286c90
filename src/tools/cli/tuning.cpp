#include "tools/cli/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/size.hpp"
#include "choose/probing/probing.hpp"
#include "core/network/groups.hpp"
#include "core/network/in_groups.hpp"
#include "core/network/quantised.hpp"
#include "core/network/stand_ins.hpp"
#include "core/plan/phases.hpp"
#include "tools/cli/interrupt.hpp"
#include "tools/cli/options.hpp"

namespace tutti::tools {

Network with_host_names(Network network, WorkerClient& worker) {
  network.host_names = value_or_fail(worker.places()).names;
  return network;
}

Network on_hosts_of(Network network, const std::string& what, WorkerClient& worker) {
  if (network.host_names.empty()) {
    const auto known = network.known_ranks();
    const int ranks = worker.site().ranks;
    if (known != 0 && known < static_cast<std::size_t>(ranks))
      throw Failure{fmt::format("{} knows {} ranks, and the launcher starts {}; probe with as many", what,
                                known, ranks)};
    return known <= static_cast<std::size_t>(ranks) ? std::move(network)
                                                    : restricted(network, own_order(ranks));
  }
  auto there = network_on(std::move(network), worker.site().hosts, value_or_fail(worker.places()).names);
  if (!there) throw Failure{fmt::format("{}: {}", what, there.error().message)};
  return std::move(*there);
}

Network network_of(const std::string& file, WorkerClient& worker, double budget_s,
                   const std::function<double()>& clock, ProgressBar& bar) {
  if (!file.empty()) return on_hosts_of(read_network(file), "network " + file, worker);
  constexpr double share = 0.1;
  constexpr int partners = 4;
  const ProbeHooks hooks{
      .progress = [&](double, const std::string& doing) { bar.show(0, "probing", ": " + doing); },
      .clock = clock};
  Network network = value_or_fail(
      probe({.budget_s = share * budget_s, .largest = 1 << 20, .most_partners = partners, .overheads = false},
            worker, hooks));
  return with_host_names(with_parts_of_hosts(std::move(network), worker.site().in_hosts), worker);
}

SomeRanks on_ranks(std::vector<Rank> ranks, WorkerClient& worker) {
  // The first ranks need no others to wait for them.
  const bool are_first = std::ranges::is_sorted(ranks) && ranks.back() + 1 == static_cast<Rank>(ranks.size());
  return {worker.site(), std::move(ranks),
          [&worker, are_first](const std::vector<Rank>& those, const Point& point,
                               const std::vector<Plan>& plans, Measurer::Effort effort) {
            return are_first ? worker.measure(point, plans, effort)
                             : worker.measure_beside({those}, point, plans, effort);
          }};
}

Network with_hosts_of(Network network, const Site& site) {
  const bool knows_places = !network.hosts.empty() || !network.group_of.empty() || network.torus;
  if (!knows_places && (network.link_of.empty() || network.known_ranks() == site.hosts.size()))
    network.hosts = site.hosts;
  return network;
}

Result<TuningResult> tune_on(const TuningRequest& request, Measurer& measurer, const Journal& journal,
                             const std::function<double()>& clock, ProgressBar& bar) {
  const Fingerprint& fingerprint = measurer.site().fingerprint;
  // A place that can't be written to is found here, before any plan is measured.
  const auto known = journal.resume(fingerprint);
  value_or_fail(journal.begin(fingerprint, known));
  if (!known.empty())
    fmt::print(stderr, "resuming from {}, which has {}\n", journal.path(), counted(known.size(), "point"));
  bool keeps = true;
  const TuningHooks hooks{
      .progress = [&](const TuningProgress& progress) { show(progress, bar); },
      .keep =
          [&](const TunedPoint& point) {
            if (const auto kept = journal.keep(point); !kept && std::exchange(keeps, false))
              fmt::print(stderr, "tutti: {}; if this run is interrupted, later points are lost\n",
                         kept.error().message);
          },
      .clock = clock};
  auto result = tune(request, measurer, known, hooks);
  // Launchers end at a Ctrl-C, and with them the point that was being measured.
  if (!result && interrupted()) result = tune(request, measurer, journal.resume(fingerprint), hooks);
  bar.clear();
  if (!result && known.empty() && journal.resume(fingerprint).empty()) journal.remove();
  return result;
}

Result<TuningResult> tune_shapes(TuningRequest request, const std::vector<HostShape>& shapes,
                                 WorkerClient& worker, const std::string& table_path,
                                 const TuningTerms& terms, const std::function<double()>& clock,
                                 ProgressBar& bar, std::vector<Journal>& journals) {
  Network for_table = request.network;  // which serves the ranks of any shape, wherever it knows them
  if (for_table.host_names.empty() && for_table.hosts == worker.site().hosts)
    for_table = with_host_names(std::move(for_table), worker);
  const Network of_all = with_hosts_of(request.network, worker.site());
  worker.use_network(of_all);
  const double budget_s = request.budget_s;
  std::optional<TuningResult> all;
  std::vector<std::string> failed;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const HostShape& shape = shapes[i];
    const auto leave_out = [&](const std::string& why) {
      failed.push_back(fmt::format("{} with {} ranks on each: {}", counted(shape.hosts, "host"),
                                   shape.ranks_per_host, why));
    };
    if (interrupted()) {
      leave_out("interrupted before it was tuned");
      continue;
    }
    SomeRanks measurer = on_ranks(value_or_fail(ranks_of(shape, worker.site().hosts)), worker);
    request.ranks = {shape.ranks()};
    request.network = restricted(of_all, measurer.ranks());
    const double begin = clock();
    request.budget_s = (budget_s - begin) / static_cast<double>(shapes.size() - i);
    journals.emplace_back(fmt::format("{}.{}", table_path, shape.text()), terms);
    auto tuned = tune_on(
        request, measurer, journals.back(), [&] { return clock() - begin; }, bar);
    if (!tuned) {
      journals.pop_back();  // the points that it has stay for another run
      leave_out(tuned.error().message);
      continue;
    }
    if (!all) {
      all = std::move(*tuned);
      continue;
    }
    add(all->table, std::move(tuned->table));
    all->unmeasured += tuned->unmeasured;
    all->left_out.insert(all->left_out.end(), tuned->left_out.begin(), tuned->left_out.end());
  }
  if (!all) return failure(failed.front());
  all->table.model = by_hosts_in_groups(of_all);
  if (all->table.links) all->table.links = std::move(for_table);
  all->left_out.insert(all->left_out.end(), failed.begin(), failed.end());
  return std::move(*all);
}

void show(const TuningProgress& progress, ProgressBar& bar) {
  bar.show(progress.elapsed_s / progress.budget_s,
           fmt::format("point {} of {}{}", progress.points_done + 1, progress.points_known,
                       progress.again ? ", again" : ""),
           fmt::format(", at most {:.0f} s left: {}", std::max(0.0, progress.budget_s - progress.elapsed_s),
                       progress.doing));
}

}  // namespace tutti::tools
