#include "choose/offline/tuner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <set>

#include "base/size.hpp"
#include "choose/evidence/call_class.hpp"
#include "choose/evidence/statistics.hpp"
#include "choose/evidence/stretches.hpp"
#include "choose/offline/constants.hpp"
#include "choose/offline/point_tuner.hpp"
#include "core/network/in_groups.hpp"

namespace tutti::inline choose {
namespace {

class Tuner {
 public:
  Tuner(const TuningRequest& request, Measurer& measurer, const TuningHooks& hooks)
      : request_(request), measurer_(measurer), hooks_(hooks), points_(request, measurer, hooks.clock) {}

  Result<TuningResult> run(const std::vector<TunedPoint>& known) {
    for (const TunedPoint& point : known) done_.insert_or_assign(point.point, point);
    std::deque<Point> queue = requested_points();
    const std::size_t requested = queue.size();
    std::erase_if(queue, [this](const Point& point) { return done_.contains(point); });
    if (auto failed = measure_all(queue, request_.budget_s * (1 - offline::refinement_share)); !failed)
      return tl::unexpected(failed.error());
    // What is left for sizes between is better spent on those asked for; but doubtful ones are
    // looked at again.
    const double rest = measurer_.site().simulated ? 0 : offline::second_look_share;
    if (auto failed = measure_all(queue, request_.budget_s * (1 - rest)); !failed)
      return tl::unexpected(failed.error());
    const std::size_t unmeasured = queue.size();
    if (done_.empty())
      return failure(fmt::format(
          "the budget of {:.3g} s is too small to measure even one of {} points; give more, or fewer "
          "operations and sizes{}{}",
          request_.budget_s, requested, points_.left_out.empty() ? "" : ": ",
          fmt::join(points_.left_out, "; ")));
    if (auto failed = look_again(); !failed) return tl::unexpected(failed.error());
    if (unmeasured == 0)
      if (auto failed = refine(); !failed) return tl::unexpected(failed.error());
    return TuningResult{make_table(), unmeasured, std::move(points_.left_out)};
  }

 private:
  // By size first, so that a small budget gives a coarse picture of everything.
  std::deque<Point> requested_points() const {
    std::deque<Point> points(request_.points.begin(), request_.points.end());
    if (!points.empty()) return points;
    for (const std::size_t size : request_.sizes)
      for (const int ranks : request_.ranks)
        for (const Called operation : request_.operations)
          if (operation.collective != Collective::barrier)
            points.push_back(
                {operation.collective, ranks, size, operation.mode, request_.stencil, request_.lengths});
          else if (size == request_.sizes.front())
            points.push_back(
                {operation.collective, ranks, 0, operation.mode, request_.stencil, request_.lengths});
    return points;
  }

  // Measures points from the front until there are none or the time is up; what is left stays in
  // the queue. No point takes more than its share, at most `most_s`, unless native does.
  Result<void> measure_all(std::deque<Point>& queue, double until,
                           double most_s = std::numeric_limits<double>::infinity()) {
    while (!queue.empty() && !too_late_for(queue.front(), until)) {
      const Point point = queue.front();
      const double share = std::min(most_s, (until - hooks_.clock()) / static_cast<double>(queue.size()));
      show(point, "choosing plans", queue.size());
      if (queue.size() > 1) points_.prepare(queue[1], share);
      auto tuned = points_.measure(
          point, {share, until, latest(), [&](const std::string& what) { show(point, what, queue.size()); }});
      // Simulated libraries abort for some numbers of ranks; where nothing else works either it is
      // not the library.
      if (!tuned &&
          (!measurer_.site().simulated || done_.empty() || ++failed_in_a_row_ == offline::most_failures))
        return tl::unexpected(tuned.error());
      if (!tuned) {
        points_.left_out.push_back(tuned.error().message);
      } else if (*tuned) {
        failed_in_a_row_ = 0;
        hooks_.keep(**tuned);
        done_.emplace(point, std::move(**tuned));
      }
      queue.pop_front();
    }
    return {};
  }

  // What has begun may end a little later.
  double latest() const { return request_.budget_s + std::max(0.05 * request_.budget_s, 2.5); }

  // How long a point takes is not known before it was measured; its smaller neighbour is a lower
  // bound.
  bool too_late_for(const Point& point, double until) const {
    double expected = 0;
    const auto next = done_.upper_bound(point);
    if (next != done_.begin()) {
      const auto& [near, tuned] = *std::prev(next);
      if (near.called() == point.called() && near.ranks == point.ranks) expected = points_.expected(tuned);
    }
    return hooks_.clock() + expected >= until;
  }

  // Points whose native times or chosen plan's stand in the way of a curve over sizes, or have two
  // modes.
  std::vector<Point> doubtful() const {
    std::set<Point> found;
    for (auto it = done_.begin(); it != done_.end();) {
      std::vector<Point> points;
      std::vector<double> native, chosen;
      const Point first = it->first;
      for (; it != done_.end() && it->first.called() == first.called() && it->first.ranks == first.ranks;
           ++it) {
        const TunedPoint& tuned = it->second;
        points.push_back(it->first);
        for (const Measurement& m : tuned.measurements) {
          if (m.two_modes && (m.plan == "native" || m.plan == tuned.plan.text())) found.insert(it->first);
          if (m.plan == "native") native.push_back(m.seconds.middle);
          if (m.plan == tuned.plan.text()) chosen.push_back(m.seconds.middle);
        }
      }
      for (const auto* times : {&native, &chosen})
        for (const std::size_t i : unexplained(*times)) found.insert(points[i]);
    }
    return {found.begin(), found.end()};
  }

  // Measures doubtful points once more. Of those that stay so nothing is concluded: native.
  Result<void> look_again() {
    if (measurer_.site().simulated) return {};
    const std::size_t left_out = points_.left_out.size();
    std::map<Point, TunedPoint> before;
    std::deque<Point> queue;
    for (const Point& point : doubtful()) {
      queue.push_back(point);
      before.insert(done_.extract(point));
    }
    again_ = true;
    if (auto failed = measure_all(queue, request_.budget_s); !failed) return failed;
    again_ = false;
    for (auto& [point, tuned] : before) done_.try_emplace(point, std::move(tuned));  // not measured again
    points_.left_out.resize(left_out);
    for (const Point& point : doubtful()) {
      TunedPoint& tuned = done_.at(point);
      tuned.plan = Plan::native(point.collective);
      for (Measurement& measurement : tuned.measurements) measurement.unstable = true;
      hooks_.keep(tuned);
    }
    return {};
  }

  // Bisects between neighbours with different plans, the widest gaps first, while there is time.
  Result<void> refine() {
    std::set<Point> hopeless;  // could not be measured
    while (true) {
      std::deque<Point> gaps;
      double widest = offline::least_refined_ratio;
      for (auto it = done_.begin(); it != done_.end() && std::next(it) != done_.end(); ++it) {
        const auto& [low, at_low] = *it;
        const auto& [high, at_high] = *std::next(it);
        if (low.called() != high.called() || low.ranks != high.ranks || at_low.plan == at_high.plan ||
            in_neighboring_classes(low, high))
          continue;
        const double ratio =
            static_cast<double>(high.size) / static_cast<double>(std::max<std::size_t>(low.size, 1));
        const Point between{low.collective, low.ranks,   middle(low.size, high.size),
                            low.mode,       low.stencil, low.lengths};
        if (ratio <= widest || done_.contains(between) || hopeless.contains(between)) continue;
        widest = ratio;
        gaps = {between};
      }
      if (gaps.empty()) return {};
      const double now = hooks_.clock();
      // Each gap gets a fair share of what is left, but not so little that it shows nothing.
      const double share = std::max(offline::least_share_s, (request_.budget_s - now) / 4);
      const double until =
          measurer_.site().simulated ? request_.budget_s : std::min(request_.budget_s, now + share);
      const Point point = gaps.front();
      if (auto failed = measure_all(gaps, until, share); !failed) return failed;
      if (!gaps.empty()) return {};  // no time left
      if (!done_.contains(point)) hopeless.insert(point);
    }
  }

  // Whether programs know of no size between those of two points.
  static bool in_neighboring_classes(const Point& low, const Point& high) {
    return has_own_sizes(low.collective) &&
           SizeClass::of(high.size).number - SizeClass::of(low.size).number <= 1;
  }

  // The geometric mean, in whole doubles where some lie between the two.
  static std::size_t middle(std::size_t low, std::size_t high) {
    const auto mean = static_cast<std::size_t>(
        std::sqrt(static_cast<double>(std::max<std::size_t>(low, 1)) * static_cast<double>(high)));
    if (mean < 16) return mean;
    for (const std::size_t rounded : {mean / 8 * 8, mean / 8 * 8 + 8})
      if (low < rounded && rounded < high) return rounded;
    return mean;
  }

  void show(const Point& point, const std::string& what, std::size_t queued) const {
    hooks_.progress({hooks_.clock(), request_.budget_s, done_.size(), done_.size() + queued,
                     fmt::format("{} on {} ranks, {}: {}", point.called().name(), point.ranks,
                                 size_text(point.size), what),
                     again_});
  }

  Table make_table() const {
    Table table{.fingerprint = measurer_.site().fingerprint,
                .network = hockney_of(request_.network.links.front()),
                .rule_sets = {},
                .measurements = {},
                .model = by_hosts_in_groups(request_.network),
                .components = measurer_.site().components};
    for (auto it = done_.begin(); it != done_.end();) {
      const Point first = it->first;
      const int hosts = it->second.measurements.front().hosts;
      std::vector<const TunedPoint*> points;
      for (; it != done_.end() && it->first.called() == first.called() && it->first.ranks == first.ranks;
           ++it) {
        points.push_back(&it->second);
        table.measurements.insert(table.measurements.end(), it->second.measurements.begin(),
                                  it->second.measurements.end());
      }
      table.rule_sets.push_back(
          {first.collective, {first.ranks, hosts}, rules_from(points), first.ranks, first.mode});
    }
    for (const RuleSet& set : table.rule_sets)
      for (const Rule& rule : set.rules)
        if (rule.plan.goes_by_network()) table.links = request_.network;
    return table;
  }

  const TuningRequest& request_;
  Measurer& measurer_;
  const TuningHooks& hooks_;
  bool again_ = false;  // what was measured before
  PointTuner points_;
  std::map<Point, TunedPoint> done_;
  int failed_in_a_row_ = 0;
};

// The plan of a point that serves all others as well: it is theirs, or gains surely there and is
// not surely slower than theirs; null where there is none.
const Plan* plan_for_all(std::span<const TunedPoint* const> points) {
  const auto ratio_at = [](const TunedPoint& point, const Plan& plan) -> const Interval* {
    const std::string text = plan.text();
    for (const Measurement& m : point.measurements)
      if (m.plan == text && !m.unstable) return &m.ratio_to_native;
    return nullptr;
  };
  const auto serves = [&](const Plan& plan, const TunedPoint& point) {
    if (plan == point.plan) return true;
    const Interval *own = ratio_at(point, point.plan), *other = ratio_at(point, plan);
    return own && other && other->high < 1 && other->low <= own->high;
  };
  for (const TunedPoint* candidate : points)
    if (std::ranges::all_of(points, [&](const TunedPoint* point) { return serves(candidate->plan, *point); }))
      return &candidate->plan;
  return nullptr;
}

}  // namespace

std::vector<Rule> rules_from(std::span<const TunedPoint* const> points) {
  const Collective collective = points.front()->point.collective;
  std::map<std::size_t, Plan> plans;
  for (const TunedPoint* tuned : points) plans.insert_or_assign(tuned->point.size, tuned->plan);
  if (traits(collective).size_means == SizeMeans::nothing)
    if (const Plan* one = plan_for_all(points)) return {{0, unlimited, *one}};
  return rules_from(collective, plans);
}

std::vector<Rule> rules_from(Collective collective, const std::map<std::size_t, Plan>& plan_by_size) {
  std::vector<Rule> rules;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end, const Plan& plan) {
    if (has_own_sizes(collective)) end = SizeClass::of(end).largest();
    if (end < begin) return;
    if (!rules.empty() && rules.back().plan == plan)
      rules.back().size_max = end;
    else
      rules.push_back({begin, end, plan});
    begin = end + 1;
  };
  for_each_stretch(plan_by_size, Plan::native(collective), add);
  return rules;
}

Result<TuningResult> tune(const TuningRequest& request, Measurer& measurer,
                          const std::vector<TunedPoint>& known, const TuningHooks& hooks) {
  return Tuner(request, measurer, hooks).run(known);
}

}  // namespace tutti::inline choose
