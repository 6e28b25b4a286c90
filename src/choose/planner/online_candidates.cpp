#include "choose/planner/online_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/size.hpp"
#include "choose/evidence/contrast.hpp"
#include "choose/evidence/ranking.hpp"
#include "choose/evidence/rules.hpp"
#include "core/network/hockney.hpp"

namespace tutti::inline choose {
namespace {

constexpr double unlimited_s = std::numeric_limits<double>::infinity();

double doublings(double a, double b) {
  return std::abs(std::log2(a / b));
}

double distance(const Placement& a, const Placement& b) {
  return doublings(a.ranks, b.ranks) + doublings(a.hosts, b.hosts);
}

// Where ranks know only their own sizes there may be evidence of any size, as tables have it.
double distance(const CallClass& a, const CallClass& b) {
  const bool any = has_own_sizes(a.collective) && std::min(a.size, b.size) == SizeClass{};
  return distance(a.placement, b.placement) + (any ? 0 : std::abs(a.size.number - b.size.number));
}

bool has_a_gain(const EvidenceByPlan& plans) {
  return std::any_of(plans.begin(), plans.end(), [](const auto& entry) { return gains(entry.second); });
}

double of_native(const EvidenceByPlan& plans, double Evidence::*value) {
  const auto native = plans.find("native");
  return native == plans.end() ? 0 : native->second.*value;
}

double alone(const EvidenceByPlan& plans) {
  return of_native(plans, &Evidence::alone);
}

// The most that native's evidence has of any calls of ranks so placed.
double most_of_native(const Knowledge& knowledge, const std::string& mpi, const Placement& placement,
                      double Evidence::*value) {
  double most = 0;
  for (const auto& [key, plans] : knowledge.classes)
    if (key.mpi == mpi && key.calls.placement == placement) most = std::max(most, of_native(plans, value));
  return most;
}

// Evidence of the class itself.
const EvidenceByPlan& evidence_of(const Knowledge& knowledge, const std::string& mpi,
                                  const CallClass& calls) {
  static const auto& none = *new EvidenceByPlan;
  const auto exact = knowledge.classes.find({mpi, calls});
  return exact == knowledge.classes.end() || !calls.is_shared() ? none : exact->second;
}

class OnlineChooser {
 public:
  OnlineChooser(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls,
                const Setting& setting, const FindLibraryPlans& of_library)
      : knowledge_(knowledge), mpi_(mpi), calls_(calls), setting_(setting), of_library_(of_library) {
    chosen_.add(Plan::native(calls.collective), native_seconds(knowledge, mpi, calls));
    const auto network = knowledge.networks.find({mpi});
    if (network != knowledge.networks.end()) network_ = &network->second;
  }

  OnlineCandidates run() {
    const EvidenceByPlan& exact = evidence_of(knowledge_, mpi_, calls_);
    const Ranking known(exact);
    take_exact(known);
    if (chosen_.presumed == 0) {
      const bool hardly_known = seen_.size() < planner::well_known;
      if (hardly_known) take_nearest();
      take_cheapest(hardly_known);
      if (!hardly_known) take_of_library();
      presume_by_price(exact);
    } else {
      const Ranking::Place& best = *known.best();
      const bool much = best.mean <= contrast_of_ratio(LearningRules{}.much);
      const double most_seconds = much ? LearningRules{}.promising * seconds_by(best) : unlimited_s;
      take_cheapest(false, most_seconds);
      take_of_library(most_seconds);
    }
    compare(known);
    if (chosen_.because.empty()) chosen_.because = "known to lose to native";
    return std::move(chosen_);
  }

 private:
  bool is_full() const { return chosen_.plans.size() > planner::most_candidates; }

  // Takes a plan that evidence names by its text, unless there is no such plan here, it was seen
  // before, or there is no room. Returns whether it did.
  bool take(const std::string& text, const std::string& because) {
    if (is_full() || !seen_.insert(text).second) return false;
    auto plan = make_plan(calls_.collective, text);
    return plan && add(std::move(*plan), because);
  }

  bool take(Plan plan, const std::string& because, double price) {
    return !is_full() && seen_.insert(plan.text()).second && add(std::move(plan), because, price);
  }

  // Adds a plan that can serve here. None that waits in the MPI library serves calls that return at
  // once.
  bool add(Plan plan, const std::string& because, double price = 0) {
    if (plan.is_native() || plan.refusal(setting_) ||
        (calls_.mode != Mode::blocking && plan.waits_in_library()))
      return false;
    chosen_.add(std::move(plan), price);
    if (chosen_.because.empty()) chosen_.because = because;
    return true;
  }

  // The best of those that surely gain, and what may be better yet, though less is known of it.
  void take_exact(const Ranking& known) {
    const Ranking::Place* best = known.best();
    if (best && take(*best->plan, "known")) chosen_.presumed = 1;
    std::size_t others = 0;
    for (const Ranking::Place& other : known.places()) {
      const bool worth = chosen_.presumed == 0 ? known.may_gain(other) : known.may_beat(other, *best);
      if (worth && others < planner::rivals && take(*other.plan, "known")) ++others;
      seen_.insert(*other.plan);
    }
  }

  // The best plans of the classes that are nearest.
  void take_nearest() {
    if (!calls_.is_shared()) return;
    std::multimap<double, const std::pair<const Knowledge::Key, EvidenceByPlan>*> near;
    for (const auto& entry : knowledge_.classes)
      if (const CallClass& other = entry.first.calls;
          entry.first.mpi == mpi_ && other.called() == calls_.called() && other.operands == calls_.operands &&
          other.neighbors == calls_.neighbors && other != calls_ &&
          distance(other, calls_) <= planner::farthest)
        near.emplace(distance(other, calls_), &entry);
    std::size_t taken = 0;
    for (const auto& [away, entry] : near) {
      const Placement& there = entry->first.calls.placement;
      const Ranking known(entry->second);
      for (const Ranking::Place& place : known.places()) {
        if (taken == planner::rivals) return;
        if (gains(*place.evidence) && take(*place.plan, fmt::format("known of {} ranks on {}", there.ranks,
                                                                    counted(there.hosts, "host"))))
          ++taken;
      }
    }
  }

  // What connects many ranks waits until it is known that others don't gain.
  void take_cheapest(bool hardly_known, double most_seconds = unlimited_s) {
    for (Priced& one : cheapest(calls_, setting_, network_,
                                {.most = hardly_known ? planner::most_candidates : planner::novelties,
                                .may_connect = !hardly_known,
                                .tried = seen_,
                                .most_seconds = most_seconds}))
      take(std::move(one.plan), "by price", one.seconds);
  }

  // The cheapest of the MPI library's own algorithms, of each the best segment. A first run of a
  // program goes without: it has enough to try, and finding them takes time.
  void take_of_library(double most_seconds = unlimited_s) {
    if (is_full() || calls_.mode != Mode::blocking || !of_library_) return;
    std::multimap<double, Plan> by_price;
    for (LibraryPlan& one : of_library_())
      if (const double price = quick_price(one.alike, calls_, setting_, network_);
          price > 0 && price <= most_seconds)
        by_price.emplace(price, std::move(one.plan));
    std::set<std::string> names;
    std::size_t taken = 0;
    for (auto& [price, plan] : by_price) {
      const std::string& algorithm = plan.library_algorithm();
      if (taken == planner::most_of_library || price > planner::too_dear * by_price.begin()->first) return;
      if (names.insert(algorithm.substr(0, algorithm.find('/'))).second && take(plan, "by price", price))
        ++taken;
    }
  }

  // What a call by the best plan known takes without waiting for who comes late, of which prices
  // know nothing: its price, unless calls were seen to take less, or more, as follows from what
  // native's surely take.
  double seconds_by(const Ranking::Place& best) const {
    const double priced = quick_price(chosen_.plans.at(chosen_.presumed), calls_, setting_, network_);
    return std::max(std::min(priced, best.evidence->seconds.mean),
                    chosen_.prices.front() * ratio_of_contrast(best.mean));
  }

  // Presumes a plan whose price is a small enough part of what calls take natively. It need not be
  // compared before: in slow calls of a short program it never would be.
  void presume_by_price(const EvidenceByPlan& plans) {
    const double native = chosen_.prices.front();
    const auto took_longer = [&](const Plan& plan) {
      const auto seen = plans.find(plan.text());
      return seen != plans.end() && seen->second.seconds.count > 0.5 && seen->second.seconds.mean > native;
    };
    for (std::size_t i = 1; i < chosen_.plans.size() && chosen_.presumed == 0; ++i)
      if (chosen_.prices[i] > 0 && chosen_.prices[i] < LearningRules{}.promising * native &&
          !took_longer(chosen_.plans[i]))
        chosen_.presumed = i;
  }

  void compare(const Ranking& known) {
    for (std::size_t other = 0; other < chosen_.plans.size(); ++other)
      for (std::size_t arm = other + 1; arm < chosen_.plans.size(); ++arm)
        if (const Sample seen = known.contrasts(chosen_.plans[arm].text(), chosen_.plans[other].text());
            seen.count > 0)
          chosen_.known.push_back({arm, other, seen});
  }

  const Knowledge& knowledge_;
  const std::string& mpi_;
  const CallClass& calls_;
  const Setting& setting_;
  const FindLibraryPlans& of_library_;
  const Network* network_ = nullptr;  // what is known of it
  OnlineCandidates chosen_;
  std::set<std::string> seen_;
};

}  // namespace

void OnlineCandidates::add(Plan plan, double price) {
  plans.push_back(std::move(plan));
  prices.push_back(price);
}

void OnlineCandidates::drop(std::size_t number) {
  plans.erase(plans.begin() + static_cast<std::ptrdiff_t>(number));
  prices.erase(prices.begin() + static_cast<std::ptrdiff_t>(number));
  std::erase_if(known, [number](const Comparison& c) { return c.arm == number || c.other == number; });
  for (Comparison& comparison : known)
    for (std::size_t* of : {&comparison.arm, &comparison.other}) *of -= *of > number;
  if (presumed == number)
    presumed = 0;
  else if (presumed > number)
    --presumed;
}

std::size_t OnlineCandidates::number_of(const Plan& plan) const {
  return static_cast<std::size_t>(std::find(plans.begin(), plans.end(), plan) - plans.begin());
}

double native_seconds(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls) {
  return alone(evidence_of(knowledge, mpi, calls));
}

double native_seconds_spent(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls) {
  const EvidenceByPlan& plans = evidence_of(knowledge, mpi, calls);
  const double call = alone(plans);
  return call > 0 ? call * plans.at("native").calls : 0;
}

double slowest_native_seconds(const Knowledge& knowledge, const std::string& mpi,
                              const Placement& placement) {
  return most_of_native(knowledge, mpi, placement, &Evidence::alone);
}

double untried_seconds(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls) {
  return of_native(evidence_of(knowledge, mpi, calls), &Evidence::untried_s);
}

double most_untried_seconds(const Knowledge& knowledge, const std::string& mpi, const Placement& placement) {
  return most_of_native(knowledge, mpi, placement, &Evidence::untried_s);
}

double seconds_in_slow_calls(const Knowledge& knowledge, const std::string& mpi, const Placement& placement) {
  double seconds = 0;
  for (const auto& [key, plans] : knowledge.classes)
    if (const double call = alone(plans); key.mpi == mpi && key.calls.placement == placement && call > 0)
      seconds += call * plans.at("native").calls;
  return seconds;
}

bool knows_a_gain(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls) {
  return has_a_gain(evidence_of(knowledge, mpi, calls));
}

bool knows_a_gain(const Knowledge& knowledge, const std::string& mpi, const Placement& placement) {
  return std::any_of(knowledge.classes.begin(), knowledge.classes.end(), [&](const auto& entry) {
    return entry.first.mpi == mpi && entry.first.calls.placement == placement && has_a_gain(entry.second);
  });
}

bool may_count_for(const Placement& there, const Placement& here) {
  return distance(there, here) <= planner::farthest;
}

OnlineCandidates online_candidates(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls,
                                   const Setting& setting, const FindLibraryPlans& of_library) {
  return OnlineChooser(knowledge, mpi, calls, setting, of_library).run();
}

}  // namespace tutti::inline choose
