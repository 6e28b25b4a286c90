#include "choose/offline/point_tuner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration.hpp"
#include "base/size.hpp"
#include "choose/evidence/constants.hpp"
#include "choose/evidence/statistics.hpp"
#include "choose/offline/constants.hpp"
#include "core/plan/plan_symmetry.hpp"

namespace tutti::inline choose {
namespace {

const Plan& named(const std::string& text, const std::vector<Plan>& plans) {
  return *std::find_if(plans.begin(), plans.end(), [&](const Plan& plan) { return plan.text() == text; });
}

std::vector<Plan> most_promising(const std::vector<Plan>& all, const std::vector<Measurement>& screened) {
  std::multimap<double, const Plan*> by_time;
  for (const Measurement& measurement : screened) {
    if (measurement.plan == all[0].text() || measurement.ratio_to_native.middle >= offline::promising)
      continue;
    by_time.emplace(measurement.seconds.middle, &named(measurement.plan, all));
  }
  std::vector<Plan> best{all[0]};
  for (const auto& [seconds, plan] : by_time)
    if (best.size() <= offline::finalists) best.push_back(*plan);
  return best;
}

// Seconds that a last look at some plans takes at most: calls of many milliseconds need longer than
// others for as many runs as tell something. It is twice what these took at first sight, which may
// have been lucky.
double longest_confirming(const std::vector<Plan>& plans, const std::vector<Measurement>& screened) {
  double each_s = 0;
  for (const Measurement& measurement : screened)
    if (std::ranges::any_of(plans, [&](const Plan& plan) { return plan.text() == measurement.plan; }))
      each_s += measurement.seconds.middle;
  return std::max(offline::longest_stage_s, 2 * offline::least_to_conclude * each_s);
}

std::string text(const Point& point) {
  return fmt::format("{} on {} ranks, {}", point.called().name(), point.ranks, size_text(point.size));
}

}  // namespace

double enough_of_a_gain(const Site& site) {
  return site.simulated ? 1 : evidence::worth_a_change;
}

bool tells_enough(int repetitions, const Site& site) {
  return site.simulated || repetitions >= offline::least_to_conclude;
}

bool surely_gains(const Measurement& measurement, const Site& site) {
  return tells_enough(measurement.repetitions, site) &&
         measurement.ratio_to_native.high < enough_of_a_gain(site);
}

Choice PointTuner::choice(double share) const {
  const double operations = offline::choosing_share * std::max(share, 0.0) * offline::operations_a_second;
  return {.cheapest = request_.exhaustive          ? all_candidates
                      : measurer_.site().simulated ? offline::few_measured
                                                   : offline::many_measured,
          .fixed_order = request_.fixed_order,
          .operations = std::clamp(static_cast<std::size_t>(operations), offline::least_operations,
                                   planner::tuned_operations)};
}

void PointTuner::prepare(const Point& point, double share) {
  if (!measurer_.site().simulated || prepared_.contains(point)) return;
  prepared_[point] = std::async(std::launch::async, [this, point, wanted = choice(share)] {
    return candidates(point, measurer_.site(), request_.network, wanted);
  });
}

Candidates PointTuner::candidates_of(const Point& point, double share) {
  if (auto prepared = prepared_.extract(point)) return prepared.mapped().get();
  return candidates(point, measurer_.site(), request_.network, choice(share));
}

double PointTuner::expected(const TunedPoint& smaller) const {
  if (measurer_.site().simulated) {
    const auto spent = native_spent_.find(smaller.point);
    return spent == native_spent_.end() ? 0 : spent->second;
  }
  double seconds = 0;
  for (const Measurement& measurement : smaller.measurements) seconds += 4 * measurement.seconds.middle;
  return seconds;
}

// Seconds after which a measurement is ended by force. One in a simulation must not take all the
// time of others: how long the library's own operations take on the wall nobody can say beforehand.
double PointTuner::limit(const Allowed& allowed) const {
  const double left = std::max(offline::least_limit_s, allowed.latest - clock_());
  return measurer_.site().simulated
             ? std::min(left, std::max(offline::patience * allowed.share, offline::least_patience_s))
             : left;
}

Result<std::optional<TunedPoint>> PointTuner::measure(const Point& point, const Allowed& allowed) {
  const double begin = clock_();
  if (const auto endless = endless_.find({point.called(), point.ranks});
      endless != endless_.end() && point.size >= endless->second) {
    left_out.push_back(fmt::format("{}: as at {}", text(point), size_text(endless->second)));
    return std::nullopt;
  }
  auto [all, known, prices, least_seconds] = candidates_of(point, allowed.share);
  std::map<std::string, double> price_of;
  for (std::size_t i = 0; i < all.size(); ++i) price_of[all[i].text()] = prices[i];
  allowed.show(fmt::format("{} plans of {}", all.size(), known));
  auto tuned =
      measure_known(point, std::move(all), least_seconds, allowed.share - (clock_() - begin), allowed);
  if (tuned && *tuned)
    for (Measurement& measurement : (*tuned)->measurements) measurement.price_s = price_of[measurement.plan];
  return tuned;
}

Result<std::optional<TunedPoint>> PointTuner::measure_known(const Point& point, std::vector<Plan> all,
                                                            double least_seconds, double share,
                                                            const Allowed& allowed) {
  if (measurer_.site().simulated) return measure_simulated(point, all, allowed);
  if (const double needed = offline::least_runs * least_seconds; clock_() + needed > allowed.until) {
    left_out.push_back(
        fmt::format("{}: by its price even the fastest plan takes {} a run, and {:.0f} s are left",
                    text(point), time_text(least_seconds), std::max(0.0, allowed.until - clock_())));
    return std::nullopt;
  }
  auto screened =
      screen(point, all,
             {offline::screening_repetitions,
              std::clamp(share * offline::screening_share, 0.0, offline::longest_stage_s), limit(allowed)});
  if (!screened) return tl::unexpected(screened.error());
  if (screened->empty()) return std::nullopt;
  std::vector<Plan> best = most_promising(all, *screened);
  if (best.size() > 1 && point.mode == Mode::nonblocking) {
    auto hiding = that_hide_as_much(
        point, best,
        {offline::final_repetitions,
         std::clamp(share * offline::screening_share, 0.0, offline::longest_stage_s), limit(allowed)});
    if (!hiding) return tl::unexpected(hiding.error());
    best = std::move(*hiding);
  }
  if (best.size() == 1) return choose(point, all, *screened, {});
  allowed.show(fmt::format("native and {} plan{}", best.size() - 1, best.size() == 2 ? "" : "s"));
  auto confirmed = measure_plans(
      measurer_, point, best,
      {offline::final_repetitions,
       std::clamp(share * (1 - offline::screening_share), 0.0, longest_confirming(best, *screened)),
       limit(allowed)});
  if (!confirmed) return tl::unexpected(confirmed.error());
  if (!confirmed->left_out.empty()) left_out.push_back(confirmed->left_out);
  return choose(point, all, *screened, confirmed->of_plans);
}

// Plans of nonblocking calls: native, and those that take no longer than it where ranks compute
// meanwhile. What gains when nobody computes could lose there.
Result<std::vector<Plan>> PointTuner::that_hide_as_much(const Point& point, const std::vector<Plan>& plans,
                                                        Measurer::Effort effort) {
  effort.behind = Measurer::Behind::computing;
  const auto measured = measure_plans(measurer_, point, plans, effort);
  if (!measured) return tl::unexpected(measured.error());
  std::vector<Plan> kept{plans.front()};
  for (std::size_t i = 1; i < plans.size(); ++i)
    for (const Measurement& measurement : measured->of_plans)
      if (measurement.plan == plans[i].text() && measurement.ratio_to_native.middle <= 1)
        kept.push_back(plans[i]);
  return kept;
}

// Measures, but leaves out what can't be measured beside native: phases left to the library may
// give wrong results for sizes that programs hardly ever ask for.
Result<std::vector<Measurement>> PointTuner::screen(const Point& point, std::vector<Plan>& plans,
                                                    Measurer::Effort effort) {
  if (point.mode == Mode::nonblocking) effort.behind = Measurer::Behind::either;
  auto measured = measure_plans(measurer_, point, plans, effort);
  if (!measured) {
    std::vector<Plan> right{plans[0]};
    for (std::size_t i = 1; i < plans.size(); ++i) {
      const auto alone = measure_plans(measurer_, point, {plans[0], plans[i]}, {1, 0, effort.latest_s});
      if (alone)
        right.push_back(plans[i]);
      else
        left_out.push_back(alone.error().message);
    }
    // None is measured: the error is not one of a plan.
    if (right.size() == 1) return tl::unexpected(measured.error());
    plans = std::move(right);
    measured = measure_plans(measurer_, point, plans, effort);
    if (!measured) return tl::unexpected(measured.error());
  }
  if (!measured->left_out.empty()) left_out.push_back(measured->left_out);
  return std::move(measured->of_plans);
}

// About; 0 of plans that are computed for a network.
double PointTuner::operations_of(const Plan& plan, const Point& point) const {
  if (plan.is_computed()) return 0;
  const Hosts& all = measurer_.site().hosts;
  const Hosts hosts(all.begin(), all.begin() + std::min<std::ptrdiff_t>(point.ranks, std::ssize(all)));
  const auto topology = topology_of(point);
  const Setting setting{.ranks = point.ranks, .hosts = &hosts, .topology = topology ? &*topology : nullptr};
  const std::size_t bytes = total_bytes(point.collective, setting, point.size);
  return static_cast<double>(estimated_operations(plan, shape_of(plan, setting, 0, bytes)));
}

// Times repeat exactly, so that plans need not take turns, and none has to begin that won't end in
// time: how long it takes on the wall follows from how many operations it has.
Result<std::optional<TunedPoint>> PointTuner::measure_simulated(const Point& point,
                                                                const std::vector<Plan>& all,
                                                                const Allowed& allowed) {
  const double begin = clock_();
  const auto once = [&] { return Measurer::Effort{1, 0, limit(allowed)}; };
  const auto native = measurer_.measure(point, {all[0]}, once());
  if (!native) return tl::unexpected(native.error());
  if (!native->left_out.empty()) {
    left_out.push_back(native->left_out);
    endless_[{point.called(), point.ranks}] = point.size;
    return std::nullopt;
  }
  native_spent_[point] = clock_() - begin;
  const auto summary = [&](const Plan& plan, const std::vector<double>& seconds) {
    return summarize(point.collective, point.ranks, native->hosts, point.size, plan.text(), seconds,
                     native->seconds[0]);
  };
  std::vector<Measurement> measured{summary(all[0], native->seconds[0])};
  std::string failed;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double operations = operations_of(all[i], point);
    const double now = clock_(), needed = operations * seconds_an_operation_;
    if (now + needed > allowed.until || (measured.size() > 2 && now + needed > begin + allowed.share))
      continue;
    allowed.show(fmt::format("plan {} of {}", i, all.size() - 1));
    const auto samples = measurer_.measure(point, {all[i]}, once());
    if (!samples || !samples->left_out.empty()) {
      left_out.push_back(failed = samples ? samples->left_out : samples.error().message);
      continue;
    }
    // Plans of many messages at once take longer for each.
    if (operations > 0)
      seconds_an_operation_ = std::max((clock_() - now) / operations, seconds_an_operation_ / 2);
    measured.push_back(summary(all[i], samples->seconds[0]));
  }
  if (measured.size() == 1 && !failed.empty()) return failure(failed);
  return choose(point, all, measured, measured);
}

// The fastest of those that surely gain, by the ratios of pairs and by the medians; later
// measurements take the place of earlier ones. Native comes first.
TunedPoint PointTuner::choose(const Point& point, const std::vector<Plan>& plans,
                              std::vector<Measurement> screened,
                              const std::vector<Measurement>& confirmed) const {
  TunedPoint tuned{point, std::move(screened), Plan::native(point.collective)};
  double least = confirmed.empty() ? 0 : confirmed.front().seconds.middle;
  for (const Measurement& fresh : confirmed) {
    for (Measurement& old : tuned.measurements)
      if (old.plan == fresh.plan) old = fresh;
    if (fresh.plan != "native" && surely_gains(fresh, measurer_.site()) && fresh.seconds.middle < least) {
      least = fresh.seconds.middle;
      tuned.plan = named(fresh.plan, plans);
    }
  }
  return tuned;
}

}  // namespace tutti::inline choose
