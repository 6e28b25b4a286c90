#include "tools/cli/validating.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/document.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/size.hpp"
#include "choose/offline/validation.hpp"
#include "core/network/quantised.hpp"
#include "tools/cli/interrupt.hpp"
#include "tools/cli/progress_bar.hpp"
#include "tools/cli/tuning.hpp"

namespace tutti::tools {
namespace {

constexpr int has_drifted = 3;            // the exit status
constexpr double validation_share = 0.1;  // of what tuning takes
constexpr double usual_budget_s = 60;     // of a table that does not say what it took

std::string text_of(const Point& point, int hosts) {
  return fmt::format("{} on {}, {}", point.called().name(), placement_text({point.ranks, hosts}),
                     size_text(point.size));
}

// The decisions that can be measured on these ranks; what else there is, is told.
std::vector<Decision> here(const Table& table, const ValidationRequest& request, const Site& site) {
  std::vector<Decision> decisions = decisions_of(table, request.stencil);
  if (decisions.empty())
    throw Failure{fmt::format("table {} has no measurements behind its decisions; tune it with tutti tune",
                              request.table)};
  if (!request.operations.empty())
    std::erase_if(decisions, [&](const Decision& one) {
      return std::ranges::find(request.operations, one.point.called()) == request.operations.end();
    });
  if (decisions.empty())
    throw Failure{fmt::format("table {} decides nothing for those operations", request.table)};
  const Decision first = decisions.front();
  const std::size_t elsewhere =
      std::erase_if(decisions, [&](const Decision& one) { return !ranks_like(one.placement(), site.hosts); });
  if (decisions.empty())
    throw Failure{fmt::format(
        "the launcher starts {} ranks on {}, and table {} decides for others, such as {}; "
        "start as many on as many hosts",
        site.ranks, counted(count(site.hosts), "host"), request.table, text_of(first.point, first.hosts))};
  if (elsewhere > 0)
    fmt::print(stderr, "left out: {} decisions for ranks that lie otherwise than the launcher's {} on {}\n",
               elsewhere, site.ranks, counted(count(site.hosts), "host"));
  return decisions;
}

// In a simulation times repeat exactly, and one run of a plan tells all, however long it takes.
Measurer::Effort effort_of(double share_s, bool simulated) {
  constexpr double endless = 1e9, hanging_s = 10;
  constexpr int most_repetitions = 2000;
  return simulated
             ? Measurer::Effort{.repetitions = 1, .seconds = endless}
             : Measurer::Effort{
                   .repetitions = most_repetitions, .seconds = share_s, .latest_s = share_s + hanging_s};
}

std::vector<Validated> measured_again(const std::vector<Decision>& decisions, WorkerClient& worker,
                                      double budget_s, ProgressBar& bar) {
  std::vector<Validated> all;
  const auto clock = budget_clock();
  for (const Decision& decision : decisions) {
    if (interrupted()) break;
    const auto left = static_cast<double>(decisions.size() - all.size());
    bar.show_step(all.size(), decisions.size(), text_of(decision.point, decision.hosts));
    SomeRanks measurer = on_ranks(*ranks_like(decision.placement(), worker.site().hosts), worker);
    auto validated = tutti::validate(
        decision, measurer, effort_of(std::max(0.0, budget_s - clock()) / left, worker.site().simulated));
    if (!validated && interrupted()) break;
    all.push_back(value_or_fail(std::move(validated)));
  }
  bar.clear();
  return all;
}

void print(const std::vector<Validated>& all) {
  for (const Validated& one : all)
    fmt::print("{:<9}{:<48}{}\n", name(one.standing), text_of(one.decision.point, one.decision.hosts),
               one.why);
}

Json to_json(const Validated& one) {
  Json json{{"operation", one.decision.point.called().name()},
            {"ranks", one.decision.point.ranks},
            {"hosts", one.decision.hosts},
            {"size", one.decision.point.size},
            {"plan", one.decision.chosen.text()},
            {"standing", name(one.standing)},
            {"why", one.why},
            {"measurements", Json::array()}};
  for (const Measurement& m : one.measured) json["measurements"].push_back(m);
  return json;
}

// The points to tune anew, by how their ranks lie.
std::map<Placement, std::vector<Point>> drifted_points(const std::vector<Validated>& all) {
  std::map<Placement, std::vector<Point>> points;
  for (const Validated& one : all)
    if (one.standing == Standing::drifted) points[one.decision.placement()].push_back(one.decision.point);
  return points;
}

// Tunes one placement's points anew, in a budget of their own; what was left out is told.
std::vector<TunedPoint> tuned_anew(const TuningRequest& tuning, Measurer& measurer, ProgressBar& bar) {
  std::map<Point, TunedPoint> fresh;
  const TuningHooks hooks{
      .progress = [&](const TuningProgress& progress) { show(progress, bar); },
      .keep = [&](const TunedPoint& point) { fresh.insert_or_assign(point.point, point); },
      .clock = budget_clock()};
  const auto tuned = tune(tuning, measurer, {}, hooks);
  bar.clear();
  if (!tuned && !interrupted()) fmt::print(stderr, "left out: {}\n", tuned.error().message);
  if (tuned)
    for (const std::string& why : tuned->left_out) fmt::print(stderr, "left out: {}\n", why);
  std::vector<TunedPoint> list;
  for (auto& [point, one] : fresh) list.push_back(std::move(one));
  return list;
}

void repair(const ValidationRequest& request, Table table, const std::vector<Validated>& all, double budget_s,
            WorkerClient& worker, ProgressBar& bar) {
  constexpr double least_s = 2;  // for a first point
  const double a_point_s = budget_s / static_cast<double>(decisions_of(table).size());
  Network network = table.links && request.network.empty()
                        ? on_hosts_of(*table.links, "network of table " + request.table, worker)
                        : network_of(request.network, worker, budget_s, budget_clock(), bar);
  const Network of_all = with_hosts_of(network, worker.site());
  worker.use_network(of_all);
  std::vector<TunedPoint> fresh;
  for (auto& [placement, points] : drifted_points(all)) {
    if (interrupted()) break;
    SomeRanks measurer = on_ranks(*ranks_like(placement, worker.site().hosts), worker);
    TuningRequest tuning{.operations = {},
                         .ranks = {},
                         .sizes = {},
                         .budget_s = std::max(least_s, a_point_s * static_cast<double>(points.size())),
                         .network = restricted(of_all, measurer.ranks()),
                         .exhaustive = request.exhaustive,
                         .fixed_order = request.fixed_order,
                         .stencil = request.stencil,
                         .points = points};
    for (TunedPoint& one : tuned_anew(tuning, measurer, bar)) fresh.push_back(std::move(one));
  }
  OutputOption output = request.output;
  if (output.path.empty()) output.path = request.table;
  if (fresh.empty())
    throw Failure{fmt::format("nothing could be tuned anew; {} stays as it is", request.table)};
  // Plans for any ranks are computed from the network of all, not from what some of them saw of it.
  const bool is_of_table = table.links && request.network.empty();
  if (!is_of_table &&
      std::ranges::any_of(fresh, [](const TunedPoint& one) { return one.plan.goes_by_network(); }))
    table.links = std::move(network);
  output.write(to_text(repaired(std::move(table), fresh)));
  for (const TunedPoint& one : fresh)
    fmt::print(stderr, "repaired: {}: {}\n", text_of(one.point, one.measurements.front().hosts),
               one.plan.text());
}

}  // namespace

void validate(const ValidationRequest& request, WorkerClient worker) {
  const Table table = value_or_fail(parse_table(value_or_fail(read_file(request.table)), request.table));
  if (request.repair)
    value_or_fail(check_output(request.output.path.empty() ? request.table : request.output.path));
  worker.use_arrival(ArrivalOption{table.origin ? table.origin->arrival : ""}.read());
  const Site& site = worker.site();
  if (const auto why = foreign(table.fingerprint, site.fingerprint)) {
    if (request.repair)
      throw Failure{fmt::format("table {} {}: a repaired one would hold for neither; tune a new one",
                                request.table, *why)};
    fmt::print(stderr, "tutti: table {} {}\n", request.table, *why);
  }
  if (table.links) {
    if (const auto known = table.links->known_ranks();
        table.links->host_names.empty() && known != 0 && known != static_cast<std::size_t>(site.ranks))
      throw Failure{
          fmt::format("table {} has plans that are computed for {} ranks, and the launcher starts {}; "
                      "start as many",
                      request.table, known, site.ranks)};
    worker.use_network(on_hosts_of(*table.links, "network of table " + request.table, worker));
  }
  const std::vector<Decision> decisions = here(table, request, site);
  const double budget_s = request.budget_s.value_or(
      table.origin && table.origin->seconds > 0 ? table.origin->seconds : usual_budget_s);
  end_gently();
  ProgressBar bar;
  const auto all = measured_again(decisions, worker, validation_share * budget_s, bar);
  const auto standing = [&](Standing as) { return std::ranges::count(all, as, &Validated::standing); };
  const auto drifted = standing(Standing::drifted);
  if (request.json) {
    auto json = Json::array();
    for (const Validated& one : all) json.push_back(to_json(one));
    fmt::print("{}\n", json_text(json, 1));
  } else {
    print(all);
    fmt::print("\nof {} decisions {} hold, {} are unsure, {} have drifted\n", all.size(),
               standing(Standing::holds), standing(Standing::unsure), drifted);
  }
  if (interrupted()) return;
  if (drifted == 0) {
    if (request.repair && !request.output.path.empty()) request.output.write(to_text(table));
    return;
  }
  if (!request.repair) {
    fmt::print(stderr, "tutti: what has drifted is tuned anew with --repair\n");
    throw Ended{has_drifted};
  }
  repair(request, table, all, budget_s, worker, bar);
}

}  // namespace tutti::tools
