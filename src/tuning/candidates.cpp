#include "tuning/candidates.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "network/price.hpp"
#include "plan/frames.hpp"

namespace tutti {
namespace {

constexpr std::size_t frames_a_kind = 2;
constexpr int most_priced_ranks = 256;  // pricing takes too long for more

class Candidates {
 public:
  Candidates(const Point& point, const Hosts& hosts, const Hockney& link)
      : point_(point),
        hosts_(hosts),
        link_(link),
        network_(Network::uniform(link)),
        setting_{.ranks = point.ranks, .hosts = &hosts_} {}

  std::vector<Plan> run() {
    plans_ = known_plans(point_.collective, point_.ranks);
    if (link_.beta <= 0) return std::move(plans_);
    for (Plan& plan : plans_for_network(point_.collective, point_.ranks, alpha_over_beta()))
      add(std::move(plan));
    if (point_.ranks <= most_priced_ranks) add_compositions();
    return std::move(plans_);
  }

 private:
  int alpha_over_beta() const { return static_cast<int>(std::min(link_.alpha / link_.beta, 1e9)); }

  void add(Plan plan) {
    if (std::find(plans_.begin(), plans_.end(), plan) == plans_.end()) plans_.push_back(std::move(plan));
  }
  void add(const std::string& text) {
    auto plan = make_plan(point_.collective, text);
    if (plan && !plan->refusal(setting_)) add(std::move(*plan));
  }

  std::size_t bytes() const { return total_bytes(point_.collective, point_.ranks, point_.size); }

  void add_compositions() {
    std::map<Frame::Kind, std::multimap<double, std::pair<Frame, std::string>>> by_price;
    for (const Frame& frame : frames(point_.collective, setting_)) {
      std::vector<std::string> fastest;
      for (const Frame::Slot& slot : frame.slots) fastest.push_back(fastest_in(slot));
      const std::string text = frame.text(fastest);
      auto plan = make_plan(point_.collective, text);
      if (plan && !plan->refusal(setting_))
        by_price[frame.kind].emplace(time_of(*plan), std::pair(frame, text));
    }
    for (const auto& [kind, priced] : by_price) {
      std::size_t taken = 0;
      for (const auto& [time, frame] : priced) {
        if (kind != Frame::Kind::via && taken++ == frames_a_kind) break;
        add(frame.first.native_text());
        if (kind != Frame::Kind::via) add(frame.second);
      }
    }
  }

  double time_of(const Plan& plan) const {
    Schedule schedule = generate(plan, shape_of(plan, setting_, 0, bytes()));
    return price(schedule, bytes(), network_).seconds;
  }

  // By the price on the slot's ranks of its share of the data. Many slots are alike.
  const std::string& fastest_in(const Frame::Slot& slot) {
    const std::size_t share = bytes() / static_cast<std::size_t>(slot.shares);
    const auto [entry, added] = fastest_.try_emplace({slot.collective, slot.ranks, share});
    if (!added) return entry->second;
    double least = std::numeric_limits<double>::infinity();
    auto plans = known_plans(slot.collective, slot.ranks);
    for (Plan& plan : plans_for_network(slot.collective, slot.ranks, std::max(1, alpha_over_beta())))
      plans.push_back(std::move(plan));
    entry->second = "native";
    for (const Plan& plan : plans) {
      if (plan.is_native()) continue;
      const double time =
          price(generate(plan, shape_of(plan, {.ranks = slot.ranks}, 0, share)), share, network_).seconds;
      if (time < least) {
        least = time;
        entry->second = plan.text();
      }
    }
    return entry->second;
  }

  struct SlotKey {
    Collective collective;
    int ranks;
    std::size_t share;
    auto operator<=>(const SlotKey&) const = default;
  };

  const Point& point_;
  Hosts hosts_;
  Hockney link_;
  Network network_;
  Setting setting_;
  std::vector<Plan> plans_;
  std::map<SlotKey, std::string> fastest_;
};

}  // namespace

std::vector<Plan> candidates(const Point& point, const Hosts& hosts, const Hockney& link) {
  return Candidates(point, {hosts.begin(), hosts.begin() + point.ranks}, link).run();
}

}  // namespace tutti
