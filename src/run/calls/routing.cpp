#include "run/calls/routing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/size.hpp"
#include "choose/evidence/builtin.hpp"

namespace tutti::run {
namespace {

// Where stretches of sizes end within which no rule begins or ends, with some ends more.
std::vector<std::size_t> ends_of(const std::vector<Rule>& rules, std::vector<std::size_t> ends) {
  for (const Rule& rule : rules) {
    ends.push_back(rule.size_max);
    if (rule.size_min > 0) ends.push_back(rule.size_min - 1);
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

// Whether two decisions are for one plan, or both native.
bool are_alike(const Plan* a, const Plan* b) {
  return a == b || (a && b && *a == *b);
}

// The first rule that matches holds in each stretch of sizes.
std::vector<Decision> decisions_from(const std::vector<Rule>& rules, const std::string& native_reason) {
  std::vector<Decision> decisions;
  for (const std::size_t end : ends_of(rules, {unlimited})) {
    const Rule* rule = find_rule(rules, end);
    const Plan* plan = !rule || rule->plan.is_native() ? nullptr : &rule->plan;
    if (!decisions.empty() && are_alike(decisions.back().plan, plan))
      decisions.back().size_max = end;
    else
      decisions.push_back({end, plan, plan ? plan->text() : native_label(native_reason), {}});
  }
  return decisions;
}

// Decisions where someone has said what is to run at some sizes, and all others go `unforced`.
std::vector<Decision> forced_over(const std::vector<Decision>& unforced, const std::vector<Rule>& rules) {
  std::vector<std::size_t> ends;
  for (const Decision& decision : unforced) ends.push_back(decision.size_max);
  std::vector<Decision> decisions;
  for (const std::size_t end : ends_of(rules, std::move(ends))) {
    const Rule* rule = find_rule(rules, end);
    Decision decision = *std::ranges::find_if(unforced, [&](const Decision& d) { return end <= d.size_max; });
    if (rule) {
      const bool native = rule->plan.is_native();
      decision = {.size_max = end,
                  .plan = native ? nullptr : &rule->plan,
                  .label = native ? native_label("forced") : rule->plan.text(),
                  .use = {},
                  .refusals = {},
                  .forced = true};
    }
    decision.size_max = end;
    if (rule && !decisions.empty() && decisions.back().forced &&
        are_alike(decisions.back().plan, decision.plan))
      decisions.back().size_max = end;
    else
      decisions.push_back(std::move(decision));
  }
  return decisions;
}

}  // namespace

std::string native_label(const std::string& reason) {
  return reason.empty() ? "native" : fmt::format("native ({})", reason);
}

Decision Decision::native(std::size_t size_max, const std::string& reason) {
  return {.size_max = size_max, .plan = nullptr, .label = native_label(reason), .use = {}, .refusals = {}};
}

void Decision::look_at(const Setting& setting) {
  if (!plan) return;
  native_phases = plan->has_native_phases();
  for (const bool commutative : {false, true}) {
    Setting wanted = setting;
    wanted.commutative = commutative;
    refusals[commutative] = plan->refusal(wanted).value_or("");
  }
}

Route::Route(const std::string& reason) {
  of(OperandOrders::any).push_back(Decision::native(unlimited, reason));
}

Route::Route(Called called, const Rules& rules, const Setting& setting) : mode_(called.mode) {
  const Collective collective = called.collective;
  if (rules.builtin) {
    builtin_ = builtin_rules(collective, setting.ranks, true);
    of(OperandOrders::any) = decisions_from(builtin_, "built-in");
    if (traits(collective).reduces) {
      builtin_ordered_ = builtin_rules(collective, setting.ranks, false);
      of(OperandOrders::in_rank_order) = decisions_from(builtin_ordered_, "built-in");
    }
  } else if (!rules.table) {
    of(OperandOrders::any).push_back(Decision::native(unlimited, ""));
  } else {
    decide_by_table(called, *rules.table, setting);
  }
  if (!rules.forced[called].empty())
    for (auto& list : decisions_)
      if (!list.empty()) list = forced_over(list, rules.forced[called]);
  if (traits(collective).reduces) {
    if (rules.float_sums == FloatSums::reproducible)
      fix_order(collective, setting);
    else if (rules.float_sums == FloatSums::native)
      leave_floats();
  }
  for (auto& list : decisions_)
    for (Decision& decision : list) {
      keep_from_blocking(decision);
      decision.look_at(setting);
    }
  const auto& all = of(OperandOrders::any);
  goes_by_size_ = all.size() > 1 && std::ranges::any_of(all, [](const Decision& decision) {
                    return decision.plan || decision.is_undecided;
                  });
}

void Route::decide_by_table(Called called, const Table& table, const Setting& setting) {
  const Placement placement{setting.ranks, count(*setting.hosts)};
  const RuleSet* set = table.find(called, placement);
  if (!set && called.mode == Mode::persistent)
    set = table.find(Called{called.collective, Mode::nonblocking}, placement);
  if (!set) set = table.find(called.collective, placement);
  auto& decisions = of(OperandOrders::any);
  if (set) {
    decisions = decisions_from(set->rules, "tuned");
    return;
  }
  if (!table.exact) interpolation_ = Interpolation::find(table, called.collective, placement, setting);
  if (interpolation_) {
    setting_ = setting;
    for (const std::size_t end : interpolation_->ends())
      decisions.push_back(
          {.size_max = end, .plan = nullptr, .label = "", .use = {}, .refusals = {}, .is_undecided = true});
    return;
  }
  const bool tuned =
      std::ranges::find(table.rule_sets, called.collective, &RuleSet::collective) != table.rule_sets.end();
  const std::string where =
      fmt::format(" for {} ranks on {}", placement.ranks, counted(placement.hosts, "host"));
  decisions.push_back(Decision::native(unlimited, tuned ? "not tuned" + where : "not tuned"));
}

void Route::keep_from_blocking(Decision& decision) const {
  if (mode_ == Mode::blocking || !decision.plan || !decision.plan->waits_in_library()) return;
  decision.label = native_label(fmt::format("{} would block", decision.plan->text()));
  decision.plan = nullptr;
}

void Route::settle(Decision& decision, std::size_t size, OperandOrders orders) {
  auto [plan, why] = interpolation_->choose(size);
  const std::string where = interpolation_->text();
  decision.is_undecided = false;
  decision.label = native_label(where);
  if (!plan.is_native()) {
    decision.plan = &chosen_.emplace_back(std::move(plan));
    decision.label = fmt::format("{} ({})", decision.plan->text(), where);
  }
  if (orders == OperandOrders::in_fixed_order) put_in_order(decision, setting_);
  keep_from_blocking(decision);
  decision.look_at(setting_);
}

// The rules' plans for operations that do not commute where they keep the fixed order, else one
// that does.
void Route::fix_order(Collective collective, const Setting& setting) {
  Setting wanted = setting;
  wanted.commutative = false;
  wanted.fixed_order = true;
  auto& fixed = of(OperandOrders::in_fixed_order);
  const auto& ordered = of(OperandOrders::in_rank_order);
  fixed = ordered.empty() ? of(OperandOrders::any) : ordered;
  for (const Plan& plan : known_plans(collective, wanted))
    if (!plan.is_native()) {
      in_fixed_order_ = std::make_shared<const Plan>(plan);
      break;
    }
  for (Decision& decision : fixed)
    if (!decision.is_undecided) put_in_order(decision, setting);
}

// Reductions of floating-point numbers stay native where nobody has said what is to run.
void Route::leave_floats() {
  auto& fixed = of(OperandOrders::in_fixed_order);
  fixed = of(OperandOrders::any);
  for (Decision& decision : fixed)
    if (!decision.forced)
      decision = Decision::native(decision.size_max, "floating-point sums keep their digits");
}

void Route::put_in_order(Decision& decision, const Setting& setting) {
  Setting wanted = setting;
  wanted.commutative = false;
  wanted.fixed_order = true;
  if (decision.plan && !decision.plan->refusal(wanted)) return;
  decision.plan = in_fixed_order_.get();
  decision.label = in_fixed_order_->text();
}

Use& Route::native_because(const std::string& reason) {
  const std::string label = native_label(reason);
  for (Decision& exception : exceptions_)
    if (exception.label == label) return exception.use;
  return exceptions_.emplace_back(Decision::native(0, reason)).use;
}

}  // namespace tutti::run
