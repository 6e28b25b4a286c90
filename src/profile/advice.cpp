#include "profile/advice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/size.hpp"
#include "tuning/statistics.hpp"

namespace tutti {
namespace {

constexpr double most_doublings = 2;  // between the size of calls and what was measured

// For whatever reason.
bool ran_natively(const ProfiledKind& kind) {
  return kind.plan.starts_with("native");
}

}  // namespace

std::size_t CallGroup::size_of_call() const {
  return calls == 0 ? 0 : static_cast<std::size_t>(bytes / static_cast<double>(calls));
}

std::vector<CallGroup> groups_of(const Profile& profile) {
  std::map<std::tuple<Collective, Placement, SizeClass>, CallGroup> groups;
  for (const auto& [kind, spent] : profile.calls) {
    const auto [entry, added] = groups.try_emplace({kind.collective, kind.placement, kind.size},
                                                   CallGroup{kind.collective, kind.placement, kind.size});
    CallGroup& group = entry->second;
    const double before = group.seconds * group.native_share;
    group.calls += spent.calls;
    group.bytes += spent.bytes;
    group.seconds += spent.seconds;
    group.waiting_at_least_s += spent.waiting_at_least_s();
    group.waiting_at_most_s += spent.waiting_at_most_s();
    if (group.seconds > 0)
      group.native_share = (before + (ran_natively(kind) ? spent.seconds : 0)) / group.seconds;
  }
  std::vector<CallGroup> sorted;
  for (auto& [key, group] : groups) sorted.push_back(std::move(group));
  std::ranges::stable_sort(sorted, std::greater(),
                           [](const CallGroup& group) { return group.seconds - group.waiting_at_least_s; });
  return sorted;
}

std::optional<Promise> promise_of(const Table& table, const CallGroup& group) {
  const std::size_t size = group.size_of_call();
  const RuleSet* set = table.find(group.collective, group.placement);
  const Rule* rule = set ? set->find(size) : nullptr;
  if (!rule) return std::nullopt;
  const std::string plan = rule->plan.text();
  if (rule->plan.is_native()) return Promise{plan, 1, "measured: no plan is surely faster"};
  const Measurement* nearest = nullptr;
  for (const Measurement& m : table.measurements)
    if (m.collective == group.collective && m.plan == plan &&
        Placement{m.ranks, m.hosts} == group.placement &&
        (!nearest || doublings_between(m.size, size) < doublings_between(nearest->size, size)))
      nearest = &m;
  if (!nearest || doublings_between(nearest->size, size) > most_doublings) return std::nullopt;
  return Promise{plan, nearest->ratio_to_native.middle,
                 fmt::format("measured at {}", size_text(nearest->size))};
}

Saving saving_of(const Profile& profile, const CallGroup& group, const Promise& promise) {
  const double ranks = std::max(1, profile.profiled_ranks);
  const double share = group.native_share * (1 - std::min(1.0, promise.ratio)) / ranks;
  return {(group.seconds - group.waiting_at_most_s) * share,
          (group.seconds - group.waiting_at_least_s) * share};
}

}  // namespace tutti
