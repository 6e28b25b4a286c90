// Measurements: functions are fitted to those that are accepted.

#include <map>

#include "choose/evidence/measurement.hpp"
#include "core/network/runtime_function.hpp"
#include "fuzz.hpp"

void try_text(const std::string& text) {
  using namespace tutti;
  const auto measurements = parse_measurements(text, "fuzzed");
  if (!measurements) return require(!measurements.error().message.empty());
  std::map<std::pair<Collective, std::string>, std::vector<Timing>> timings;
  for (const Measurement& m : *measurements)
    if (m.seconds.middle > 0 && timings[{m.collective, m.plan}].size() < 40)
      timings[{m.collective, m.plan}].push_back(
          {m.ranks, static_cast<double>(m.size), m.seconds.middle, m.situation ? m.situation->sharing : 1});
  for (const auto& [key, list] : timings)
    if (!list.empty()) require(!fit(list).pieces().empty());
}
