#include "choose/evidence/measurer.hpp"

#include "choose/evidence/statistics.hpp"

namespace tutti::inline choose {

Measured summarize(const Point& point, const std::vector<Plan>& plans, const Measurer::Samples& samples) {
  Measured measured{{}, samples.left_out};
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (!samples.seconds[i].empty()) {
      measured.of_plans.push_back(summarize(point.collective, point.ranks, samples.hosts, point.size,
                                            plans[i].text(), samples.seconds[i], samples.seconds[0]));
      measured.of_plans.back().mode = point.mode;
      if (i < samples.leaves_s.size()) measured.of_plans.back().leaves_s = samples.leaves_s[i];
    }
  return measured;
}

Result<Measured> measure_plans(Measurer& measurer, const Point& point, const std::vector<Plan>& plans,
                               Measurer::Effort effort) {
  const auto samples = measurer.measure(point, plans, effort);
  if (!samples) return tl::unexpected(samples.error());
  return summarize(point, plans, *samples);
}

std::optional<Topology> topology_of(const Point& point) {
  return traits(point.collective).on_neighbors ? stencil_topology(point.stencil, point.ranks) : std::nullopt;
}

}  // namespace tutti::inline choose
