#include "choose/probing/curve_probing.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <random>

#include "choose/probing/constants.hpp"
#include "core/network/median.hpp"

namespace tutti::inline choose {
namespace {

class CurveProbing {
 public:
  CurveProbing(const CurveRequest& request, Prober& prober, const CurveHooks& hooks)
      : request_(request),
        prober_(prober),
        hooks_(hooks),
        exactness_(prober.site().simulated ? probing::of_simulations : probing::of_real_networks),
        sizes_until_(hooks.clock() + probing::share_of_times * (request.until - hooks.clock())) {}

  Link run() {
    measure_sizes();
    std::optional<CurveCheck> check;
    while (has_time() && !(check && is_good(*check))) {
      check = check_at_random();
      settle();
    }
    Link link = link_at(needed_sizes());
    link.check = check;
    return link;
  }

 private:
  using Interval = std::pair<std::size_t, std::size_t>;

  bool has_time() const { return hooks_.clock() < sizes_until_ && times_.size() < exactness_.most_sizes; }
  static bool is_good(const CurveCheck& check) {
    return check.median <= probing::good_median && check.worst <= probing::good_worst;
  }
  // Relative. What the clock did not see to take time is nothing to be relative to.
  static double error(double told, double measured) {
    return measured > 0 ? std::abs(told / measured - 1) : 0;
  }
  double expected(std::size_t bytes) const {
    return request_.expected.alpha + request_.expected.beta * static_cast<double>(bytes);
  }
  double share() const { return (request_.until - hooks_.clock()) / probing::usual_sizes; }
  int repetitions(double seconds_each, double share_s) const {
    return repetitions_within(share_s, seconds_each, prober_);
  }
  double measure(Experiment experiment, std::size_t bytes, int repetitions) {
    auto seconds = prober_.run(experiment, {{request_.from, request_.to}}, bytes, repetitions);
    if (!seconds) throw seconds.error();
    return std::max(0.0, seconds->front());  // clocks may be set back
  }

  double time(std::size_t bytes) {
    hooks_.show(bytes);
    const int times = std::max(repetitions(probing::messages_a_sample * expected(bytes), share()),
                               prober_.site().simulated ? 1 : probing::least_repetitions);
    return measure(Experiment::round_trip, bytes, times) / 2;
  }
  void take(std::size_t bytes) { times_[bytes] = time(bytes); }

  // What would take all the time that there is, or more.
  bool takes_too_long(std::size_t bytes) const {
    return !prober_.site().simulated && times_.size() > 1 &&
           2 * (probing::least_repetitions + 1) * expected(bytes) > request_.until - hooks_.clock();
  }

  void measure_sizes() {
    take(probing::short_bytes);
    std::size_t last = probing::short_bytes;
    for (std::size_t bytes = 1024; bytes <= request_.largest && !takes_too_long(bytes);
         last = bytes, bytes *= 32) {
      take(bytes);
      open_.emplace_back(last, bytes);
    }
    // Where there was no time for long messages, what was expected of them stands for them.
    if (times_.rbegin()->first < probing::long_bytes)
      times_[probing::long_bytes] = expected(probing::long_bytes);
    settle();
  }

  double by_line(const Interval& between, std::size_t bytes) const {
    const auto point = [&](std::size_t at) { return Curve::Point{static_cast<double>(at), times_.at(at)}; };
    return Curve({point(between.first), point(between.second)})(static_cast<double>(bytes));
  }

  // Halves intervals until lines explain what is between.
  void settle() {
    for (; !open_.empty() && has_time(); open_.pop_front()) {
      const auto [left, right] = open_.front();
      const std::size_t middle = middle_of(left, right);
      if (is_settled(left, right) || takes_too_long(middle)) continue;
      take(middle);
      if (std::abs(by_line({left, right}, middle) - times_[middle]) <= exactness_.straight * times_[middle])
        continue;
      open_.emplace_back(left, middle);
      open_.emplace_back(middle, right);
    }
    open_.clear();
  }

  static bool are_near(std::size_t left, std::size_t right) {
    return static_cast<double>(right) < 1.1 * static_cast<double>(left);
  }
  static std::size_t middle_of(std::size_t left, std::size_t right) {
    if (are_near(left, right)) return (left + right) / 2;
    return static_cast<std::size_t>(std::sqrt(static_cast<double>(left) * static_cast<double>(right)));
  }
  // Whether two sizes are too near for anything between but a step, and no step is followed there.
  bool is_settled(std::size_t left, std::size_t right) const {
    if (right - left <= exactness_.narrow || middle_of(left, right) <= left) return true;
    return are_near(left, right) &&
           std::abs(times_.at(right) - times_.at(left)) <= exactness_.least_step * times_.at(left);
  }

  CurveCheck check_at_random() {
    const Curve curve = curve_of(times_);
    const double widest = std::log(static_cast<double>(times_.rbegin()->first));
    std::map<std::size_t, double> drawn;
    std::vector<double> errors;
    for (int i = 0; i < exactness_.drawn; ++i) {
      const auto bytes =
          static_cast<std::size_t>(std::exp(std::uniform_real_distribution<double>(0, widest)(random_)));
      if (times_.contains(bytes) || drawn.contains(bytes) || takes_too_long(bytes)) continue;
      const double seconds = drawn[bytes] = time(bytes);
      errors.push_back(error(curve(static_cast<double>(bytes)), seconds));
    }
    for (const auto& [bytes, seconds] : drawn)
      if (error(curve(static_cast<double>(bytes)), seconds) > exactness_.straight) times_[bytes] = seconds;
    for (const auto& [bytes, seconds] : drawn)
      if (const auto at = times_.find(bytes); at != times_.end()) {
        open_.emplace_back(std::prev(at)->first, bytes);
        if (const auto next = std::next(at); next != times_.end()) open_.emplace_back(bytes, next->first);
      }
    if (errors.empty()) return {};
    return {static_cast<int>(errors.size()), median(errors), *std::max_element(errors.begin(), errors.end())};
  }

  static Curve curve_of(const std::map<std::size_t, double>& values) {
    std::vector<Curve::Point> points;
    for (const auto& [bytes, value] : values) points.push_back({static_cast<double>(bytes), value});
    return Curve(std::move(points));
  }

  // Without sizes that lines between others explain.
  std::vector<std::size_t> needed_sizes() const {
    std::vector<std::size_t> needed{times_.begin()->first};
    std::deque<Interval> open{{times_.begin()->first, times_.rbegin()->first}};
    for (; !open.empty(); open.pop_front()) {
      const auto [left, right] = open.front();
      std::size_t worst = left;
      double most = exactness_.straight / 2;
      for (auto it = std::next(times_.find(left)); it->first < right; ++it)
        if (const double off = error(by_line({left, right}, it->first), it->second); off > most) {
          most = off;
          worst = it->first;
        }
      if (worst == left) {
        needed.push_back(right);
      } else {
        open.emplace_back(left, worst);
        open.emplace_back(worst, right);
      }
    }
    std::sort(needed.begin(), needed.end());
    return needed;
  }

  // Where there is no time the gap is what a short message's latency leaves of the time.
  Link link_at(const std::vector<std::size_t>& sizes) {
    std::map<std::size_t, double> time, gap, send, receive;
    for (const std::size_t bytes : sizes) {
      hooks_.show(bytes);
      time[bytes] = times_.at(bytes);
      const double needed = probing::messages_a_sample * probing::least_repetitions * expected(bytes);
      const bool in_time = prober_.site().simulated ? hooks_.clock() < request_.until : needed <= 2 * share();
      if (!in_time && !gap.empty()) {
        gap[bytes] = std::max(0.0, time[bytes] - (time.begin()->second - gap.begin()->second));
        continue;
      }
      const int times = repetitions(probing::messages_a_sample * expected(bytes), share());
      gap[bytes] = std::clamp(measure(Experiment::burst, bytes, times), 0.0, time[bytes]);
      if (!request_.overheads) continue;
      send[bytes] = measure(Experiment::send_call, bytes, times);
      receive[bytes] = measure(Experiment::receive_call, bytes, std::min(times, 5));
    }
    const auto [longest, slowest] = *time.rbegin();
    const auto [shortest, fastest] = *time.begin();
    const auto longer_both_ways = [&](std::size_t bytes, double one_way) {
      const double both = measure(Experiment::both_ways, bytes,
                                  repetitions(one_way, std::max(0.0, request_.until - hooks_.clock())));
      return one_way > 0 ? std::max(1.0, both / one_way) : 1;
    };
    return {.time = curve_of(time),
            .gap = curve_of(gap),
            .send = curve_of(send),
            .receive = curve_of(receive),
            .both_ways = longer_both_ways(longest, slowest),
            .both_ways_latency = longer_both_ways(shortest, fastest)};
  }

  const CurveRequest& request_;
  Prober& prober_;
  const CurveHooks& hooks_;
  probing::Exactness exactness_;
  double sizes_until_;
  std::map<std::size_t, double> times_;  // seconds by bytes
  std::deque<Interval> open_;            // neighbours with perhaps no line between them
  std::minstd_rand random_{17};
};

}  // namespace

int repetitions_within(double share_s, double seconds_each, const Prober& prober) {
  if (prober.site().simulated) return 1;
  const double times = share_s / std::max(seconds_each, 1e-9);  // perhaps more than an int can hold
  return static_cast<int>(std::clamp<double>(times, 1, probing::most_repetitions));
}

Link probe_curves(const CurveRequest& request, Prober& prober, const CurveHooks& hooks) {
  return CurveProbing(request, prober, hooks).run();
}

}  // namespace tutti::inline choose
