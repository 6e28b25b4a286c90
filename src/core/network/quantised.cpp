#include "core/network/quantised.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

#include "core/network/groups.hpp"
#include "core/network/network_file.hpp"
#include "core/schedule/by_place.hpp"
#include "core/schedule/fnv1a.hpp"

namespace tutti::inline core {
namespace {

// Classes are from a sixteenth to an eighth apart: eight between a power of two and the next. Exact
// on all hosts, which logarithms and powers are not.
double in_class(double value) {
  constexpr double of_double = 16;
  if (value <= 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // from a half to 1
  return std::ldexp(std::round(fraction * of_double) / of_double, exponent);
}

Curve quantised(const Curve& curve) {
  if (curve.points().empty()) return {};
  const Hockney line = hockney_of(curve);
  return Curve::line(in_class(std::max(0.0, line.alpha)), in_class(line.beta));
}

Link quantised(const Link& link) {
  return {.time = quantised(link.time),
          .gap = quantised(link.gap),
          .send = quantised(link.send),
          .receive = quantised(link.receive),
          .both_ways = in_class(link.both_ways),
          .both_ways_latency = in_class(link.both_ways_latency)};
}

}  // namespace

Network quantised(const Network& network) {
  Network result{
      .links = {},
      .ranks = network.ranks,
      .hosts = network.hosts,
      .group_of = network.group_of,
      .ports = network.ports,
      .half_duplex = network.half_duplex,
      .width = {in_class(network.width.out), in_class(network.width.in), in_class(network.width.busy)},
      .eager = network.plans_wait ? 0 : network.eager,
      .gamma = in_class(network.gamma)};
  std::vector<int> number;
  for (const Link& link : network.links) {
    const Link mine = quantised(link);
    const auto known = std::find(result.links.begin(), result.links.end(), mine);
    number.push_back(static_cast<int>(known - result.links.begin()));
    if (known == result.links.end()) result.links.push_back(mine);
  }
  result.link_on_host = number[static_cast<std::size_t>(network.link_on_host)];
  for (const int link : network.link_of) result.link_of.push_back(number[static_cast<std::size_t>(link)]);
  for (const auto& [name, within, out, in, between, part] : network.groups)
    result.groups.push_back({.within = within,
                             .out = in_class(out),
                             .in = in_class(in),
                             .between = in_class(between),
                             .part = part});
  for (const Trunk& trunk : network.trunks)
    if (trunk.seconds_per_byte > 0)
      result.trunks.push_back({trunk.from, trunk.to, in_class(trunk.seconds_per_byte)});
  if (network.torus)
    result.torus = Torus{network.torus->sides, network.torus->coordinates,
                         in_class(network.torus->seconds_per_byte), in_class(network.torus->hop)};
  return result;
}

std::uint64_t fingerprint(const Network& network) {
  return fnv1a(to_text(network));
}

Network restricted(const Network& network, std::span<const Rank> ranks) {
  Network result = network;
  result.ranks = static_cast<int>(ranks.size());
  result.hosts = places_among({ranks.begin(), ranks.end()}, network.hosts);
  result.host_names.clear();
  if (!network.host_names.empty())
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (static_cast<std::size_t>(result.hosts[i]) == result.host_names.size())
        result.host_names.push_back(network.host_names[static_cast<std::size_t>(network.host(ranks[i]))]);
  result.link_of.clear();
  result.group_of.clear();
  result.trunks.clear();
  result.lmo.reset();
  if (network.torus) {
    std::map<int, int> hosts;  // as they were numbered, by their new numbers
    for (std::size_t i = 0; i < ranks.size(); ++i)
      hosts.emplace(result.host(static_cast<Rank>(i)), network.host(ranks[i]));
    const auto own = hosts | std::views::values;
    if (hosts.size() > 1)
      result.torus = with_hosts(*network.torus, {own.begin(), own.end()});
    else
      result.torus.reset();
  }
  if (!network.group_of.empty())
    for (const Rank rank : ranks) result.group_of.push_back(network.group_of[static_cast<std::size_t>(rank)]);
  if (!network.link_of.empty())
    for (const Rank from : ranks)
      for (const Rank to : ranks) result.link_of.push_back(network.link_number(from, to));
  // An end of a trunk, or another rank in the group that tells it from the other end.
  const auto renumbered = [&](Rank end, Rank other) {
    auto found = std::find(ranks.begin(), ranks.end(), end);
    if (found == ranks.end() && !network.group_of.empty()) {
      const auto around = groups_around(network, end);
      const std::size_t common = count_common_groups(around, groups_around(network, other));
      if (common < around.size())
        found = std::find_if(ranks.begin(), ranks.end(), [&](Rank rank) {
          const auto groups = groups_around(network, rank);
          return std::ranges::find(groups, around[around.size() - 1 - common]) != groups.end();
        });
    }
    return static_cast<Rank>(found - ranks.begin());
  };
  for (const Trunk& trunk : network.trunks) {
    const Rank from = renumbered(trunk.from, trunk.to), to = renumbered(trunk.to, trunk.from);
    if (from < result.ranks && to < result.ranks)
      result.trunks.push_back({from, to, trunk.seconds_per_byte, trunk.growth});
  }
  return result;
}

}  // namespace tutti::inline core
