#include "core/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>

#include "core/plan/composition.hpp"
#include "core/plan/phases.hpp"
#include "core/schedule/topology.hpp"
#include "core/synthesis/known_network.hpp"

namespace tutti::inline core {
namespace {

// "scatter_allgather(recursive_doubling)": arguments that differ from the default, bare for the
// first parameter.
std::string canonical_text(const Algorithm& algorithm, const Arguments& arguments) {
  std::string inner;
  for (std::size_t i = 0; i < algorithm.parameters.size(); ++i) {
    const Parameter& parameter = algorithm.parameters[i];
    const std::string_view value = arguments.text(parameter.name);
    if (value == parameter.values.front()) continue;
    if (!inner.empty()) inner += ",";
    inner += i == 0 ? std::string(value) : fmt::format("{}={}", parameter.name, value);
  }
  return inner.empty() ? std::string(algorithm.name) : fmt::format("{}({})", algorithm.name, inner);
}

// Numbers plans by collective and text; a number is never given twice.
int intern(Collective collective, const std::string& text) {
  static std::mutex mutex;
  static auto& ids =
      *new std::map<std::pair<Collective, std::string>, int>;  // outlives all that may make plans
  const std::lock_guard lock(mutex);
  return ids.try_emplace({collective, text}, static_cast<int>(ids.size()) + 1).first->second;
}

}  // namespace

Plan::Plan(Collective collective, std::string text)
    : id_(intern(collective, text)), collective_(collective), text_(std::move(text)) {}

Plan::Plan(Collective collective, const Algorithm& algorithm, Arguments arguments)
    : Plan(collective, canonical_text(algorithm, arguments)) {
  algorithm_ = &algorithm;
  arguments_ = std::move(arguments);
}

Plan Plan::of(Collective collective, std::string_view name, const std::vector<std::string>& values) {
  const Algorithm& algorithm = *find_algorithm(collective, name);
  Arguments::Values given;
  for (std::size_t i = 0; i < values.size(); ++i) given.emplace(algorithm.parameters[i].name, values[i]);
  return {collective, algorithm, complete(algorithm, given)};
}

Plan::Plan(Collective collective, std::shared_ptr<const Composition> composition)
    : Plan(collective, composition->text()) {
  composition_ = std::move(composition);
}

Plan Plan::native(Collective collective, const std::string& algorithm) {
  Plan plan(collective, fmt::format("{}{})", by_library, algorithm));
  plan.library_algorithm_ = algorithm;
  return plan;
}

Plan Plan::through_memory() const {
  Plan plan = *this;
  plan.memory_ = true;
  plan.text_ = fmt::format("{}({})", tutti::through_memory, text_);
  plan.id_ = intern(collective_, plan.text_);
  return plan;
}

bool Plan::uses_memory() const {
  return memory_ || (algorithm_ && algorithm_->in_memory) || (composition_ && composition_->uses_memory());
}

// An MPI library takes other care of operations that do not commute where it chooses by itself.
bool Plan::commutative_only() const {
  if (!library_algorithm_.empty()) return traits(collective_).reduces;
  return algorithm_ ? algorithm_->commutative_only : composition_ && composition_->commutative_only();
}

bool Plan::keeps_fixed_order(int ranks) const {
  if (composition_) return composition_->keeps_fixed_order(ranks);
  return algorithm_ && algorithm_->keeps_fixed_order && algorithm_->keeps_fixed_order(ranks);
}

bool Plan::relays() const {
  return algorithm_ ? algorithm_->relays : composition_ && composition_->relays();
}

bool Plan::goes_by_network() const {
  return is_computed() || (composition_ && composition_->goes_by_network());
}

bool Plan::has_native_phases() const {
  return !library_algorithm_.empty() || (algorithm_ && algorithm_->in_memory) ||
         (composition_ && composition_->has_native_phases());
}

bool Plan::waits_in_library() const {
  return has_native_phases() || (composition_ && composition_->waits_in_library());
}

bool Plan::goes_by_bytes() const {
  if (is_computed()) return !algorithm_->for_any_bytes;
  return (algorithm_ && algorithm_->pieces) || (composition_ && composition_->goes_by_bytes());
}

std::optional<std::string> Plan::refusal(const Setting& setting) const {
  if (uses_memory() && !setting.has_memory)
    return fmt::format("{} goes through memory, and ranks of simulated hosts share none", text_);
  if (algorithm_ && algorithm_->in_memory && setting.hosts && count(*setting.hosts) > 1)
    return fmt::format("{} is for ranks of one host", text_);
  if (commutative_only() && !setting.commutative)
    return fmt::format("{} changes the order of operands, but the operation does not commute", text_);
  if (setting.fixed_order && traits(collective_).reduces && !keeps_fixed_order(setting.ranks))
    return fmt::format("{} does not keep the fixed order of operands on {} ranks", text_, setting.ranks);
  if (algorithm_ && algorithm_->even_ranks_only && setting.ranks % 2 != 0)
    return fmt::format("{} needs an even number of ranks, not {}", text_, setting.ranks);
  if (is_computed()) return refusal_on_network(setting);
  if (traits(collective_).on_neighbors) return refusal_between_neighbors(setting);
  if (!composition_) return std::nullopt;
  const auto why = composition_->refusal(setting);
  return why ? std::optional(fmt::format("{}: {}", text_, *why)) : std::nullopt;
}

std::optional<std::string> Plan::refusal_between_neighbors(const Setting& setting) const {
  if (is_native()) return std::nullopt;
  if (is_left_to_library())
    return fmt::format("{}: MPI libraries have one algorithm between neighbours", text_);
  if (!setting.topology) return fmt::format("{} is for neighbours, and none are known", text_);
  if (algorithm_->on_stencils_only && !setting.topology->stencil)
    return fmt::format("{} needs neighbours that follow one stencil, with diagonals, in a grid of ranks",
                       text_);
  // One decision has to be everybody's: what is decided by size needs one size everywhere.
  if (!is_irregular(collective_) && !setting.topology->is_mutual_and_connected())
    return fmt::format("{} is for neighbours in both directions, all of them connected", text_);
  return std::nullopt;
}

std::optional<std::string> Plan::refusal_on_network(const Setting& setting) const {
  if (!setting.network)
    return fmt::format(
        "{} is computed for a network, and none is known; name one that tutti probe has written", text_);
  if (setting.network->ranks != setting.ranks)
    return fmt::format("{} is computed for a network of {} ranks, not {}", text_, setting.network->ranks,
                       setting.ranks);
  if (!algorithm_->refusal_on) return std::nullopt;
  const auto why = algorithm_->refusal_on(*setting.network);
  return why ? std::optional(fmt::format("{}: {}", text_, *why)) : std::nullopt;
}

std::vector<Plan> known_plans(Collective collective) {
  std::vector<Plan> plans{Plan::native(collective)};
  for (const Algorithm& algorithm : all_algorithms()) {
    if (!serves(algorithm, collective)) continue;
    // All combinations of the parameters' values.
    std::vector<std::vector<std::string>> combinations{{}};
    for (const Parameter& parameter : algorithm.parameters) {
      std::vector<std::vector<std::string>> longer;
      for (const auto& values : combinations)
        for (const std::string_view value : parameter.values) longer.emplace_back(values).emplace_back(value);
      combinations = std::move(longer);
    }
    for (const auto& values : combinations) plans.push_back(Plan::of(collective, algorithm.name, values));
  }
  return plans;
}

std::vector<Plan> known_plans(Collective collective, const Setting& setting) {
  auto plans = known_plans(collective);
  std::erase_if(plans, [&](const Plan& plan) { return plan.refusal(setting).has_value(); });
  if (setting.hosts && !setting.shares_memory())
    std::erase_if(plans, [](const Plan& plan) { return plan.uses_memory(); });
  if (!setting.shares_memory()) return plans;
  for (std::size_t i = 0, number = plans.size(); i < number; ++i)
    if (!plans[i].is_native() && !plans[i].uses_memory()) plans.push_back(plans[i].through_memory());
  return plans;
}

std::vector<Plan> plans_for_network(Collective collective, int ranks, int alpha_over_beta) {
  std::vector<Plan> plans;
  const auto known = known_plans(collective);
  for (const Algorithm& algorithm : all_algorithms())
    for (const Parameter& parameter : algorithm.parameters) {
      if (!serves(algorithm, collective) || !parameter.alpha_over_beta) continue;
      const int value = std::max(alpha_over_beta, parameter.least);
      Plan plan(collective, algorithm,
                complete(algorithm, {{std::string(parameter.name), std::to_string(value)}}));
      if (!plan.refusal({.ranks = ranks}) && std::find(known.begin(), known.end(), plan) == known.end())
        plans.push_back(std::move(plan));
    }
  return plans;
}

std::size_t total_bytes(Collective collective, const Setting& setting, std::size_t size) {
  if (traits(collective).on_neighbors)
    return size * static_cast<std::size_t>(setting.topology ? setting.topology->blocks() : 1);
  return total_bytes(collective, setting.ranks, size);
}

int blocks_for(const Plan& plan, const Setting& setting, std::size_t bytes) {
  if (traits(plan.collective()).on_neighbors) return setting.topology ? setting.topology->blocks() : 1;
  if (plan.is_computed()) return plan.algorithm()->blocks_on(*setting.network, plan.arguments(), bytes);
  if (const Algorithm* algorithm = plan.algorithm())
    return algorithm->pieces
               ? setting.ranks * algorithm->pieces(setting.ranks, plan.arguments(), setting.longer)
               : algorithm->blocks(setting.ranks, plan.arguments(), bytes);
  if (plan.composition()) return plan.composition()->blocks(setting, bytes);
  return has_block_a_rank(plan.collective()) ? setting.ranks : 1;
}

Shape shape_of(const Plan& plan, const Setting& setting, Rank root, std::size_t bytes) {
  if (setting.lengths != BlockLengths::equal && has_lengths(plan.collective())) {
    const auto ranks = static_cast<std::size_t>(setting.ranks);
    const std::size_t longest = std::ranges::max(lengths_of(setting.lengths, setting.ranks, bytes));
    Setting as_called = setting;
    as_called.lengths = BlockLengths::equal;
    as_called.longer = longest - bytes / ranks;
    // What goes by bytes goes by the longest block, as when it runs.
    Shape shape = shape_of(plan, as_called, root, plan.goes_by_bytes() ? longest * ranks : bytes);
    shape.lengths = setting.lengths;
    return shape;
  }
  Shape shape{traits(plan.collective()).regular,
              setting.ranks,
              root,
              blocks_for(plan, setting, bytes),
              setting.commutative,
              setting.hosts,
              setting.in_hosts,
              setting.levels};
  if (plan.goes_by_network()) shape.network = setting.network;
  shape.bytes = computed_for(plan, bytes);
  shape.topology = setting.topology;
  return shape;
}

Part generate(const Plan& plan, const Shape& shape, Rank rank) {
  Builder builder(shape, rank);
  builder.through_memory(plan.is_through_memory());
  if (plan.composition())
    plan.composition()->generate(builder);
  else if (plan.is_left_to_library())
    run_as_phase(builder, Plan::native(shape.collective, plan.library_algorithm()), own_order(shape.ranks));
  else
    plan.algorithm()->generate(builder, plan.arguments());
  return std::move(builder).finish();
}

Schedule generate(const Plan& plan, const Shape& shape) {
  Schedule schedule{shape, {}};
  schedule.parts.reserve(static_cast<std::size_t>(shape.ranks));
  for (Rank rank = 0; rank < shape.ranks; ++rank) schedule.parts.push_back(generate(plan, shape, rank));
  return schedule;
}

}  // namespace tutti::inline core
