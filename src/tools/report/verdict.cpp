#include "tools/report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/size.hpp"
#include "choose/evidence/statistics.hpp"

namespace tutti::tools {
namespace {

std::string ratio_at(const Measurement& m) {
  return fmt::format("{:.2f} of native's time ({:.2f} to {:.2f}, {}) at {}", m.ratio_to_native.middle,
                     m.ratio_to_native.low, m.ratio_to_native.high, counted(m.repetitions, "repetition"),
                     size_text(m.size));
}

}  // namespace

Headline headline_of(const std::vector<DecidedPoint>& points) {
  Headline headline{.points = points.size()};
  std::vector<double> gains;
  for (const DecidedPoint& point : points) {
    if (point.chosen == point.native) ++headline.native;
    // Of times that the clock did not see nothing is said.
    if (!(point.native->seconds.middle > 0 && point.chosen->seconds.middle > 0)) continue;
    gains.push_back(point.gain());
    if (point.gain() > (headline.largest ? headline.largest->gain() : 1)) headline.largest = point;
  }
  headline.geometric_mean = geometric_mean(gains);
  return headline;
}

std::string reason(const RuleSet& set, const Rule& rule, const std::vector<DecidedPoint>& points) {
  std::vector<const DecidedPoint*> here;
  for (const DecidedPoint& point : points)
    if (point.called == set.called() && set.serves(point.placement) && rule.size_min <= point.size &&
        point.size <= rule.size_max)
      here.push_back(&point);
  if (here.empty()) return "between what was measured";
  const auto unstable = [](const DecidedPoint* point) { return point->native->unstable; };
  if (rule.plan.is_native() && std::ranges::any_of(here, unstable))
    return "times were unstable, so nothing is concluded";
  if (!rule.plan.is_native())
    return ratio_at(*(*std::ranges::max_element(here, {}, &DecidedPoint::gain))->chosen);
  std::erase_if(here, [](const DecidedPoint* point) { return !point->best; });
  if (here.empty()) return "no other plan was measured";
  const Measurement& nearest = *(*std::ranges::min_element(here, {}, [](const DecidedPoint* point) {
                                  return point->best->ratio_to_native.middle;
                                }))->best;
  return fmt::format("the best other plan, {}, took {}", nearest.plan, ratio_at(nearest));
}

}  // namespace tutti::tools
