#include "core/plan/composition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "core/plan/compose.hpp"

namespace tutti::inline core {
namespace {

// More blocks than that are not made only to have phases' blocks coincide.
constexpr int most_common_blocks = 1 << 14;

}  // namespace

Composition::Composition(const CompositionKind& kind, Collective collective, const PhasePlans& given,
                         std::vector<Plan> plans)
    : kind_(kind), collective_(collective), in_brackets_(given.text(kind.wraps)), plans_(std::move(plans)) {}

// Libraries are known that get a reduce-scatter, a scan or an exscan wrong where the order of
// operands matters, and their allreduce right: who calls the latter must not be given the former.
std::optional<std::string> Composition::refusal(const Setting& setting) const {
  if (auto own = own_refusal(setting)) return own;
  for (const Plan& plan : plans_)
    if (plan.is_native() && traits(plan.collective()).reduces && plan.collective() != collective_ &&
        !setting.commutative)
      return fmt::format("a native {} is not trusted with operations that do not commute",
                         name(plan.collective()));
  for (const PhaseUse& use : uses(setting))
    if (auto why = use.plan->refusal(
            {.ranks = use.ranks, .commutative = setting.commutative, .has_memory = setting.has_memory}))
      return why;
  return std::nullopt;
}

// A vector is cut so that every phase's blocks are whole blocks of the schedule: into a common
// multiple of what those plans need that take a certain number only, times as much as the others
// would like.
int Composition::blocks(const Setting& setting, std::size_t bytes) const {
  if (has_block_a_rank(collective_))
    return setting.ranks * std::min(pieces(setting, bytes), std::numeric_limits<int>::max() / setting.ranks);
  const auto all = uses(setting);
  const auto wanted = [](const PhaseUse& use, std::size_t size) {
    if (use.of_whole_vectors) return 1;
    const auto share = size / static_cast<std::size_t>(use.shares);
    return use.shares * blocks_for(*use.plan, {.ranks = use.ranks}, share);
  };
  int common = 1;
  for (const PhaseUse& use : all) {
    const int least = wanted(use, 1);
    const auto multiple = std::lcm(std::int64_t{common}, std::int64_t{least});
    common = multiple <= most_common_blocks ? static_cast<int>(multiple) : std::max(common, least);
  }
  int most = common;
  // Shorter vectors have no more: asking again would ask twice at each level of compositions.
  if (bytes > 1)
    for (const PhaseUse& use : all) most = std::max(most, wanted(use, bytes));
  return common * static_cast<int>(std::lround(static_cast<double>(most) / common));
}

bool Composition::commutative_only() const {
  return std::any_of(plans_.begin(), plans_.end(), [](const Plan& plan) { return plan.commutative_only(); });
}

bool Composition::uses_memory() const {
  return std::any_of(plans_.begin(), plans_.end(), [](const Plan& plan) { return plan.uses_memory(); });
}

bool Composition::any_is_native_or(bool (Plan::*what)() const) const {
  return std::any_of(plans_.begin(), plans_.end(),
                     [what](const Plan& plan) { return plan.is_native() || (plan.*what)(); });
}

bool Composition::has_native_phases() const {
  return any_is_native_or(&Plan::has_native_phases);
}

bool Composition::waits_in_library() const {
  return any_is_native_or(&Plan::waits_in_library);
}

}  // namespace tutti::inline core
