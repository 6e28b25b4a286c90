#include "core/network/path_stretches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tutti::inline core {
namespace {

class Path {
 public:
  Path(const Price& price, const Schedule& schedule, const Network& network, const GroupLevels& levels)
      : price_(price), schedule_(schedule), network_(network), levels_(levels) {}

  std::vector<PathStretch> stretches() const {
    std::vector<PathStretch> all;
    std::map<int, int> held;  // messages of the last stretch, by place
    for (const Price::PathStep& step : price_.critical_path) {
      const bool is_native = operation(step).kind == OperationKind::native;
      const std::string level = step.hands_over ? "" : level_of(step);
      if (all.empty() || is_native || all.back().is_native ||
          (!level.empty() && !all.back().level.empty() && level != all.back().level)) {
        all.push_back({.start = step.start, .is_native = is_native});
        held.clear();
      }
      PathStretch& last = all.back();
      last.end = step.end;
      if (operation(step).kind == OperationKind::reduce) ++last.combinations;
      if (level.empty()) continue;
      last.level = level;
      last.least_bytes = last.messages.empty() ? step.bytes : std::min(last.least_bytes, step.bytes);
      last.most_bytes = std::max(last.most_bytes, step.bytes);
      last.messages.emplace_back(step.what.rank, operation(step).peer);
      if (step.held_at == Price::PathStep::nowhere) continue;
      ++last.queued;
      if (const int here = ++held[step.held_at]; last.queued == 1 || here > held[last.queued_at])
        last.queued_at = step.held_at;
      last.is_queued_at_one = held.size() == 1;
    }
    return all;
  }

  std::vector<PathShare> shares() const {
    std::map<std::string, PathShare> by_kind;
    for (const Price::PathStep& step : price_.critical_path) {
      PathShare& share = by_kind[kind_of(step)];
      share.seconds += step.end - step.start;
      if (step.held_at != Price::PathStep::nowhere) share.queued_s += step.end - step.start;
      ++share.steps;
    }
    std::vector<PathShare> all;
    for (auto& [kind, share] : by_kind) {
      share.of = kind;
      all.push_back(share);
    }
    std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    return all;
  }

 private:
  const Operation& operation(const Price::PathStep& step) const {
    return schedule_.parts[static_cast<std::size_t>(step.what.rank)][step.what.id];
  }

  // Empty for what is no message.
  std::string level_of(const Price::PathStep& step) const {
    if (operation(step).kind != OperationKind::send) return "";
    const auto from = static_cast<std::size_t>(step.what.rank),
               to = static_cast<std::size_t>(operation(step).peer);
    const auto are_apart = [&](const Hosts& places) { return !places.empty() && places[from] != places[to]; };
    if (network_.host(step.what.rank) == network_.host(operation(step).peer)) {
      const auto part = std::ranges::find_if(
          host_parts, [&](const HostPartWords& words) { return are_apart(levels_.in_hosts[words.part]); });
      return part == host_parts.end() ? "within hosts" : fmt::format("between {}", part->nouns);
    }
    if (are_apart(levels_.groups)) return "between groups";
    return are_apart(levels_.switches) ? "between switches" : "between hosts";
  }

  std::string kind_of(const Price::PathStep& step) const {
    if (step.hands_over) return "handing messages over";
    switch (operation(step).kind) {
      case OperationKind::reduce:
        return "combinations";
      case OperationKind::native:
        return "native phases";
      default:
        return "messages " + level_of(step);
    }
  }

  const Price& price_;
  const Schedule& schedule_;
  const Network& network_;
  const GroupLevels& levels_;
};

}  // namespace

std::vector<PathStretch> stretches_of(const Price& price, const Schedule& schedule, const Network& network,
                                      const GroupLevels& levels) {
  return Path(price, schedule, network, levels).stretches();
}

std::vector<PathShare> shares_of(const Price& price, const Schedule& schedule, const Network& network,
                                 const GroupLevels& levels) {
  return Path(price, schedule, network, levels).shares();
}

}  // namespace tutti::inline core
