// The plans that are worth a first try in a program: found in a time that a program does not
// notice, so by closed forms where there are many ranks, and with one composition or two of all
// there are.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "choose/planner/connections.hpp"
#include "choose/planner/online_candidates.hpp"
#include "choose/planner/quick_model.hpp"
#include "choose/planner/search.hpp"
#include "core/plan/compositions/near.hpp"
#include "core/synthesis/known_network.hpp"

namespace tutti::inline choose {
namespace {

using Algorithms = std::set<std::string_view>;  // by name

// Plans for the phases of a composition.
struct Filling {
  std::vector<Plan> phases;
  Algorithms algorithms;
};

double least_seconds(const std::vector<CostedPlan>& plans) {
  double least = std::numeric_limits<double>::infinity();
  for (const CostedPlan& one : plans) least = std::min(least, one.cost.seconds);
  return least;
}

std::string_view algorithm_of(const Plan& plan) {
  return without_near(plan).algorithm()->name;
}

// For each algorithm, among the plans as good as its cheapest, the one of which least leaves the
// places in which ranks are near, by `leaving`, for ways out of these may be narrow; then the one
// with the fewest messages, for these cost processors more than a short probe sees; through memory
// where nothing tells which way is better.
template <typename Leaving>
std::vector<CostedPlan> best_of_each_algorithm(std::vector<CostedPlan> plans, const Leaving& leaving) {
  std::map<std::string_view, std::vector<CostedPlan>> variants;
  for (CostedPlan& one : plans) variants[algorithm_of(one.plan)].push_back(std::move(one));
  std::vector<CostedPlan> best;
  for (auto& [name, all] : variants) {
    std::erase_if(all, [limit = planner::as_good * least_seconds(all)](const CostedPlan& one) {
      return one.cost.seconds > limit;
    });
    using Key = std::tuple<double, std::optional<double>, double, bool>;
    std::optional<Key> least;
    const CostedPlan* chosen = nullptr;
    for (const CostedPlan& one : all) {
      const Key key(leaving(one.plan), one.cost.messages, one.cost.seconds,
                    !without_near(one.plan).is_through_memory());
      if (least && *least <= key) continue;
      least = key;
      chosen = &one;
    }
    best.push_back(*chosen);
  }
  return best;
}

void keep_cheapest(std::vector<CostedPlan>& plans, std::size_t most) {
  std::stable_sort(plans.begin(), plans.end(), is_cheaper);
  if (plans.size() > most) plans.erase(plans.begin() + static_cast<std::ptrdiff_t>(most), plans.end());
}

class CheapestPlans {
 public:
  CheapestPlans(const CallClass& calls, const Setting& setting, const Network* network, const Wanted& wanted)
      : wanted_(wanted),
        collective_(calls.collective),
        setting_(setting),
        size_(has_own_sizes(collective_) && calls.size.number == 0 ? planner::unsized : calls.typical_size()),
        costs_(calls.placement, setting, network),
        search_({.collective = collective_,
                 .setting = setting_,
                 .size = size_,
                 .half_performance_length = half_performance_length(costs_.wire()),
                 .waiting_in_library = QuickModel::prices(setting.ranks),
                 .most_walked_ranks = planner::most_walked_ranks},
                costs_),
        places_(places_with_narrow_ways()),
        reach_(setting_, search_.bytes(), places_) {}

  // The best of each algorithm and two compositions of different algorithms, in the order of their
  // prices; through memory and not.
  std::vector<Priced> run() {
    std::vector<CostedPlan> all = search_.algorithms();
    most_seconds_ = std::min(planner::too_dear * least_seconds(all), wanted_.most_seconds);
    std::erase_if(all, [this](const CostedPlan& one) {
      return wanted_.tried.contains(one.plan.text()) || is_too_dear(one);
    });
    auto compositions = cheapest_compositions();
    count_what_leaves(compositions);
    keep_cheapest(compositions, std::min(planner::most_compositions, wanted_.most / 2));
    auto chosen = worth_their_connections(
        best_of_each_algorithm(all, [this](const Plan& plan) { return leaving(plan); }));
    count_what_leaves(chosen);
    keep_cheapest(chosen, wanted_.most - compositions.size());
    go_both_ways(chosen, std::move(all));
    std::move(compositions.begin(), compositions.end(), std::back_inserter(chosen));
    sort_on_levels(chosen);
    if (auto other = for_uneven_blocks()) put_second(chosen, std::move(*other));
    std::vector<Priced> plans;
    for (CostedPlan& one : chosen) plans.push_back({std::move(one.plan), one.cost.seconds});
    return plans;
  }

  double price(const Plan& plan) {
    const auto cost = search_.cost(plan);
    if (!cost) return 0;
    std::vector<CostedPlan> one{{plan, *cost}};
    count_what_leaves(one);
    sort_on_levels(one);
    return one.front().cost.seconds;
  }

 private:
  bool is_too_dear(const CostedPlan& one) const { return one.cost.seconds > most_seconds_; }

  // Where ranks are whose ways out may be narrow, by rank: told groups, or hosts where the ranks'
  // own order is not that of hosts; null where neither is.
  const Hosts* places_with_narrow_ways() {
    if (const GroupLevels* levels = levels_of(setting_); levels && levels->tells_hosts_apart())
      return levels->groups.empty() ? &levels->switches : &levels->groups;
    return search_.ranks_are_near_in_order() ? nullptr : setting_.hosts;
  }

  // Where ranks are too many to look at parts, plans on near ranks are taken to stay nearer.
  double leaving(const Plan& plan) {
    if (!places_) return 0;
    if (setting_.ranks > planner::most_walked_ranks) return is_on_near_ranks(plan) ? 0 : 1;
    return reach_.share_that_leaves(plan);
  }

  // Where plans are not priced, they take as long at least as what leaves a group takes.
  void count_what_leaves(std::vector<CostedPlan>& plans) {
    if (QuickModel::prices(setting_.ranks) || setting_.ranks > planner::most_walked_ranks ||
        costs_.out_of_group() == 0)
      return;
    for (CostedPlan& one : plans) {
      const double bytes = leaving(one.plan) / 2 * static_cast<double>(search_.bytes());  // of sends alone
      one.cost.seconds = std::max(one.cost.seconds, bytes * costs_.out_of_group());
    }
  }

  // Sorts plans by their prices on the levels of groups, where these are known, and drops those
  // that are too dear there. What there was no time to price comes behind.
  void sort_on_levels(std::vector<CostedPlan>& plans) {
    std::stable_sort(plans.begin(), plans.end(), is_cheaper);
    if (QuickModel::prices(setting_.ranks) || !costs_.knows_levels()) return;
    std::vector<CostedPlan> priced, others;
    for (CostedPlan& one : plans) {
      const auto seconds = costs_.price_on_levels(one.plan, setting_, search_.bytes());
      if (seconds) one.cost.seconds = *seconds;
      (seconds ? priced : others).push_back(std::move(one));
    }
    std::stable_sort(priced.begin(), priced.end(), is_cheaper);
    most_seconds_ = std::min(planner::too_dear * least_seconds(priced), wanted_.most_seconds);
    std::move(others.begin(), others.end(), std::back_inserter(priced));
    plans = std::move(priced);
    std::erase_if(plans, [this](const CostedPlan& one) { return is_too_dear(one); });
  }

  bool connects_few(const Plan& plan) { return reach_.stays_near(plan); }

  // Prices take blocks for equally long. Where most are empty, which each rank knows of its own
  // only, what sends blocks straight to their ranks leaves out their messages: a plan in which none
  // waits for another. Libraries do so, too: it hardly takes longer than native. Where a few are
  // long, of which all ranks know, these are passed on in pieces.
  std::optional<Plan> for_uneven_blocks() {
    if (std::isfinite(wanted_.most_seconds)) return std::nullopt;
    std::optional<Plan> other;
    if (has_own_sizes(collective_) && traits(collective_).regular == Collective::alltoall)
      other = Plan::of(collective_, "linear");
    else if (has_lengths(collective_) && setting_.ranks > 2)  // on two there is nothing to pass on
      other = in_pieces();
    if (other && setting_.shares_memory()) other = other->through_memory();
    // What is dear with equal blocks goes long ways, whatever their length.
    const auto cost = other && has_lengths(collective_) ? search_.cost(*other) : std::nullopt;
    if (cost && is_too_dear({*other, *cost})) return std::nullopt;
    return other && wanted_.tried.contains(other->text()) ? std::nullopt : other;
  }

  // With the listed parameter that is nearest to the network's: programs that know it a little
  // differently try the same plan.
  Plan in_pieces() const {
    constexpr std::string_view algorithm = "circulant_pipelined";
    const double alpha_over_beta = half_performance_length(costs_.wire());
    const auto& values = find_algorithm(Collective::allgather, algorithm)->parameters.front().values;
    const auto nearest = std::ranges::min_element(values, {}, [&](std::string_view value) {
      return std::abs(std::log(std::stod(std::string(value)) / alpha_over_beta));
    });
    return Plan::of(collective_, algorithm, {std::string(*nearest)});
  }

  // Puts that plan behind the cheapest, so that both are tried at once, with a price that nobody
  // knows; with equal blocks others of its algorithm are alike. The dearest makes room for it.
  void put_second(std::vector<CostedPlan>& chosen, Plan other) const {
    if (!chosen.empty() && chosen.front().plan == other) return;
    std::erase_if(chosen, [&](const CostedPlan& one) { return one.plan.algorithm() == other.algorithm(); });
    if (chosen.size() >= wanted_.most) chosen.pop_back();
    chosen.insert(chosen.begin() + (chosen.empty() ? 0 : 1), {std::move(other), CostEstimate{}});
  }

  // Drops the plans that connect many ranks for too little gain; keeps all where none connects few.
  std::vector<CostedPlan> worth_their_connections(std::vector<CostedPlan> plans) {
    const auto far = std::stable_partition(plans.begin(), plans.end(),
                                           [this](const CostedPlan& one) { return connects_few(one.plan); });
    const std::vector<CostedPlan> near(plans.begin(), far);
    if (near.empty()) return plans;
    const double most = wanted_.may_connect ? planner::worth_connections * least_seconds(near) : 0;
    plans.erase(
        std::remove_if(far, plans.end(), [most](const CostedPlan& one) { return one.cost.seconds >= most; }),
        plans.end());
    return plans;
  }

  // A short probe hardly tells whether messages are better off through memory: the dearest makes
  // room for a plan of the way that none goes.
  void go_both_ways(std::vector<CostedPlan>& chosen, std::vector<CostedPlan> all) {
    std::stable_sort(all.begin(), all.end(), is_cheaper);
    for (const bool memory : {false, true}) {
      const auto goes = [memory](const CostedPlan& one) {
        return without_near(one.plan).is_through_memory() == memory;
      };
      if (chosen.size() < 2 || std::any_of(chosen.begin(), chosen.end(), goes)) continue;
      const auto other = std::find_if(
          all.begin(), all.end(), [&](const CostedPlan& one) { return goes(one) && connects_few(one.plan); });
      if (other != all.end()) chosen.back() = std::move(*other);
    }
  }

  // The cheapest composition of each set of algorithms that needs few connections: how ranks are
  // laid out matters less. Sets that were tried in a composition count only where there is no
  // other.
  std::vector<CostedPlan> cheapest_compositions() {
    std::map<Algorithms, CostedPlan> cheapest_of;
    std::set<Algorithms> tried;
    for (const CompositionTemplate& composition : templates_worth_a_look())
      for (const auto& [phases, algorithms] : fillings(composition)) {
        auto plan = filled(composition, phases);
        if (!plan) continue;
        if (wanted_.tried.contains(plan->text())) {
          tried.insert(algorithms);
          continue;
        }
        const auto cost = search_.cost(*plan);
        CostedPlan one{std::move(*plan), *cost};
        if (is_too_dear(one)) continue;
        const auto known = cheapest_of.find(algorithms);
        if ((known == cheapest_of.end() || is_cheaper(one, known->second)) && connects_few(one.plan))
          cheapest_of.insert_or_assign(algorithms, std::move(one));
      }
    std::vector<CostedPlan> fresh, again;
    for (auto& [algorithms, one] : cheapest_of)
      (tried.contains(algorithms) ? again : fresh).push_back(std::move(one));
    return fresh.empty() ? again : fresh;
  }

  // The templates to fill: all where plans are priced; on many ranks of each kind those that go by
  // hosts, or by groups of these, where there are several with several ranks each, or else the one
  // nearest to a square.
  std::vector<CompositionTemplate> templates_worth_a_look() const {
    std::vector<CompositionTemplate> all = search_.compositions();
    std::erase_if(all, [](const CompositionTemplate& composition) { return composition.slots.empty(); });
    if (QuickModel::prices(setting_.ranks)) return all;
    std::map<std::string_view, std::vector<CompositionTemplate>> of_kind;
    for (CompositionTemplate& composition : all) {
      auto& best = of_kind[composition.group];
      if (composition.by_hosts) {
        std::erase_if(best, [](const CompositionTemplate& one) { return !one.by_hosts; });
        best.push_back(std::move(composition));
      } else if (best.empty()) {
        best.push_back(std::move(composition));
      } else if (!best.front().by_hosts && longest_slot(composition) < longest_slot(best.front())) {
        best.front() = std::move(composition);
      }
    }
    std::vector<CompositionTemplate> worth;
    for (auto& [kind, compositions] : of_kind) std::ranges::move(compositions, std::back_inserter(worth));
    return worth;
  }

  // The filling with the plans that belong into a composition; else those with the cheapest plan in
  // each phase, and with one of these plans' algorithms in all phases.
  std::vector<Filling> fillings(const CompositionTemplate& composition) {
    Filling cheapest;
    for (const Plan& plan : composition.plans) add(cheapest, plan);
    if (!composition.plans.empty()) return {cheapest};
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
        for (const CostedPlan& one : plans_in(slot))
          if (algorithm_of(one.plan) == algorithm) add(of_one, one.plan);
      if (of_one.phases.size() == composition.slots.size()) all.push_back(std::move(of_one));
    }
    return all;
  }

  static void add(Filling& filling, const Plan& plan) {
    filling.phases.push_back(plan);
    filling.algorithms.insert(algorithm_of(plan));
  }

  // The best of each algorithm, the cheapest first.
  const std::vector<CostedPlan>& plans_in(const CompositionTemplate::Slot& slot) {
    auto [known, added] = in_slots_.try_emplace({slot.collective, slot.ranks, slot.shares});
    if (added) {
      known->second = best_of_each_algorithm(search_.algorithms_in(slot), [](const Plan&) { return 0.0; });
      std::stable_sort(known->second.begin(), known->second.end(), is_cheaper);
    }
    return known->second;
  }

  std::optional<Plan> filled(const CompositionTemplate& composition, const std::vector<Plan>& phases) {
    Plan plan = composition.filled(phases);
    if (plan.refusal(setting_) || plan.has_native_phases()) return std::nullopt;
    if (composition.near && !search_.ranks_are_near_in_order()) return search_.on_near_ranks(plan);
    return setting_.shares_memory() ? plan.through_memory() : plan;
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
  QuickModel costs_;
  Search search_;
  const Hosts* places_;
  Reach reach_;
  double most_seconds_ = 0;
  std::map<std::tuple<Collective, int, int>, std::vector<CostedPlan>> in_slots_;
};

}  // namespace

std::vector<Priced> cheapest(const CallClass& calls, const Setting& setting, const Network* network,
                             const Wanted& wanted) {
  return CheapestPlans(calls, setting, network, wanted).run();
}

double quick_price(const Plan& plan, const CallClass& calls, const Setting& setting, const Network* network) {
  return CheapestPlans(calls, setting, network, {}).price(plan);
}

}  // namespace tutti::inline choose
