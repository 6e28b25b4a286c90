#include "tuning/measurer.hpp"

#include "tuning/statistics.hpp"

namespace tutti {

Result<Measured> measure_plans(Measurer& measurer, const Point& point, const std::vector<Plan>& plans,
                               Measurer::Effort effort) {
  const auto samples = measurer.measure(point, plans, effort);
  if (!samples) return tl::unexpected(samples.error());
  Measured measured{{}, samples->left_out};
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (!samples->seconds[i].empty())
      measured.of_plans.push_back(summarize(point.collective, point.ranks, samples->hosts, point.size,
                                            plans[i].text(), samples->seconds[i], samples->seconds[0]));
  return measured;
}

}  // namespace tutti
