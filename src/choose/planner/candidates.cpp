#include "choose/planner/candidates.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <random>

#include "core/network/price.hpp"
#include "core/plan/composition_template.hpp"
#include "core/plan/plan_symmetry.hpp"
#include "core/synthesis/known_network.hpp"

namespace tutti::inline choose {
namespace {

// Operations: what takes more to price is left out.
constexpr std::size_t most_of_a_plan = 1'000'000;
constexpr int always_priced_ranks = 256;   // most ranks on which all is priced, whatever it takes
constexpr int most_computed_ranks = 1024;  // most ranks for which schedules are computed

class Chooser {
 public:
  Chooser(const Point& point, const Site& site, const Network& network, const Choice& choice)
      : point_(point),
        hosts_(site.hosts.begin(), site.hosts.begin() + point.ranks),
        network_(network),
        setting_{.ranks = point.ranks,
                 .fixed_order = choice.fixed_order,
                 .hosts = &hosts_,
                 .has_memory = point.mode == Mode::blocking && !site.simulated &&
                               (network.memory || choice.cheapest == all_candidates)},
        choice_(choice),
        topology_(topology_of(point)) {
    if (topology_) setting_.topology = &*topology_;
    if (point.ranks > most_computed_ranks) return;
    known_network_ = KnownNetwork::of(network, point.ranks);
    // In one site there is nothing to compute.
    if (known_network_.sites.size() > 1) setting_.network = &known_network_;
  }

  Candidates run() {
    for (Plan& plan : algorithms(point_.collective, setting_)) add(std::move(plan));
    add_compositions();
    const double least = by_price_.empty() ? 0 : by_price_.begin()->first;
    Candidates all{{Plan::native(point_.collective)}, known_, {0}, least};
    choose(all);
    return all;
  }

 private:
  // All but native, with parameters as the network likes them too.
  std::vector<Plan> algorithms(Collective collective, const Setting& setting) const {
    const int half = half_performance_length(hockney_of(network_.links.front()));
    std::vector<Plan> plans = known_plans(collective, setting);
    std::erase_if(plans, [this](const Plan& plan) { return plan.is_native() || would_block(plan); });
    for (Plan& plan : plans_for_network(collective, setting.ranks, half))
      if (std::find(plans.begin(), plans.end(), plan) == plans.end()) plans.push_back(std::move(plan));
    return plans;
  }

  // Phases that are left to the MPI library do.
  bool would_block(const Plan& plan) const {
    return point_.mode != Mode::blocking && plan.has_native_phases();
  }

  std::size_t bytes() const { return total_bytes(point_.collective, setting_, point_.size); }

  void add(Plan plan) {
    ++known_;
    if (const auto price = price_of(plan, setting_, bytes())) by_price_.emplace(*price, std::move(plan));
  }

  std::optional<Plan> read(const std::string& text) const {
    auto plan = make_plan(point_.collective, text);
    if (!plan || plan->refusal(setting_) || would_block(*plan)) return std::nullopt;
    return std::move(*plan);
  }

  void add_compositions() {
    std::map<std::string_view, std::multimap<double, Plan>> with_native_phases;
    std::vector<std::size_t> pieces;
    if (const std::size_t piece = network_.piece(point_.collective); piece > 0) pieces.push_back(piece);
    for (const CompositionTemplate& composition : templates(point_.collective, setting_, pieces)) {
      if (auto plan = read(composition.native_text())) {
        ++known_;
        if (!composition.priced)
          unpriced_.push_back(std::move(*plan));
        else if (const auto price = price_of(*plan, setting_, bytes()))
          with_native_phases[composition.group].emplace(*price, std::move(*plan));
      }
      if (auto plan = composition.plans.empty() ? std::nullopt : read(composition.text(composition.plans))) {
        ++known_;
        unpriced_.push_back(std::move(*plan));
        continue;
      }
      std::vector<std::string> fastest;
      for (const CompositionTemplate::Slot& slot : composition.slots) fastest.push_back(fastest_in(slot));
      if (auto plan = read(composition.text(fastest)); plan && !plan->has_native_phases()) {
        if (setting_.shares_memory()) add(plan->through_memory());
        add(std::move(*plan));
      }
    }
    for (auto& [group, priced] : with_native_phases)
      for (auto& [price, plan] : priced) {
        unpriced_.push_back(std::move(plan));
        if (choice_.cheapest != all_candidates) break;
      }
  }

  void choose(Candidates& all) {
    const auto take = [&all](Plan& plan, double price) {
      all.measured.push_back(std::move(plan));
      all.prices.push_back(price);
    };
    auto next = by_price_.begin();
    for (std::size_t i = 0; i < choice_.cheapest && next != by_price_.end(); ++i, ++next)
      take(next->second, next->first);
    for (Plan& plan : unpriced_) take(plan, 0);
    if (const auto left = std::distance(next, by_price_.end()); left > 0) {
      std::minstd_rand random(static_cast<unsigned>(point_.size + static_cast<std::size_t>(point_.ranks)));
      const auto one = std::next(next, static_cast<std::ptrdiff_t>(random()) % left);
      take(one->second, one->first);
    }
  }

  // Nothing where that would take too long.
  std::optional<double> price_of(const Plan& plan, const Setting& setting, std::size_t bytes) {
    const Shape shape = shape_of(plan, setting, 0, bytes);
    if (point_.ranks > always_priced_ranks && plan.has_native_phases())
      return native_seconds(generate(plan, shape, shape.root), shape.blocks, bytes, limit_of(network_));
    const bool all = point_.ranks <= always_priced_ranks;
    const std::size_t left = choice_.operations - std::min(choice_.operations, priced_operations_);
    const std::size_t most = all ? std::numeric_limits<std::size_t>::max() : std::min(most_of_a_plan, left);
    const Outline needed(plan, shape, bytes, network_, most);
    if (needed.operations() > most) return std::nullopt;
    priced_operations_ += needed.operations();
    return price(needed.schedule(), bytes, network_).seconds;
  }

  // By the price on the slot's ranks of its share of the data, as if they were the first ones of the network.
  // Many slots are alike.
  const std::string& fastest_in(const CompositionTemplate::Slot& slot) {
    const std::size_t share = bytes() / static_cast<std::size_t>(slot.shares);
    const auto [entry, added] = fastest_.try_emplace({slot.collective, slot.ranks, share}, "native");
    if (!added) return entry->second;
    double least = std::numeric_limits<double>::infinity();
    for (const Plan& plan : algorithms(slot.collective, {.ranks = slot.ranks, .has_memory = false})) {
      const auto time = price_of(plan, {.ranks = slot.ranks}, share);
      if (time && *time < least) {
        least = *time;
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
  const Network& network_;
  KnownNetwork known_network_;
  Setting setting_;
  const Choice& choice_;
  std::optional<Topology> topology_;  // of neighbours
  std::size_t known_ = 1;             // native
  std::size_t priced_operations_ = 0;
  std::multimap<double, Plan> by_price_;
  std::vector<Plan> unpriced_;
  std::map<SlotKey, std::string> fastest_;
};

}  // namespace

Candidates candidates(const Point& point, const Site& site, const Network& network, const Choice& choice) {
  return Chooser(point, site, network, choice).run();
}

}  // namespace tutti::inline choose
