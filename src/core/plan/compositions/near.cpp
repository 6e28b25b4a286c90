// A plan carried out on the ranks in another order: that of the network's tree of groups, so that
// those with near numbers are near to each other, wherever a scheduler has put them. Only numbers
// change: a rank takes the part that the plan has for its place in the order, and a block of the
// plan is the caller's block of the rank at that place. Nothing is moved twice.

#include "core/plan/compositions/near.hpp"

#include <algorithm>

#include "core/plan/compose.hpp"
#include "core/plan/phases.hpp"
#include "core/synthesis/known_network.hpp"

namespace tutti::inline core {
namespace {

// Hosts are numbered in the order of their first ranks.
std::vector<Rank> in_order_of_hosts(int ranks, const Hosts* hosts) {
  std::vector<Rank> order = own_order(ranks);
  if (hosts && !hosts->empty())
    std::ranges::stable_sort(order, {},
                             [hosts](Rank rank) { return (*hosts)[static_cast<std::size_t>(rank)]; });
  return order;
}

// The order for a setting or a shape.
template <typename OfRanks>
std::vector<Rank> near_order_of(const OfRanks& of) {
  const GroupLevels* const levels = levels_of(of);
  return levels ? levels->order : in_order_of_hosts(of.ranks, of.hosts);
}

bool goes_by_order(Collective collective) {
  return collective == Collective::scan || collective == Collective::exscan;
}

constexpr std::string_view own_name = "near";

class Near final : public Composition {
 public:
  Near(const CompositionKind& kind, const PhasePlans& given, std::vector<Plan> plan)
      : Composition(kind, traits(given.whole()).regular, given, std::move(plan)) {}

  Result<Plan> with_phases(const PhasePlans& given) const override { return make(kind(), given); }
  static Result<Plan> make(const CompositionKind& kind, const PhasePlans& given) {
    auto plan = given.plan(0, traits(given.whole()).regular);
    if (!plan) return plan;
    return Plan(given.whole(), std::make_shared<Near>(kind, given, std::vector{std::move(*plan)}));
  }

  bool relays() const override { return plan(0).relays(); }
  bool goes_by_bytes() const override { return plan(0).goes_by_bytes(); }
  bool goes_by_network() const override { return true; }

  int pieces(const Setting& setting, std::size_t bytes) const override {
    return blocks_for(plan(0), {.ranks = setting.ranks, .longer = setting.longer}, bytes) / setting.ranks;
  }

  void generate(Builder& b) const override { run_as_phase(b, plan(0), near_order_of(b.shape())); }

 private:
  std::string head() const override { return std::string(kind().name); }

  // Operands are combined in the order of numbers.
  std::optional<std::string> own_refusal(const Setting& setting) const override {
    if (!traits(collective()).reduces || (setting.commutative && !goes_by_order(collective())))
      return std::nullopt;
    if (ranks_are_in_near_order(setting)) return std::nullopt;
    return goes_by_order(collective())
               ? "a prefix goes by the ranks' own order, and near ranks are not neighbours by number here"
               : "the operation does not commute, and near ranks are not neighbours by number here";
  }

  std::vector<PhaseUse> uses(const Setting& setting) const override { return {{&plan(0), setting.ranks}}; }
};

Result<Plan> composed(const Composing& text) {
  if (!text.syntax().arguments.empty() || text.syntax().phases.size() > 1)
    return text.fail("near goes around one plan, such as near(ring)");
  return Near::make(text.kind(), text.phases());
}

}  // namespace

std::vector<Rank> near_order(const Setting& setting) {
  return near_order_of(setting);
}

bool ranks_are_in_near_order(const Setting& setting) {
  const auto order = near_order(setting);
  return std::is_sorted(order.begin(), order.end());
}

std::optional<Plan> near_ranks(const Plan& plan) {
  const bool can_be_phase = !plan.is_left_to_library() && !plan.is_computed() && !plan.goes_by_network();
  if (!can_be_phase || traits(plan.collective()).on_neighbors) return std::nullopt;
  return Near::make(*find_composition(own_name), {plan.collective(), {plan}}).value();
}

const Plan& without_near(const Plan& plan) {
  const auto* near = dynamic_cast<const Near*>(plan.composition());
  return near ? near->plans().front() : plan;
}

namespace compositions {

CompositionKind near() {
  return {.name = own_name,
          .summary = "a plan on the ranks in an order in which neighbours by number are near in the network",
          .source = "Mirsadeghi, Afsahi, Topology-Aware Rank Reordering for MPI Collectives, 2016",
          .compose = composed,
          .templates = [](const TemplateRequest&) -> std::vector<CompositionTemplate> { return {}; },
          .wraps = true,
          .whole_only = [](const PlanSyntax&) -> std::string_view {
            return "near is for the whole communicator only, not for a phase";
          }};
}

}  // namespace compositions
}  // namespace tutti::inline core
