#include "choose/profile/advice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration.hpp"
#include "base/size.hpp"
#include "choose/evidence/statistics.hpp"
#include "choose/planner/candidates.hpp"
#include "choose/profile/constants.hpp"
#include "core/network/by_hosts.hpp"

namespace tutti::inline choose {
namespace {

const Measurement* nearest_measurement(const Table& table, const CallGroup& group, const std::string& plan) {
  const Measurement* nearest = nullptr;
  const std::size_t size = group.size_of_call();
  for (const Measurement& m : table.measurements)
    if (m.called() == Called{group.collective} && m.plan == plan &&
        Placement{m.ranks, m.hosts} == group.placement &&
        (!nearest || doublings_between(m.size, size) < doublings_between(nearest->size, size)))
      nearest = &m;
  return nearest;
}

}  // namespace

bool is_of_any_size(const CallGroup& group) {
  return has_own_sizes(group.collective) && group.size == SizeClass{};
}

bool ran_natively(std::string_view plan) {
  return plan.starts_with("native") && !plan.starts_with(by_library);
}

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
    group.waiting_at_least_s += spent.waiting_at_least_s(kind.collective);
    group.waiting_at_most_s += spent.waiting_at_most_s(kind.collective);
    if (group.seconds > 0)
      group.native_share = (before + (ran_natively(kind.plan) ? spent.seconds : 0)) / group.seconds;
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
  if (set && is_of_any_size(group) && set->goes_by_size()) return std::nullopt;
  const Rule* rule = set ? set->find(size) : nullptr;
  if (!rule) return std::nullopt;
  const std::string plan = rule->plan.text();
  if (rule->plan.is_native()) return Promise{plan, "measured: no plan is surely faster"};
  const Measurement* nearest = nearest_measurement(table, group, plan);
  if (!nearest || doublings_between(nearest->size, size) > profile::most_doublings) return std::nullopt;
  const double ratio = nearest->ratio_to_native.middle;
  return Promise{plan, fmt::format("measured at {}", size_text(nearest->size)), ratio,
                 ratio > 0 ? std::optional(nearest->seconds.middle / ratio) : std::nullopt};
}

std::optional<Promise> priced_promise(const Network& network, const CallGroup& group) {
  if (is_of_any_size(group)) return std::nullopt;
  const Point point{group.collective, group.placement.ranks, group.size_of_call()};
  const Site site{.ranks = point.ranks,
                  .hosts = filled_hosts(point.ranks, std::max(1, group.placement.hosts))};
  Network here = network;
  here.hosts = site.hosts;
  const Candidates found = candidates(point, site, here, {.cheapest = 1});
  if (found.least_seconds <= 0) return std::nullopt;
  return Promise{.plan = found.measured[1].text(),
                 .evidence = fmt::format("priced {}", time_text(found.least_seconds)),
                 .price = found.least_seconds};
}

Saving saving_of(const Profile& profile, const CallGroup& group, const Promise& promise) {
  const double ranks = std::max(1, profile.profiled_ranks);
  const double native = group.native_share / ranks;
  const double priced = promise.price.value_or(0) * static_cast<double>(group.calls) * native;
  const double share = promise.price ? 1 : 1 - std::min(1.0, promise.ratio);
  const auto saved = [&](double waiting_s) {
    return std::max(0.0, (group.seconds - waiting_s) * native * share - priced);
  };
  const double least = saved(group.waiting_at_most_s), most = saved(group.waiting_at_least_s);
  const double alone = promise.native.value_or(0) * static_cast<double>(group.calls) * native * share;
  return {least, most, promise.native ? std::clamp(alone, least, most) : (least + most) / 2};
}

}  // namespace tutti::inline choose
