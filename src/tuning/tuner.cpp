#include "tuning/tuner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>

#include "text/size.hpp"
#include "tuning/candidates.hpp"
#include "tuning/statistics.hpp"

namespace tutti {
namespace {

// Of the plans with the lowest prices, which say most in a simulation.
constexpr std::size_t few_measured = 4, many_measured = 16;
constexpr std::size_t finalists = 2;      // besides native
constexpr double promising = 1.1;         // screened ratio above which a candidate is dropped
constexpr double worthwhile = 0.98;       // ratio below which a gain is also one in the next run and program
constexpr double screening_share = 0.4;   // of a point's time
constexpr double refinement_share = 0.3;  // of the budget, kept for sizes between those asked for
constexpr double least_refined_ratio = 1.5;  // neighbours nearer than that are not refined
constexpr double least_share = 0.5;          // seconds for a point between two others
constexpr int screening_repetitions = 50, final_repetitions = 2000;
constexpr double longest_s = 3;  // for a stage: more changes little

class Tuner {
 public:
  Tuner(const TuningRequest& request, Measurer& measurer, const TuningHooks& hooks)
      : request_(request), measurer_(measurer), hooks_(hooks) {}

  Result<TuningResult> run(const std::vector<TunedPoint>& known) {
    for (const TunedPoint& point : known) done_.insert_or_assign(point.point, point);
    std::deque<Point> queue = requested_points();
    const std::size_t requested = queue.size();
    std::erase_if(queue, [this](const Point& point) { return done_.contains(point); });
    if (auto failed = measure_all(queue, request_.budget_s * (1 - refinement_share)); !failed)
      return tl::unexpected(failed.error());
    const std::size_t unmeasured = queue.size();
    if (unmeasured == requested)
      return failure(fmt::format(
          "the budget of {:.3g} s is too small to measure even one of {} points; give more, or fewer "
          "operations and sizes",
          request_.budget_s, requested));
    if (auto failed = look_again(); !failed) return tl::unexpected(failed.error());
    if (unmeasured == 0)
      if (auto failed = refine(); !failed) return tl::unexpected(failed.error());
    return TuningResult{make_table(), unmeasured, std::move(left_out_)};
  }

 private:
  // By size first, so that a small budget gives a coarse picture of everything.
  std::deque<Point> requested_points() const {
    std::deque<Point> points;
    for (const std::size_t size : request_.sizes)
      for (const int ranks : request_.ranks)
        for (const Collective operation : request_.operations)
          if (operation != Collective::barrier)
            points.push_back({operation, ranks, size});
          else if (size == request_.sizes.front())
            points.push_back({operation, ranks, 0});
    return points;
  }

  // Measures points from the front until there are none or the time is up; what is left stays in the queue.
  Result<void> measure_all(std::deque<Point>& queue, double until) {
    while (!queue.empty() && !too_late_for(queue.front(), until)) {
      const Point point = queue.front();
      const double share = (until - hooks_.clock()) / static_cast<double>(queue.size());
      const double begin = hooks_.clock();
      auto tuned = measure(point, share, queue.size());
      if (!tuned) return tl::unexpected(tuned.error());
      spent_[point] = hooks_.clock() - begin;
      hooks_.keep(*tuned);
      done_.emplace(point, std::move(*tuned));
      queue.pop_front();
    }
    return {};
  }

  // How long a point takes is not known before it was measured; its smaller neighbour is a lower bound.
  bool too_late_for(const Point& point, double until) const {
    double expected = 0;
    const auto next = done_.upper_bound(point);
    if (next != done_.begin()) {
      const auto& [near, tuned] = *std::prev(next);
      if (near.collective == point.collective && near.ranks == point.ranks) expected = least_time(tuned);
    }
    return hooks_.clock() + expected >= until;
  }

  // Points whose native times or chosen plan's stand in the way of a curve over sizes, or have two modes.
  std::vector<Point> doubtful() const {
    std::set<Point> found;
    for (auto it = done_.begin(); it != done_.end();) {
      std::vector<Point> points;
      std::vector<double> native, chosen;
      const Point first = it->first;
      for (; it != done_.end() && it->first.collective == first.collective && it->first.ranks == first.ranks;
           ++it) {
        const TunedPoint& tuned = it->second;
        points.push_back(it->first);
        for (const Measurement& m : tuned.measurements) {
          if (m.two_modes && (m.plan == "native" || m.plan == tuned.plan)) found.insert(it->first);
          if (m.plan == "native") native.push_back(m.seconds.middle);
          if (m.plan == tuned.plan) chosen.push_back(m.seconds.middle);
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
    std::map<Point, TunedPoint> before;
    std::deque<Point> queue;
    for (const Point& point : doubtful()) {
      queue.push_back(point);
      before.insert(done_.extract(point));
    }
    if (auto failed = measure_all(queue, request_.budget_s); !failed) return failed;
    for (const Point& point : queue) done_.insert(before.extract(point));  // no time left
    for (const Point& point : doubtful()) {
      TunedPoint& tuned = done_.at(point);
      tuned.plan = "native";
      for (Measurement& measurement : tuned.measurements) measurement.unstable = true;
      hooks_.keep(tuned);
    }
    return {};
  }

  // In a simulation the clock on the wall counts; elsewhere every plan runs at least four times.
  double least_time(const TunedPoint& tuned) const {
    if (measurer_.site().simulated) {
      const auto spent = spent_.find(tuned.point);
      return spent == spent_.end() ? 0 : spent->second;
    }
    double seconds = 0;
    for (const Measurement& measurement : tuned.measurements) seconds += 4 * measurement.seconds.middle;
    return seconds;
  }

  Result<TunedPoint> measure(const Point& point, double share, std::size_t queued) {
    const std::size_t cheapest = request_.exhaustive          ? all_candidates
                                 : measurer_.site().simulated ? few_measured
                                                              : many_measured;
    auto [all, known] = candidates(point, measurer_.site(), request_.network, cheapest, request_.fixed_order);
    show(point, fmt::format("{} plans of {}", all.size(), known), queued);
    const bool simulated = measurer_.site().simulated;
    auto screened = screen(
        point, all, {simulated ? 1 : screening_repetitions, std::min(longest_s, share * screening_share)});
    if (!screened) return tl::unexpected(screened.error());
    if (simulated) return choose(point, *screened, *screened);

    const std::vector<Plan> best = most_promising(all, *screened);
    if (best.size() == 1) return choose(point, *screened, {});
    show(point, fmt::format("native and {} plan{}", best.size() - 1, best.size() == 2 ? "" : "s"), queued);
    auto confirmed = measure_plans(measurer_, point, best,
                                   {final_repetitions, std::min(longest_s, share * (1 - screening_share))});
    if (!confirmed) return tl::unexpected(confirmed.error());
    return choose(point, *screened, *confirmed);
  }

  // Measures, but leaves out what can't be measured beside native: phases left to the library may give wrong
  // results for sizes that programs hardly ever ask for.
  Result<std::vector<Measurement>> screen(const Point& point, std::vector<Plan>& plans,
                                          Measurer::Effort effort) {
    auto measured = measure_plans(measurer_, point, plans, effort);
    if (measured) return measured;
    std::vector<Plan> right{plans[0]};
    for (std::size_t i = 1; i < plans.size(); ++i) {
      const auto alone = measure_plans(measurer_, point, {plans[0], plans[i]}, {1, 0});
      if (alone)
        right.push_back(plans[i]);
      else
        left_out_.push_back(alone.error().message);
    }
    // None is measured: the error is not one of a plan.
    if (right.size() == 1) return measured;
    plans = std::move(right);
    return measure_plans(measurer_, point, plans, effort);
  }

  static std::vector<Plan> most_promising(const std::vector<Plan>& all,
                                          const std::vector<Measurement>& screened) {
    std::multimap<double, const Plan*> by_time;
    for (std::size_t i = 1; i < all.size(); ++i)
      if (screened[i].ratio_to_native.middle < promising)
        by_time.emplace(screened[i].seconds.middle, &all[i]);
    std::vector<Plan> best{all[0]};
    for (const auto& [seconds, plan] : by_time)
      if (best.size() <= finalists) best.push_back(*plan);
    return best;
  }

  // The interval of a ratio to native has to lie below that.
  double enough() const { return measurer_.site().simulated ? 1 : worthwhile; }

  // The fastest of those that surely gain, by the ratios of pairs and by the medians; later measurements take
  // the place of earlier ones. Native comes first.
  TunedPoint choose(const Point& point, std::vector<Measurement> screened,
                    const std::vector<Measurement>& confirmed) const {
    TunedPoint tuned{point, std::move(screened), "native"};
    double least = confirmed.empty() ? 0 : confirmed.front().seconds.middle;
    for (const Measurement& fresh : confirmed) {
      for (Measurement& old : tuned.measurements)
        if (old.plan == fresh.plan) old = fresh;
      if (fresh.plan != "native" && fresh.ratio_to_native.high < enough() && fresh.seconds.middle < least) {
        least = fresh.seconds.middle;
        tuned.plan = fresh.plan;
      }
    }
    return tuned;
  }

  // Bisects between neighbours with different plans, the widest gaps first, while there is time.
  Result<void> refine() {
    while (true) {
      std::deque<Point> gaps;
      double widest = least_refined_ratio;
      for (auto it = done_.begin(); it != done_.end() && std::next(it) != done_.end(); ++it) {
        const auto& [low, at_low] = *it;
        const auto& [high, at_high] = *std::next(it);
        if (low.collective != high.collective || low.ranks != high.ranks || at_low.plan == at_high.plan ||
            traits(low.collective).size_means == SizeMeans::nothing)
          continue;
        const double ratio =
            static_cast<double>(high.size) / static_cast<double>(std::max<std::size_t>(low.size, 1));
        if (ratio <= widest) continue;
        widest = ratio;
        gaps = {{low.collective, low.ranks, middle(low.size, high.size)}};
      }
      if (gaps.empty() || done_.contains(gaps.front())) return {};
      const double now = hooks_.clock();
      // Each gap gets a fair share of what is left, but not so little that it shows nothing.
      const double share = std::max(least_share, (request_.budget_s - now) / 4);
      const double until =
          measurer_.site().simulated ? request_.budget_s : std::min(request_.budget_s, now + share);
      if (auto failed = measure_all(gaps, until); !failed) return failed;
      if (!gaps.empty()) return {};  // no time left
    }
  }

  // The geometric mean, in whole doubles where there is room.
  static std::size_t middle(std::size_t low, std::size_t high) {
    const auto mean = static_cast<std::size_t>(
        std::sqrt(static_cast<double>(std::max<std::size_t>(low, 1)) * static_cast<double>(high)));
    return mean >= 16 ? mean / 8 * 8 : mean;
  }

  void show(const Point& point, const std::string& what, std::size_t queued) const {
    hooks_.progress({hooks_.clock(), request_.budget_s, done_.size(), done_.size() + queued,
                     fmt::format("{} on {} ranks, {}: {}", name(point.collective), point.ranks,
                                 size_text(point.size), what)});
  }

  Table make_table() const {
    Table table{measurer_.site().fingerprint, hockney_of(request_.network.links.front()), {}, {}};
    for (auto it = done_.begin(); it != done_.end();) {
      const Point first = it->first;
      const int hosts = it->second.measurements.front().hosts;
      std::map<std::size_t, std::string> plans;
      std::vector<const TunedPoint*> points;
      for (; it != done_.end() && it->first.collective == first.collective && it->first.ranks == first.ranks;
           ++it) {
        plans[it->first.size] = it->second.plan;
        points.push_back(&it->second);
        table.measurements.insert(table.measurements.end(), it->second.measurements.begin(),
                                  it->second.measurements.end());
      }
      table.rule_sets.push_back({first.collective,
                                 {first.ranks, hosts},
                                 traits(first.collective).size_means == SizeMeans::nothing
                                     ? rule_for_all_sizes(first.collective, points)
                                     : rules_from(first.collective, plans)});
    }
    for (const RuleSet& set : table.rule_sets)
      for (const Rule& rule : set.rules)
        if (rule.plan.is_computed()) table.links = request_.network;
    return table;
  }

  // Where ranks can't go by a size there is one decision: a plan that surely gains at every size measured,
  // the one that gains most on the average.
  std::vector<Rule> rule_for_all_sizes(Collective collective,
                                       const std::vector<const TunedPoint*>& points) const {
    std::map<std::string, std::pair<std::size_t, double>> gains;  // sizes with a gain, product of the ratios
    for (const TunedPoint* point : points)
      for (const Measurement& m : point->measurements)
        if (m.plan != "native" && !m.unstable && m.ratio_to_native.high < enough()) {
          auto& [sizes, product] = gains.try_emplace(m.plan, 0, 1.0).first->second;
          ++sizes;
          product *= m.ratio_to_native.middle;
        }
    std::string best = "native";
    double least = 1;
    for (const auto& [plan, gain] : gains)
      if (gain.first == points.size() && gain.second < least) {
        best = plan;
        least = gain.second;
      }
    return {{0, unlimited, make_plan(collective, best).value()}};
  }

  const TuningRequest& request_;
  Measurer& measurer_;
  const TuningHooks& hooks_;
  std::map<Point, TunedPoint> done_;
  std::map<Point, double> spent_;  // seconds on the wall
  std::vector<std::string> left_out_;
};

}  // namespace

std::vector<Rule> rules_from(Collective collective, const std::map<std::size_t, std::string>& plan_by_size) {
  std::vector<Rule> rules;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end, const std::string& plan) {
    if (!rules.empty() && rules.back().plan.text() == plan)
      rules.back().size_max = end;
    else
      rules.push_back({begin, end, make_plan(collective, plan).value()});
    begin = end + 1;
  };
  for (auto it = plan_by_size.begin(); it != plan_by_size.end(); ++it) {
    const auto& [size, plan] = *it;
    if (it == plan_by_size.begin() && size / 2 > 0) add(size / 2 - 1, "native");
    const auto next = std::next(it);
    if (next == plan_by_size.end()) {
      add(size * 2, plan);
    } else {
      const double mean = std::sqrt(static_cast<double>(size) * static_cast<double>(next->first));
      add(std::max(size, static_cast<std::size_t>(mean)), plan);
    }
  }
  add(unlimited, "native");
  return rules;
}

Result<TuningResult> tune(const TuningRequest& request, Measurer& measurer,
                          const std::vector<TunedPoint>& known, const TuningHooks& hooks) {
  return Tuner(request, measurer, hooks).run(known);
}

}  // namespace tutti
