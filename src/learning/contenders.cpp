#include "learning/contenders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "learning/contrast.hpp"
#include "learning/rules.hpp"
#include "network/hockney.hpp"
#include "text/size.hpp"

namespace tutti {
namespace {

constexpr std::size_t well_known = 4;  // plans of a class, of which the others need not be tried
constexpr std::size_t novelties = 2;   // a run, where of those nothing gains
constexpr std::size_t rivals = 2;      // of a plan that is known to gain
constexpr double near_best = 0.06;     // contrast: programs differ by as much
constexpr double worthwhile = 0.005;   // contrast
constexpr double farthest = 4;         // doublings of ranks, hosts and sizes

struct Known {
  const std::string* plan;
  const Evidence* evidence;
  double mean() const { return evidence->against_native.mean; }
  bool gains() const { return evidence->ratio_to_native().high < 1; }
  // As a first call tells alone, until that has faded.
  bool is_hopeless() const {
    return evidence->against_native.count > 0.5 && mean() > contrast_of_ratio(LearningRules{}.hopeless);
  }
  // As in a race: to think less of it costs gain, not safety, and many short programs would each begin anew
  // otherwise.
  bool may_gain() const {
    return !is_hopeless() && evidence->against_native.interval(LearningRules{}.elimination).low < -worthwhile;
  }
};

// All but native, the best first.
std::vector<Known> by_mean(const EvidenceByPlan& plans) {
  std::vector<Known> known;
  for (const auto& [plan, evidence] : plans)
    if (plan != "native" && evidence.against_native.count > 0) known.push_back({&plan, &evidence});
  std::sort(known.begin(), known.end(), [](const Known& a, const Known& b) { return a.mean() < b.mean(); });
  return known;
}

double doublings(double a, double b) {
  return std::abs(std::log2(a / b));
}

double distance(const CallClass& a, const CallClass& b) {
  return doublings(a.placement.ranks, b.placement.ranks) + doublings(a.placement.hosts, b.placement.hosts) +
         std::abs(a.size.number - b.size.number);
}

bool has_a_gain(const EvidenceByPlan& plans) {
  return std::any_of(plans.begin(), plans.end(), [](const auto& entry) {
    const auto& [plan, evidence] = entry;
    return plan != "native" && Known{&plan, &evidence}.gains();
  });
}

double alone(const EvidenceByPlan& plans) {
  const auto native = plans.find("native");
  return native == plans.end() ? 0 : native->second.alone;
}

// Of the class itself; null where nothing is known.
const EvidenceByPlan* evidence_of(const Knowledge& knowledge, const std::string& mpi,
                                  const CallClass& calls) {
  const auto exact = knowledge.classes.find({mpi, calls});
  return exact == knowledge.classes.end() ? nullptr : &exact->second;
}

class Chooser {
 public:
  Chooser(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls, const Setting& setting)
      : knowledge_(knowledge), mpi_(mpi), calls_(calls), setting_(setting) {
    chosen_.add(Plan::native(calls.collective));
  }

  Contenders run() {
    const EvidenceByPlan* exact = evidence_of(knowledge_, mpi_, calls_);
    if (exact) take_exact(by_mean(*exact));
    if (chosen_.presumed == 0) {
      const bool hardly_known = seen_.size() < well_known;
      if (hardly_known) take_nearest();
      take_cheapest(hardly_known);
      if (exact) presume_by_price(*exact);
    }
    if (chosen_.because.empty()) chosen_.because = "known to lose to native";
    return std::move(chosen_);
  }

 private:
  // Whether there was room.
  bool take(const std::string& text, const std::string& because, const Sample& known = {}, double price = 0) {
    if (chosen_.plans.size() > most_contenders || !seen_.insert(text).second) return false;
    auto plan = make_plan(calls_.collective, text);
    if (!plan || plan->is_native() || plan->refusal(setting_)) return false;
    chosen_.add(std::move(*plan), known, price);
    if (chosen_.because.empty()) chosen_.because = because;
    return true;
  }

  // The best of those that surely gain, and what may be better yet, though less is known of it.
  void take_exact(const std::vector<Known>& known) {
    const auto best = std::find_if(known.begin(), known.end(), [](const Known& k) { return k.gains(); });
    if (best != known.end() && take(*best->plan, "known", best->evidence->against_native))
      chosen_.presumed = 1;
    std::size_t others = 0;
    for (const Known& other : known) {
      const bool worth = chosen_.presumed == 0 ? other.may_gain() : other.mean() < best->mean() + near_best;
      if (worth && others < rivals && take(*other.plan, "known", other.evidence->against_native)) ++others;
      seen_.insert(*other.plan);
    }
  }

  // The best plans of the classes that are nearest.
  void take_nearest() {
    std::multimap<double, const std::pair<const Knowledge::Key, EvidenceByPlan>*> near;
    for (const auto& entry : knowledge_.classes)
      if (const CallClass& other = entry.first.calls;
          entry.first.mpi == mpi_ && other.collective == calls_.collective &&
          other.operands == calls_.operands && other != calls_ && distance(other, calls_) <= farthest)
        near.emplace(distance(other, calls_), &entry);
    std::size_t taken = 0;
    for (const auto& [away, entry] : near) {
      const Placement& there = entry->first.calls.placement;
      for (const Known& known : by_mean(entry->second)) {
        if (taken == rivals) return;
        if (known.gains() &&
            take(*known.plan, fmt::format("known of {} ranks on {}", there.ranks, hosts_text(there.hosts))))
          ++taken;
      }
    }
  }

  // What connects many ranks waits until it is known that others don't gain.
  void take_cheapest(bool hardly_known) {
    const auto network = knowledge_.networks.find(mpi_);
    for (const Priced& one :
         cheapest(calls_, setting_, network == knowledge_.networks.end() ? nullptr : &network->second,
                  {.most = hardly_known ? most_contenders : novelties,
                  .may_connect = !hardly_known,
                  .tried = seen_}))
      take(one.plan.text(), "by price", {}, one.seconds);
  }

  // Where it should save so much of what calls take natively that they need not wait for it to be compared,
  // which slow calls of a short program never are.
  void presume_by_price(const EvidenceByPlan& plans) {
    const double native = alone(plans);
    chosen_.prices.front() = native;
    const auto took_longer = [&](const Plan& plan) {
      const auto seen = plans.find(plan.text());
      return seen != plans.end() && seen->second.seconds.count > 0.5 && seen->second.seconds.mean > native;
    };
    for (std::size_t i = 1; i < chosen_.plans.size() && chosen_.presumed == 0; ++i)
      if (chosen_.known[i].count == 0 && chosen_.prices[i] > 0 &&
          chosen_.prices[i] < LearningRules{}.promising * native && !took_longer(chosen_.plans[i]))
        chosen_.presumed = i;
  }

  const Knowledge& knowledge_;
  const std::string& mpi_;
  const CallClass& calls_;
  const Setting& setting_;
  Contenders chosen_;
  std::set<std::string> seen_;
};

}  // namespace

void Contenders::add(Plan plan, const Sample& known_of_it, double price) {
  plans.push_back(std::move(plan));
  known.push_back(known_of_it);
  prices.push_back(price);
}

void Contenders::drop(std::size_t number) {
  plans.erase(plans.begin() + static_cast<std::ptrdiff_t>(number));
  known.erase(known.begin() + static_cast<std::ptrdiff_t>(number));
  prices.erase(prices.begin() + static_cast<std::ptrdiff_t>(number));
  if (presumed == number)
    presumed = 0;
  else if (presumed > number)
    --presumed;
}

double native_seconds(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls) {
  const EvidenceByPlan* exact = evidence_of(knowledge, mpi, calls);
  return exact ? alone(*exact) : 0;
}

double slowest_native_seconds(const Knowledge& knowledge, const std::string& mpi,
                              const Placement& placement) {
  double most = 0;
  for (const auto& [key, plans] : knowledge.classes)
    if (key.mpi == mpi && key.calls.placement == placement) most = std::max(most, alone(plans));
  return most;
}

bool knows_a_gain(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls) {
  const EvidenceByPlan* exact = evidence_of(knowledge, mpi, calls);
  return exact && has_a_gain(*exact);
}

bool knows_a_gain(const Knowledge& knowledge, const std::string& mpi, const Placement& placement) {
  return std::any_of(knowledge.classes.begin(), knowledge.classes.end(), [&](const auto& entry) {
    return entry.first.mpi == mpi && entry.first.calls.placement == placement && has_a_gain(entry.second);
  });
}

Contenders contenders(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls,
                      const Setting& setting) {
  return Chooser(knowledge, mpi, calls, setting).run();
}

}  // namespace tutti
