#include "choose/offline/host_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/size.hpp"
#include "core/schedule/by_place.hpp"

namespace tutti::inline choose {

std::string HostShape::text() const {
  return fmt::format("{}x{}", hosts, ranks_per_host);
}

std::vector<HostShape> shapes_of(const std::vector<int>& hosts, const std::vector<int>& ranks_per_host) {
  std::vector<HostShape> shapes;
  for (const int some : hosts)
    for (const int ranks : ranks_per_host)
      if (some > 1 || ranks > 1) shapes.push_back({some, ranks});
  return shapes;
}

Result<std::vector<Rank>> ranks_of(const HostShape& shape, const Hosts& hosts) {
  const auto by_host = ranks_by_host(hosts, static_cast<int>(hosts.size()));
  const auto wanted = static_cast<std::size_t>(shape.ranks_per_host);
  std::vector<Rank> ranks;
  int taken = 0;
  for (const auto& on_host : by_host) {
    if (taken == shape.hosts || on_host.size() < wanted) continue;
    ranks.insert(ranks.end(), on_host.begin(), on_host.begin() + shape.ranks_per_host);
    ++taken;
  }
  if (taken < shape.hosts)
    return failure(
        fmt::format("{} with {} ranks on each: the launcher's {} ranks are on {}, of which {} have as "
                    "many; let it start more, or name fewer",
                    counted(shape.hosts, "host"), shape.ranks_per_host, hosts.size(),
                    counted(count(hosts), "host"), taken));
  return ranks;
}

std::optional<std::vector<Rank>> ranks_like(Placement placement, const Hosts& hosts) {
  const auto ranks = static_cast<std::size_t>(placement.ranks);
  if (ranks > hosts.size() || placement.hosts < 1) return std::nullopt;
  if (count(Hosts(hosts.begin(), hosts.begin() + placement.ranks)) == placement.hosts) {
    std::vector<Rank> first(ranks);
    std::iota(first.begin(), first.end(), 0);
    return first;
  }
  if (placement.ranks % placement.hosts != 0) return std::nullopt;
  auto alike = ranks_of({placement.hosts, placement.ranks / placement.hosts}, hosts);
  return alike ? std::optional(std::move(*alike)) : std::nullopt;
}

SomeRanks::SomeRanks(const Site& all, std::vector<Rank> ranks, MeasureOn measure_on)
    : site_(all), ranks_(std::move(ranks)), measure_on_(std::move(measure_on)) {
  site_.ranks = static_cast<int>(ranks_.size());
  site_.hosts = places_among(ranks_, all.hosts);
  site_.in_hosts = places_among(ranks_, all.in_hosts);
}

Result<Measurer::Samples> SomeRanks::measure(const Point& point, const std::vector<Plan>& plans,
                                             Effort effort) {
  auto samples = measure_on_(ranks_, point, plans, effort);
  if (samples) samples->leaves_s.clear();  // no group beside others was measured
  return samples;
}

void add(Table& table, Table other) {
  std::ranges::move(other.rule_sets, std::back_inserter(table.rule_sets));
  std::ranges::move(other.measurements, std::back_inserter(table.measurements));
  if (other.links) table.links = std::move(other.links);
}

}  // namespace tutti::inline choose
