#include "choose/evidence/library_samples.hpp"

#include "choose/evidence/statistics.hpp"

namespace tutti::inline choose {

std::vector<Measurement> summarize(const Point& point, const LibrarySamples& samples) {
  std::vector<Measurement> measured;
  for (std::size_t i = 0; i < samples.algorithms.size(); ++i)
    if (!samples.seconds[i].empty())
      measured.push_back(summarize(point.collective, point.ranks, samples.hosts, point.size,
                                   samples.algorithms[i], samples.seconds[i], samples.seconds[0]));
  return measured;
}

}  // namespace tutti::inline choose
