#include "run/calls/refusal.hpp"

#include <algorithm>
#include <climits>

#include "core/plan/composition.hpp"

namespace tutti::run {
namespace {

// Whether a plan combines parts of a vector, or of a rank's block where these are combined apart
// anyway.
bool cuts(const Plan& plan, const Setting& setting, Rank root, std::size_t bytes) {
  if (plan.is_left_to_library()) return true;  // for all that anybody knows
  const int apart = has_block_a_rank(plan.collective()) ? setting.ranks : 1;
  return shape_of(plan, setting, root, bytes).blocks > apart;
}

// Whether ranks combine values in a plan: they may in one of an allgather, by way of an allreduce.
bool combines(const Plan& plan) {
  return traits(plan.collective()).reduces ||
         (plan.composition() && std::ranges::any_of(plan.composition()->plans(), combines));
}

}  // namespace

std::string refusal_of(Called called, const Communicator& communicator, const Decision& decision,
                       const Call& call, const CallFacts& facts) {
  if (const std::string& why = decision.refusals[facts.commutative]; !why.empty()) return why;
  const Plan& plan = *decision.plan;
  if (!communicator.combines && combines(plan))
    return "Open MPI combines nothing in programs without MPI_COMM_WORLD";
  if (called.mode != Mode::blocking && !communicator.goes_on_while_blocked)
    return "nothing under way would go on while the MPI library blocks";
  const Setting setting = communicator.setting(facts.commutative);
  const auto size = static_cast<std::size_t>(facts.size);
  if (decision.native_phases && total_bytes(called.collective, setting, size) > INT_MAX)
    return "native phases of more than 2^31 bytes";
  if (facts.whole && cuts(plan, setting, call.root, total_bytes(called.collective, setting, size)))
    return plan.text() + " cuts vectors, and the operation is the program's own (TUTTI_OPERATIONS)";
  return "";
}

}  // namespace tutti::run
