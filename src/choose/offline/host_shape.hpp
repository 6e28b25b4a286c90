#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "choose/evidence/measurer.hpp"

namespace tutti::inline choose {

/// How ranks lie: as many on each of some hosts.
struct HostShape {
  int hosts;
  int ranks_per_host;
  int ranks() const { return hosts * ranks_per_host; }
  /// "4x8", hosts first.
  std::string text() const;
  friend auto operator<=>(const HostShape&, const HostShape&) = default;
};

/// Every number of hosts with every number of ranks on each, in their order; those of a single rank
/// are left out.
std::vector<HostShape> shapes_of(const std::vector<int>& hosts, const std::vector<int>& ranks_per_host);

/// The ranks of a site that lie so: the first ones of each of its first hosts that has as many. An
/// error that says what there is where there are too few.
Result<std::vector<Rank>> ranks_of(const HostShape& shape, const Hosts& hosts);

/// The ranks of a site that lie as those of a placement: the first ones, where they do; else as
/// many on each of its hosts. Nothing where there are none.
std::optional<std::vector<Rank>> ranks_like(Placement placement, const Hosts& hosts);

/// Measures on some ranks of a site as if there were no others, by what measures on any.
class SomeRanks final : public Measurer {
 public:
  using MeasureOn = std::function<Result<Samples>(const std::vector<Rank>&, const Point&,
                                                  const std::vector<Plan>&, Effort)>;
  SomeRanks(const Site& all, std::vector<Rank> ranks, MeasureOn measure_on);

  const Site& site() const override { return site_; }
  const std::vector<Rank>& ranks() const { return ranks_; }
  /// The point is one of all those ranks.
  Result<Samples> measure(const Point& point, const std::vector<Plan>& plans, Effort effort) override;

 private:
  Site site_;
  std::vector<Rank> ranks_;
  MeasureOn measure_on_;
};

/// Adds what was tuned for another shape of the same site to a table.
void add(Table& table, Table other);

}  // namespace tutti::inline choose
