#include "tools/report/document.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "base/json.hpp"
#include "choose/evidence/table_network.hpp"
#include "choose/offline/guidelines.hpp"
#include "choose/profile/arrivals.hpp"
#include "core/network/by_hosts.hpp"
#include "core/network/groups.hpp"
#include "core/synthesis/known_network.hpp"
#include "tools/report/before_after_text.hpp"
#include "tools/report/drawing.hpp"
#include "tools/report/verdict.hpp"

namespace tutti::tools {
namespace {

constexpr int most_drawn_ranks = 256;  // of a network's matrix

std::string remarks(const Measurement& m) {
  return m.unstable ? "unstable" : m.two_modes ? "two modes" : "";
}

Json point_of(const Measurement& m) {
  return {m.size,
          m.seconds.middle,
          m.seconds.low,
          m.seconds.high,
          m.ratio_to_native.middle,
          m.ratio_to_native.low,
          m.ratio_to_native.high,
          m.repetitions,
          m.price_s,
          remarks(m)};
}

Json size_to_json(std::size_t size) {
  return size == unlimited ? Json(nullptr) : Json(size);
}

// By operation, ranks and hosts: what was measured of each plan, what was chosen, and what the
// network allows.
Json curves_of(const Table& table, const std::vector<DecidedPoint>& points) {
  std::map<std::tuple<Called, int, int>, std::map<std::string, Json>> series;
  for (const Measurement& m : table.measurements)
    if (!m.situation) {
      Json& of_plan = series[{m.called(), m.ranks, m.hosts}][m.plan];
      if (of_plan.is_null()) of_plan = Json::array();
      of_plan.push_back(point_of(m));
    }
  std::map<std::tuple<Called, int, int>, Json> chosen;
  for (const DecidedPoint& point : points) {
    Json& list = chosen[{point.called, point.placement.ranks, point.placement.hosts}];
    if (list.is_null()) list = Json::array();
    list.push_back({point.size, point.chosen->plan});
  }
  Json curves = Json::array();
  for (auto& [key, plans] : series) {
    const auto [called, ranks, hosts] = key;
    Json list = Json::array(), limit = Json::array();
    std::map<std::size_t, double> limits;
    const TableLimit table_limit(table, {ranks, hosts});
    for (auto& [plan, of_plan] : plans) {
      for (const Json& point : of_plan) {
        const auto size = point[0].get<std::size_t>();
        if (const auto [limit_of_size, added] = limits.try_emplace(size); added)
          limit_of_size->second = table_limit.of(called.collective, size);
      }
      list.push_back({{"plan", plan}, {"points", std::move(of_plan)}});
    }
    for (const auto& [size, seconds] : limits)
      if (seconds > 0) limit.push_back({size, seconds});
    curves.push_back({{"operation", called.name()},
                      {"ranks", ranks},
                      {"hosts", hosts},
                      {"series", std::move(list)},
                      {"chosen", chosen[key].is_null() ? Json::array() : chosen[key]},
                      {"limit", std::move(limit)}});
  }
  return curves;
}

Json decisions_of(const Table& table, const std::vector<DecidedPoint>& points) {
  Json list = Json::array();
  for (const RuleSet& set : table.rule_sets)
    for (const Rule& rule : set.rules)
      list.push_back({{"operation", set.called().name()},
                      {"ranks", set.placement.ranks},
                      {"ranks_max", set.ranks_max},
                      {"hosts", set.placement.hosts},
                      {"size_min", rule.size_min},
                      {"size_max", size_to_json(rule.size_max)},
                      {"plan", rule.plan.text()},
                      {"reason", reason(set, rule, points)}});
  return list;
}

Json guidelines_of(const Table& table) {
  Json list = Json::array();
  for (const ViolatedGuideline& one : violated_guidelines(table))
    list.push_back({{"operation", traits(one.native.collective).mpi_name},
                    {"ranks", one.native.ranks},
                    {"hosts", one.native.hosts},
                    {"size", one.native.size},
                    {"native_s", one.native.seconds.middle},
                    {"mended_s", one.mended.seconds.middle},
                    {"plan", one.mended.plan},
                    {"low", one.mended.ratio_to_native.low},
                    {"high", one.mended.ratio_to_native.high}});
  return list;
}

Json headline_to_json(const Headline& headline) {
  Json json{
      {"points", headline.points}, {"native", headline.native}, {"geometric_mean", headline.geometric_mean}};
  if (const auto& largest = headline.largest)
    json["largest"] = {{"gain", largest->gain()},
                       {"operation", largest->called.name()},
                       {"ranks", largest->placement.ranks},
                       {"hosts", largest->placement.hosts},
                       {"size", largest->size},
                       {"plan", largest->chosen->plan}};
  return json;
}

Json campaign_to_json(const Campaign& campaign) {
  const auto points = decided_points(campaign.table);
  Json json{{"file", campaign.file},
            {"kind", campaign.kind},
            {"mpi", stack_text(campaign.fingerprint)},
            {"machine", campaign.fingerprint.machine},
            {"measurements", campaign.table.measurements.size()},
            {"headline", headline_to_json(headline_of(points))},
            {"curves", curves_of(campaign.table, points)},
            {"decisions", decisions_of(campaign.table, points)},
            {"guidelines", guidelines_of(campaign.table)}};
  if (const auto& origin = campaign.table.origin)
    json["origin"] = {{"command", origin->command}, {"date", origin->date},
                      {"seconds", origin->seconds}, {"version", origin->version},
                      {"arrival", origin->arrival}, {"blocks", name(origin->lengths)}};
  return json;
}

// Prices as curves, without what was measured.
Json prices_to_json(const Prices& prices) {
  std::map<std::pair<Collective, int>, std::map<std::string, Json>> series;
  std::map<std::pair<Collective, int>, std::map<std::size_t, double>> limits;
  for (const ToldPrice& one : prices.list) {
    Json& points = series[{one.collective, one.ranks}][one.plan];
    if (points.is_null()) points = Json::array();
    points.push_back({one.size, one.seconds});
    limits[{one.collective, one.ranks}][one.size] = one.limit_s;
  }
  Json curves = Json::array();
  for (auto& [key, plans] : series) {
    Json list = Json::array(), limit = Json::array();
    for (auto& [plan, points] : plans) list.push_back({{"plan", plan}, {"points", std::move(points)}});
    for (const auto& [size, seconds] : limits[key])
      if (seconds > 0) limit.push_back({size, seconds});
    curves.push_back({{"operation", name(key.first)},
                      {"ranks", key.second},
                      {"series", std::move(list)},
                      {"limit", std::move(limit)}});
  }
  return {{"file", prices.file}, {"curves", std::move(curves)}};
}

std::size_t operations_of(const Schedule& schedule) {
  std::size_t count = 0;
  for (const Part& part : schedule.parts) count += part.operations().size();
  return count;
}

// Small pictures of the plans that are chosen, by operation and plan: on a few ranks, or, where a
// plan serves only others, on those that it was chosen for.
Json drawings_of(const Findings& findings) {
  constexpr int few_ranks = 8, most_ranks = 32;
  constexpr std::size_t most_drawings = 100, bytes = 64 << 10;
  constexpr std::size_t most_operations = 4000;  // more are nothing but a large page
  Json drawings = Json::object();
  for (const Campaign& campaign : findings.campaigns)
    for (const RuleSet& set : campaign.table.rule_sets)
      for (const Rule& rule : set.rules) {
        const std::string key = fmt::format("{} {}", name(set.collective), rule.plan.text());
        if (rule.plan.is_native() || rule.plan.is_computed() || drawings.contains(key) ||
            drawings.size() >= most_drawings)
          continue;
        for (const int ranks : {few_ranks, set.placement.ranks}) {
          const Hosts hosts = filled_hosts(ranks, std::clamp(set.placement.hosts, 1, ranks));
          const Setting setting{.ranks = ranks, .hosts = &hosts};
          if (ranks > most_ranks || rule.plan.refusal(setting)) continue;
          const Schedule schedule = generate(rule.plan, shape_of(rule.plan, setting, 0, bytes));
          if (operations_of(schedule) > most_operations) break;
          const Timetable timetable = timetable_in_rounds(schedule);
          if (timetable.end > 0)
            drawings[key] =
                draw(schedule, timetable, fmt::format("{} on {} ranks", key, ranks), {.small = true});
          break;
        }
      }
  return drawings;
}

Json pool_to_json(const Pool& pool) {
  Json pools = Json::array();
  for (const Pool& one : pool.pools) pools.push_back(pool_to_json(one));
  return {{"bytes_per_second", pool.threshold}, {"ranks", pool.ranks}, {"pools", std::move(pools)}};
}

// The groups within another, or those that are in none, with what their ways let through.
Json groups_to_json(const Network& network, const std::vector<std::size_t>& ranks_of, int within) {
  Json list = Json::array();
  for (std::size_t number = 0; number < network.groups.size(); ++number) {
    const Network::Group& group = network.groups[number];
    if (group.within != within || ranks_of[number] == 0) continue;
    list.push_back({{"name", name_of_group(network, static_cast<int>(number))},
                    {"ranks", ranks_of[number]},
                    {"out", group.out},
                    {"in", group.in},
                    {"between", group.between},
                    {"groups", groups_to_json(network, ranks_of, static_cast<int>(number))}});
  }
  return list;
}

Json groups_to_json(const Network& network) {
  std::vector<std::size_t> ranks_of(network.groups.size());
  for (Rank rank = 0; rank < static_cast<Rank>(network.group_of.size()); ++rank)
    for (const int group : groups_around(network, rank)) ++ranks_of[static_cast<std::size_t>(group)];
  return groups_to_json(network, ranks_of, Network::Group::none);
}

Json network_to_json(const ReportedNetwork& reported) {
  const Network& network = reported.network;
  const auto ranks = static_cast<int>(network.known_ranks());
  Json links = Json::array();
  for (const Link& link : network.links) {
    const Hockney straight = hockney_of(link);
    links.push_back({{"latency_s", straight.alpha}, {"seconds_per_byte", straight.beta}});
  }
  Json json{{"file", reported.file},
            {"ranks", ranks},
            {"hosts", network.hosts.empty() ? ranks : count(network.hosts)},
            {"eager_bytes", network.eager},
            {"half_duplex", network.half_duplex},
            {"links", std::move(links)},
            {"groups", groups_to_json(network)}};
  if (ranks == 0) return json;
  const int drawn = std::min(ranks, most_drawn_ranks);
  Json matrix = Json::array();
  for (Rank from = 0; from < drawn; ++from) {
    Json row = Json::array();
    for (Rank to = 0; to < drawn; ++to) row.push_back(from == to ? -1 : network.link_number(from, to));
    matrix.push_back(std::move(row));
  }
  json["link_of"] = std::move(matrix);
  if (ranks > most_drawn_ranks) return json;
  const KnownNetwork known = KnownNetwork::of(network, ranks);
  json["pools"] = pool_to_json(known.pools);
  json["sites"] = known.sites;
  json["trunks"] = Json::array();
  for (const Trunk& trunk : network.trunks)
    json["trunks"].push_back(
        {{"from", trunk.from}, {"to", trunk.to}, {"seconds_per_byte", trunk.seconds_per_byte}});
  return json;
}

// Times are those of the average rank.
Json profile_to_json(const ReportedProfile& reported) {
  const Profile& profile = reported.profile;
  const double ranks = std::max(1, profile.profiled_ranks);
  Json calls = Json::array();
  for (const auto& [kind, spent] : profile.calls)
    calls.push_back({{"operation", traits(kind.collective).mpi_name},
                     {"ranks", kind.placement.ranks},
                     {"hosts", kind.placement.hosts},
                     {"size", spent.calls == 0 ? 0.0 : spent.bytes / static_cast<double>(spent.calls)},
                     {"communicator", kind.communicator},
                     {"phase", kind.phase},
                     {"plan", kind.plan},
                     {"calls", static_cast<double>(spent.calls) / ranks},
                     {"seconds", spent.seconds / ranks},
                     {"waiting_at_least_s", spent.waiting_at_least_s(kind.collective) / ranks},
                     {"waiting_at_most_s", spent.waiting_at_most_s(kind.collective) / ranks},
                     {"least_s", spent.least_s},
                     {"most_s", spent.most_s}});
  Json functions = Json::array();
  for (const auto& [function, spent] : profile.functions)
    functions.push_back({{"name", function},
                         {"calls", static_cast<double>(spent.calls) / ranks},
                         {"bytes", spent.bytes / ranks},
                         {"seconds", spent.seconds / ranks}});
  return {{"file", reported.file},
          {"mpi", profile.fingerprint.mpi},
          {"machine", profile.fingerprint.machine},
          {"date", profile.date},
          {"ranks", profile.ranks},
          {"hosts", profile.hosts},
          {"profiled_ranks", profile.profiled_ranks},
          {"seconds", profile.seconds},
          {"collective_s", profile.collective_s()},
          {"other_s", profile.other_s()},
          {"functions", std::move(functions)},
          {"calls", std::move(calls)},
          {"late", late_to_json(profile)}};
}

}  // namespace

Json late_to_json(const Profile& profile) {
  Json list = Json::array();
  for (const LateCalls& calls : late_calls(profile)) {
    Json same = Json::array();
    for (const LateRanks::One& one : calls.late.same)
      same.push_back({{"rank", one.rank}, {"share", one.share}, {"late_s", one.late_s}});
    list.push_back({{"operation", name(calls.kind.collective)},
                    {"ranks", calls.kind.placement.ranks},
                    {"hosts", calls.kind.placement.hosts},
                    {"communicator", calls.kind.communicator},
                    {"phase", calls.kind.phase},
                    {"share", calls.late.share},
                    {"late_s", calls.late.late_s},
                    {"same", std::move(same)},
                    {"waiting_s", calls.waiting_s},
                    {"text", text_of(calls)}});
  }
  return list;
}

Json report_document(const Findings& findings, const std::string& date, const std::string& version,
                     const std::optional<BeforeAfter>& comparison) {
  Json document{{"$schema", "tutti-report-1"}, {"date", date},
                {"version", version},          {"campaigns", Json::array()},
                {"prices", Json::array()},     {"networks", Json::array()},
                {"profiles", Json::array()},   {"problems", Json::array()}};
  for (const Campaign& campaign : findings.campaigns)
    document["campaigns"].push_back(campaign_to_json(campaign));
  document["drawings"] = drawings_of(findings);
  for (const Prices& prices : findings.prices) document["prices"].push_back(prices_to_json(prices));
  for (const ReportedNetwork& network : findings.networks)
    document["networks"].push_back(network_to_json(network));
  for (const ReportedProfile& profile : findings.profiles)
    document["profiles"].push_back(profile_to_json(profile));
  if (comparison) document["comparison"] = to_json(*comparison);
  for (const Problem& problem : findings.problems)
    document["problems"].push_back({{"file", problem.file}, {"message", problem.message}});
  return document;
}

}  // namespace tutti::tools
