// The plans that are worth a first try in a program: found in a time that a program does not notice, so by
// closed forms where there are many ranks, and with one composition or two of all there are.

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "choose/planner/connections.hpp"
#include "choose/planner/cost_estimate.hpp"
#include "choose/planner/online_candidates.hpp"
#include "core/plan/composition_template.hpp"

namespace tutti::inline choose {
namespace {

constexpr int most_walked_ranks = 512;  // beyond, parts are many, and long
constexpr std::size_t most_compositions = 2;
constexpr double as_good = 1.1;             // times the cheapest
constexpr double too_dear = 3;              // times the cheapest: not worth connections and a first call
constexpr double worth_connections = 0.75;  // of the cheapest that needs few
constexpr std::size_t unsized = 1024;       // bytes, where there is no size that all ranks know

using Algorithms = std::set<std::string_view>;  // by name

// Plans for the phases of a composition.
struct Filling {
  std::vector<std::string> phases;
  Algorithms algorithms;
};

struct Appraised {
  CostEstimate cost_estimate;
  Plan plan;
};

bool is_cheaper(const Appraised& a, const Appraised& b) {
  return a.cost_estimate.seconds < b.cost_estimate.seconds;
}

double least_seconds(const std::vector<Appraised>& plans) {
  double least = std::numeric_limits<double>::infinity();
  for (const Appraised& one : plans) least = std::min(least, one.cost_estimate.seconds);
  return least;
}

// For each algorithm, among the plans as good as its cheapest, the one with the fewest messages,
// for these cost processors more than a short probe sees; through memory where nothing tells which
// way is better.
std::vector<Appraised> best_of_each_algorithm(std::vector<Appraised> plans) {
  std::map<std::string_view, std::vector<Appraised>> variants;
  for (Appraised& one : plans) variants[one.plan.algorithm()->name].push_back(std::move(one));
  const auto preferred = [](const Appraised& a, const Appraised& b) {
    const auto key = [](const Appraised& one) {
      return std::tuple(one.cost_estimate.messages, one.cost_estimate.seconds, !one.plan.is_through_memory());
    };
    return key(a) < key(b);
  };
  std::vector<Appraised> best;
  for (auto& [name, all] : variants) {
    std::erase_if(all, [limit = as_good * least_seconds(all)](const Appraised& one) {
      return one.cost_estimate.seconds > limit;
    });
    best.push_back(std::move(*std::min_element(all.begin(), all.end(), preferred)));
  }
  return best;
}

void keep_cheapest(std::vector<Appraised>& plans, std::size_t most) {
  std::stable_sort(plans.begin(), plans.end(), is_cheaper);
  if (plans.size() > most) plans.erase(plans.begin() + static_cast<std::ptrdiff_t>(most), plans.end());
}

class CheapestPlans {
 public:
  CheapestPlans(const CallClass& calls, const Setting& setting, const Network* network, const Wanted& wanted)
      : wanted_(wanted),
        collective_(calls.collective),
        setting_(setting),
        size_(traits(collective_).size_means == SizeMeans::nothing && collective_ != Collective::barrier
                  ? unsized
                  : calls.typical_size()),
        appraiser_(calls.placement, setting, network) {}

  // The best of each algorithm and two compositions of different algorithms, in the order of their prices;
  // through memory and not.
  std::vector<Priced> run() {
    std::vector<Appraised> all = appraised(collective_, setting_, size_);
    most_seconds_ = too_dear * least_seconds(all);
    std::erase_if(all, [this](const Appraised& one) {
      return wanted_.tried.contains(one.plan.text()) || is_too_dear(one);
    });
    auto compositions = cheapest_compositions();
    keep_cheapest(compositions, std::min(most_compositions, wanted_.most / 2));
    auto chosen = worth_their_connections(best_of_each_algorithm(all));
    keep_cheapest(chosen, wanted_.most - compositions.size());
    go_both_ways(chosen, std::move(all));
    std::move(compositions.begin(), compositions.end(), std::back_inserter(chosen));
    keep_cheapest(chosen, wanted_.most);
    std::vector<Priced> plans;
    for (Appraised& one : chosen) plans.push_back({std::move(one.plan), one.cost_estimate.seconds});
    return plans;
  }

 private:
  bool is_too_dear(const Appraised& one) const { return one.cost_estimate.seconds > most_seconds_; }

  bool connects_few(const Plan& plan) const {
    return stays_near(plan, setting_, total_bytes(collective_, setting_, size_));
  }

  // Drops the plans that connect many ranks for too little gain; keeps all where none connects few.
  std::vector<Appraised> worth_their_connections(std::vector<Appraised> plans) const {
    const auto far = std::stable_partition(plans.begin(), plans.end(),
                                           [this](const Appraised& one) { return connects_few(one.plan); });
    const std::vector<Appraised> near(plans.begin(), far);
    if (near.empty()) return plans;
    const double most = wanted_.may_connect ? worth_connections * least_seconds(near) : 0;
    plans.erase(std::remove_if(far, plans.end(),
                               [most](const Appraised& one) { return one.cost_estimate.seconds >= most; }),
                plans.end());
    return plans;
  }

  // A short probe hardly tells whether messages are better off through memory: the dearest makes room for
  // a plan of the way that none goes.
  void go_both_ways(std::vector<Appraised>& chosen, std::vector<Appraised> all) const {
    std::stable_sort(all.begin(), all.end(), is_cheaper);
    for (const bool memory : {false, true}) {
      const auto goes = [memory](const Appraised& one) { return one.plan.is_through_memory() == memory; };
      if (chosen.size() < 2 || std::any_of(chosen.begin(), chosen.end(), goes)) continue;
      const auto other = std::find_if(
          all.begin(), all.end(), [&](const Appraised& one) { return goes(one) && connects_few(one.plan); });
      if (other != all.end()) chosen.back() = std::move(*other);
    }
  }

  std::vector<Appraised> appraised(Collective collective, const Setting& setting, std::size_t size) const {
    std::vector<Appraised> all;
    for (Plan& plan : plans_here(collective, setting)) {
      const CostEstimate cost_estimate = appraiser_.of(plan, setting, size);
      all.push_back({cost_estimate, std::move(plan)});
    }
    return all;
  }

  // The plans to estimate: those that are known, and those with pieces that suit the network.
  std::vector<Plan> plans_here(Collective collective, const Setting& setting) const {
    auto plans = known_plans(collective, setting);
    if (setting.ranks > most_walked_ranks) {
      const auto none = [&](const Plan& plan) { return !Appraiser::closed_form(plan, setting.ranks); };
      if (!std::all_of(plans.begin(), plans.end(), none)) std::erase_if(plans, none);
    }
    const int half = half_performance_length(appraiser_.wire());
    for (Plan& plan : plans_for_network(collective, setting.ranks, half))
      if (!plan.refusal(setting)) plans.push_back(std::move(plan));
    std::erase_if(plans, [&](const Plan& plan) {
      return plan.is_native() || plan.is_computed() ||
             (plan.has_native_phases() && !Appraiser::prices(setting.ranks));
    });
    return plans;
  }

  // The cheapest composition of each set of algorithms that needs few connections: how ranks are
  // laid out matters less. Sets that were tried in a composition count only where there is no
  // other.
  std::vector<Appraised> cheapest_compositions() {
    std::map<Algorithms, Appraised> cheapest_of;
    std::set<Algorithms> tried;
    for (const CompositionTemplate& composition : templates_worth_a_look())
      for (const auto& [phases, algorithms] : fillings(composition)) {
        auto plan = filled(composition, phases);
        if (!plan) continue;
        if (wanted_.tried.contains(plan->text())) {
          tried.insert(algorithms);
          continue;
        }
        Appraised one{appraiser_.of(*plan, setting_, size_), std::move(*plan)};
        if (is_too_dear(one)) continue;
        const auto known = cheapest_of.find(algorithms);
        if ((known == cheapest_of.end() || is_cheaper(one, known->second)) && connects_few(one.plan))
          cheapest_of.insert_or_assign(algorithms, std::move(one));
      }
    std::vector<Appraised> fresh, again;
    for (auto& [algorithms, one] : cheapest_of)
      (tried.contains(algorithms) ? again : fresh).push_back(std::move(one));
    return fresh.empty() ? again : fresh;
  }

  // The templates to fill: all where plans are priced; on many ranks one of each kind, the one that
  // goes by hosts, where there are several with several ranks each, or the one nearest to a square.
  std::vector<CompositionTemplate> templates_worth_a_look() const {
    std::vector<CompositionTemplate> all = templates(collective_, setting_);
    std::erase_if(all, [](const CompositionTemplate& composition) { return composition.slots.empty(); });
    if (Appraiser::prices(setting_.ranks)) return all;
    std::map<std::string_view, CompositionTemplate> of_kind;
    for (const CompositionTemplate& composition : all) {
      const auto [best, added] = of_kind.try_emplace(composition.group, composition);
      if (!added && (composition.by_hosts || longest_slot(composition) < longest_slot(best->second)))
        best->second = composition;
    }
    std::vector<CompositionTemplate> one_each;
    for (auto& [kind, composition] : of_kind) one_each.push_back(std::move(composition));
    return one_each;
  }

  // Fillings with the cheapest plan in each phase, and with one of these plans' algorithms in all
  // phases.
  std::vector<Filling> fillings(const CompositionTemplate& composition) {
    Filling cheapest;
    for (const CompositionTemplate::Slot& slot : composition.slots) {
      const auto& plans = plans_in(slot);
      if (plans.empty()) return {};
      add(cheapest, plans.front().plan);
    }
    std::vector<Filling> all{cheapest};
    if (cheapest.algorithms.size() == 1) return all;
    for (const std::string_view algorithm : cheapest.algorithms) {
      Filling of_one;
      for (const CompositionTemplate::Slot& slot : composition.slots)
        for (const Appraised& one : plans_in(slot))
          if (one.plan.algorithm()->name == algorithm) add(of_one, one.plan);
      if (of_one.phases.size() == composition.slots.size()) all.push_back(std::move(of_one));
    }
    return all;
  }

  static void add(Filling& filling, const Plan& plan) {
    filling.phases.push_back(plan.text());
    filling.algorithms.insert(plan.algorithm()->name);
  }

  // The best of each algorithm, the cheapest first.
  const std::vector<Appraised>& plans_in(const CompositionTemplate::Slot& slot) {
    const std::size_t size = size_ / static_cast<std::size_t>(slot.shares);
    auto [known, added] = in_slots_.try_emplace({slot.collective, slot.ranks, size});
    if (added) {
      known->second = best_of_each_algorithm(
          appraised(slot.collective, {.ranks = slot.ranks, .has_memory = false}, size));
      std::stable_sort(known->second.begin(), known->second.end(), is_cheaper);
    }
    return known->second;
  }

  std::optional<Plan> filled(const CompositionTemplate& composition,
                             const std::vector<std::string>& phases) const {
    auto plan = make_plan(collective_, composition.text(phases));
    if (!plan || plan->refusal(setting_) || plan->has_native_phases()) return std::nullopt;
    return setting_.shares_memory() ? plan->through_memory() : std::move(*plan);
  }

  static int longest_slot(const CompositionTemplate& composition) {
    int longest = 0;
    for (const CompositionTemplate::Slot& slot : composition.slots) longest = std::max(longest, slot.ranks);
    return longest;
  }

  const Wanted& wanted_;
  Collective collective_;
  Setting setting_;
  std::size_t size_;
  Appraiser appraiser_;
  double most_seconds_ = 0;
  std::map<std::tuple<Collective, int, std::size_t>, std::vector<Appraised>> in_slots_;
};

}  // namespace

std::vector<Priced> cheapest(const CallClass& calls, const Setting& setting, const Network* network,
                             const Wanted& wanted) {
  return CheapestPlans(calls, setting, network, wanted).run();
}

}  // namespace tutti::inline choose
