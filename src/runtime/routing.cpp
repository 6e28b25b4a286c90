#include "runtime/routing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plan/size.hpp"

namespace tutti::runtime {
namespace {

std::string native_label(const std::string& reason) {
  return reason.empty() ? "native" : fmt::format("native ({})", reason);
}

}  // namespace

Route::Route(const std::string& reason) {
  decisions_.push_back({unlimited, nullptr, native_label(reason), {}});
}

Route::Route(Collective collective, const Rules& rules, Placement placement) {
  const auto native_up_to = [&](std::size_t size, const std::string& reason) {
    decisions_.push_back({size, nullptr, native_label(reason), {}});
  };
  if (const auto& forced = rules.forced_for(collective)) {
    if (forced->is_native())
      native_up_to(unlimited, "forced");
    else
      decisions_.push_back({unlimited, &*forced, forced->text(), {}});
    return;
  }
  const RuleSet* set = rules.table ? rules.table->find(collective, placement) : nullptr;
  if (!set) {
    native_up_to(unlimited, rules.table ? fmt::format("not tuned for {} ranks on {}", placement.ranks,
                                                      hosts_text(placement.hosts))
                                        : "");
    return;
  }
  // The first rule that matches holds: cut the sizes where any rule begins or ends, and ask for each stretch.
  std::vector<std::size_t> ends{unlimited};
  for (const Rule& rule : set->rules) {
    ends.push_back(rule.size_max);
    if (rule.size_min > 0) ends.push_back(rule.size_min - 1);
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  for (const std::size_t end : ends) {
    const Rule* rule = set->find(end);
    const Plan* plan = !rule || rule->plan.is_native() ? nullptr : &rule->plan;
    if (!decisions_.empty() && decisions_.back().plan == plan)
      decisions_.back().size_max = end;
    else if (plan)
      decisions_.push_back({end, plan, plan->text(), {}});
    else
      native_up_to(end, "tuned");
  }
}

Use& Route::native_because(const std::string& reason) {
  const std::string label = native_label(reason);
  for (Decision& exception : exceptions_)
    if (exception.label == label) return exception.use;
  return exceptions_.emplace_back(Decision{0, nullptr, label, {}}).use;
}

}  // namespace tutti::runtime
