#include "choose/planner/candidates.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "choose/planner/search.hpp"
#include "core/schedule/by_place.hpp"
#include "core/synthesis/known_network.hpp"

namespace tutti::inline choose {
namespace {

class Chooser {
 public:
  Chooser(const Point& point, const Site& site, const Network& network, const Choice& choice)
      : point_(point),
        hosts_(site.hosts.begin(), site.hosts.begin() + point.ranks),
        in_hosts_(places_among(first_ranks(point.ranks), site.in_hosts)),
        setting_{.ranks = point.ranks,
                 .fixed_order = choice.fixed_order,
                 .hosts = &hosts_,
                 .in_hosts = &in_hosts_,
                 .has_memory = point.mode != Mode::persistent && !site.simulated &&
                               (network.memory || choice.cheapest == all_candidates),
                 .lengths = point.lengths},
        choice_(choice),
        topology_(topology_of(point)),
        network_(network),
        prices_(network, bounds(point, choice)),
        known_network_(known(network, point.ranks)),
        search_(space(network), prices_) {
    if (topology_) setting_.topology = &*topology_;
    if (known_network_) setting_.network = &*known_network_;
  }

  Candidates run() {
    const bool all_are_priced = point_.ranks <= planner::always_priced_ranks;
    for (Plan& plan : all_are_priced ? search_.plans() : search_.plans_cheapest_first(network_))
      add(std::move(plan));
    add_compositions();
    const double least = by_price_.empty() ? 0 : by_price_.begin()->first;
    Candidates all{{Plan::native(point_.collective)}, known_, {0}, least};
    choose(all);
    return all;
  }

 private:
  static std::vector<Rank> first_ranks(int ranks) {
    std::vector<Rank> first(static_cast<std::size_t>(ranks));
    std::iota(first.begin(), first.end(), 0);
    return first;
  }

  static std::optional<KnownNetwork> known(const Network& network, int ranks) {
    if (ranks > planner::most_computed_ranks) return std::nullopt;
    return KnownNetwork::of(network, ranks);
  }

  static EventModel::Bounds bounds(const Point& point, const Choice& choice) {
    if (point.ranks <= planner::always_priced_ranks) return {.by_symmetry = true};
    return {.operations_of_a_plan = planner::tuned_operations_of_a_plan,
            .operations = choice.operations,
            .by_symmetry = true,
            .native_at_limit = true};
  }

  PlanSpace space(const Network& network) const {
    PlanSpace space{.collective = point_.collective,
                    .setting = setting_,
                    .size = point_.size,
                    .half_performance_length = half_performance_length(hockney_of(network.links.front())),
                    // In one site there is nothing to compute.
                    .computed = known_network_ && known_network_->sites.size() > 1,
                    .waiting_in_library = point_.mode == Mode::blocking,
                    .shares = PlanSpace::Shares::of_total};
    if (const std::size_t piece = network.piece(point_.collective); piece > 0) space.pieces.push_back(piece);
    return space;
  }

  // Templates may be filled alike.
  void add(Plan plan) {
    if (!added_.insert(plan.id()).second) return;
    ++known_;
    if (const auto cost = search_.cost(plan)) by_price_.emplace(cost->seconds, std::move(plan));
  }

  void add_compositions() {
    std::map<std::string_view, std::multimap<double, Plan>> with_native_phases;
    for (const CompositionTemplate& composition : search_.compositions()) {
      if (search_.has(composition.head) && added_.insert(composition.head.id()).second) {
        ++known_;
        if (!composition.priced)
          unpriced_.push_back(composition.head);
        else if (const auto cost = search_.cost(composition.head))
          with_native_phases[composition.group].emplace(cost->seconds, composition.head);
      }
      if (!composition.plans.empty() && !composition.priced)
        if (Plan plan = composition.filled(composition.plans); search_.has(plan)) {
          ++known_;
          unpriced_.push_back(std::move(plan));
          continue;
        }
      std::vector<Plan> in_slots = composition.plans;
      if (in_slots.empty())
        for (const CompositionTemplate::Slot& slot : composition.slots) in_slots.push_back(fastest_in(slot));
      if (Plan plan = composition.filled(in_slots); search_.has(plan) && !plan.has_native_phases()) {
        if (setting_.shares_memory()) add(plan.through_memory());
        auto near = search_.on_near_ranks(plan);
        const bool as_it_is = !near || !composition.near;
        if (near) add(std::move(*near));
        if (as_it_is) add(std::move(plan));
      }
    }
    for (auto& [group, priced] : with_native_phases)
      for (auto& [price, plan] : priced) {
        unpriced_.push_back(std::move(plan));
        if (choice_.cheapest != all_candidates) break;
      }
  }

  Plan fastest_in(const CompositionTemplate::Slot& slot) {
    const auto& plans = search_.algorithms_in(slot);
    return plans.empty() ? Plan::native(slot.collective)
                         : std::min_element(plans.begin(), plans.end(), is_cheaper)->plan;
  }

  using ByPrice = std::multimap<double, Plan>;

  // One plan of each algorithm before a second one of any; compositions are algorithms of their
  // own.
  static std::vector<ByPrice::value_type*> varied(ByPrice::iterator first, ByPrice::iterator end) {
    std::map<std::string_view, int> seen;
    std::multimap<int, ByPrice::value_type*> by_turn;
    for (; first != end; ++first) {
      const Plan& plan = first->second;
      by_turn.emplace(seen[plan.algorithm() ? plan.algorithm()->name : plan.text()]++, &*first);
    }
    std::vector<ByPrice::value_type*> found;
    for (const auto& [turn, one] : by_turn) found.push_back(one);
    return found;
  }

  void choose(Candidates& all) {
    const auto take = [&all](Plan& plan, double price) {
      all.measured.push_back(std::move(plan));
      all.prices.push_back(price);
    };
    std::vector<ByPrice::value_type*> cheapest, others;
    for (auto first = by_price_.begin(); first != by_price_.end();) {
      const auto end = by_price_.upper_bound(first->first * (1 + planner::same_price));
      std::size_t alike = 0;
      for (ByPrice::value_type* one : varied(first, end)) {
        const bool is_wanted = choice_.cheapest == all_candidates ||
                               (cheapest.size() < choice_.cheapest && alike++ < planner::most_alike);
        (is_wanted ? cheapest : others).push_back(one);
      }
      first = end;
    }
    for (ByPrice::value_type* one : cheapest) take(one->second, one->first);
    for (Plan& plan : unpriced_) take(plan, 0);
    if (!others.empty()) {
      std::minstd_rand random(static_cast<unsigned>(point_.size + static_cast<std::size_t>(point_.ranks)));
      auto& [seconds, plan] = *others[random() % others.size()];
      take(plan, seconds);
    }
  }

  const Point& point_;
  Hosts hosts_;
  PlacesInHosts in_hosts_;
  Setting setting_;
  const Choice& choice_;
  std::optional<Topology> topology_;  // of neighbours
  const Network& network_;
  EventModel prices_;
  std::optional<KnownNetwork> known_network_;
  Search search_;
  std::size_t known_ = 1;  // native
  std::set<int> added_;    // plans, by their numbers
  ByPrice by_price_;
  std::vector<Plan> unpriced_;
};

}  // namespace

Candidates candidates(const Point& point, const Site& site, const Network& network, const Choice& choice) {
  return Chooser(point, site, network, choice).run();
}

}  // namespace tutti::inline choose
