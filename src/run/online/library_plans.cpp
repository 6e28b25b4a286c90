#include "run/online/library_plans.hpp"

#include <algorithm>

#include "choose/libraries/library_rules.hpp"
#include "core/plan/phases.hpp"
#include "run/calls/communicator.hpp"
#include "run/mpi/library_switch.hpp"
#include "run/mpi/library_text.hpp"
#include "run/online/constants.hpp"
#include "run/online/learning.hpp"

namespace tutti::run {
namespace {

bool is_worth_a_look(const Learning& learning, const LearningRules& rules) {
  return LibrarySwitch::has_asked() || !is_open_mpi() || !rules.is_bound() ||
         learning.budget.left_to_begin(rules, PMPI_Wtime()) > online::expected_look_s;
}

const LibrarySwitch& look(Learning& learning, Collective collective) {
  const bool first = !LibrarySwitch::has_asked();
  const double begin = PMPI_Wtime();
  const LibrarySwitch& by = LibrarySwitch::of(collective);
  if (first) learning.budget.charge(PMPI_Wtime() - begin);
  return by;
}

bool can_ask_for(const Plan& plan, const Communicator& communicator) {
  return communicator
      .refusal_of({own_order(communicator.ranks()), plan.collective(), plan.library_algorithm()})
      .empty();
}

}  // namespace

std::vector<LibraryPlan> library_plans(Learning& learning, const LearningRules& rules,
                                       const Communicator& communicator, const CallClass& calls) {
  if (!LibrarySwitch::refusal_of_all().empty() || !is_worth_a_look(learning, rules)) return {};
  const LibrarySwitch& by = look(learning, calls.collective);
  const std::string family = by.is_read_at_calls() ? "mpich" : "openmpi";
  const std::size_t size = std::max<std::size_t>(calls.typical_size(), 1);
  std::vector<LibraryPlan> plans;
  for (const std::string& name : by.algorithms(size)) {
    LibraryAlgorithm algorithm = LibraryAlgorithm::of(name);
    if (algorithm.segment == 0) algorithm.segment = size;  // the library cuts nothing
    auto alike = counterpart(family, calls.collective, algorithm);
    auto plan = make_plan(calls.collective, Plan::native(calls.collective, name).text());
    if (alike && plan && can_ask_for(*plan, communicator))
      plans.push_back({std::move(*plan), std::move(*alike)});
  }
  return plans;
}

void look_at_library(Learning& learning, const std::vector<Plan>& plans) {
  const bool wanted =
      std::ranges::any_of(plans, [](const Plan& plan) { return names_library_algorithm(plan.text()); });
  if (wanted && LibrarySwitch::refusal_of_all().empty()) look(learning, plans.front().collective());
}

}  // namespace tutti::run
