#include "run/calls/choices.hpp"

namespace tutti::run {
namespace {

// What a route asks of rules, with one plan forced.
Rules forcing(Called called, const Plan& plan, const Rules& rules) {
  Rules forcing{.fallback = rules.fallback,
                .device = rules.device,
                .float_sums = rules.float_sums,
                .operations_whole = rules.operations_whole};
  forcing.forced[called] = {{0, unlimited, plan}};
  return forcing;
}

}  // namespace

Choices::Choice::Choice(Called called, const Plan& plan, const Rules& of_communicator, const Setting& setting)
    : rules(forcing(called, plan, of_communicator)), route(called, rules, setting) {}

void Choices::choose(Called called, const Plan& plan, const Rules& rules, const Setting& setting) {
  auto& choice = made_[{called, plan.text()}];
  if (!choice) choice = std::make_unique<Choice>(called, plan, rules, setting);
  in_force_[called] = &choice->route;
}

}  // namespace tutti::run
