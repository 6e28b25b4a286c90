#include "choose/evidence/imported.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <tuple>

#include "base/size.hpp"

namespace tutti::inline choose {
namespace {

using MeasuredPlace = std::tuple<Called, int, int, std::size_t>;

MeasuredPlace measured_place(const Measurement& m) {
  return {m.called(), m.ranks, m.hosts, m.size};
}

bool has_interval(const Measurement& m) {
  return m.seconds.low < m.seconds.high;
}

}  // namespace

void Imported::add(Imported&& others) {
  std::ranges::move(others.measurements, std::back_inserter(measurements));
  std::ranges::move(others.left_out, std::back_inserter(left_out));
}

Measurement imported(Called called, int ranks, int hosts, std::size_t size, std::string plan,
                     Interval seconds, double mean, int repetitions) {
  Measurement m{called.collective, ranks, hosts,     size,       std::move(plan),
                seconds,           mean,  {1, 1, 1}, repetitions};
  m.mode = called.mode;
  return m;
}

void compare_with_native(Imported& all) {
  std::map<MeasuredPlace, Measurement> natives;
  for (const Measurement& m : all.measurements)
    if (m.plan == "native") natives.emplace(measured_place(m), m);
  std::vector<Measurement> compared;
  for (Measurement& m : all.measurements) {
    const auto native = natives.find(measured_place(m));
    if (native == natives.end()) {
      all.left_out.push_back(fmt::format("{} by {} on {} ranks at {}: native was not measured there",
                                         m.called().name(), m.plan, m.ranks, size_text(m.size)));
      continue;
    }
    const Measurement& other = native->second;
    m.unstable = !has_interval(m) || !has_interval(other);
    if (m.plan != "native")
      m.ratio_to_native = {m.seconds.low / other.seconds.high, m.seconds.middle / other.seconds.middle,
                           m.seconds.high / other.seconds.low};
    compared.push_back(std::move(m));
  }
  all.measurements = std::move(compared);
}

}  // namespace tutti::inline choose
