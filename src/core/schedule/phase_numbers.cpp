#include "core/schedule/phase_numbers.hpp"

#include <algorithm>
#include <numeric>

#include "core/schedule/messages.hpp"

namespace tutti::inline core {
namespace {

// A rank's phases, in its own numbers, put together with those of others.
class Groups {
 public:
  explicit Groups(const Schedule& schedule) {
    for (const Part& part : schedule.parts) {
      first_.push_back(static_cast<int>(group_.size()));
      int count = 0;
      for (const Operation& operation : part.operations()) count = std::max(count, operation.phase + 1);
      group_.resize(group_.size() + static_cast<std::size_t>(count));
      most_ = std::max(most_, count);
    }
    first_.push_back(static_cast<int>(group_.size()));
    std::iota(group_.begin(), group_.end(), 0);
  }

  int number(Rank rank, int phase) const { return first_[static_cast<std::size_t>(rank)] + phase; }

  int of(int number) {
    int& group = group_[static_cast<std::size_t>(number)];
    if (group != number) group = of(group);
    return group;
  }

  void join(int a, int b) { group_[static_cast<std::size_t>(of(a))] = of(b); }

  // By the number of a rank's phase: how many come before it. No chain is longer than there are
  // numbers.
  std::vector<int> levels() {
    std::vector<int> level(group_.size(), 0);
    for (bool changed = true; changed && std::ranges::max(level) < static_cast<int>(level.size());) {
      changed = false;
      for (std::size_t rank = 0; rank + 1 < first_.size(); ++rank)
        for (int number = first_[rank] + 1; number < first_[rank + 1]; ++number) {
          const int after = level[static_cast<std::size_t>(of(number - 1))] + 1;
          int& mine = level[static_cast<std::size_t>(of(number))];
          changed |= mine < after;
          mine = std::max(mine, after);
        }
    }
    for (std::size_t number = 0; number < level.size(); ++number)
      level[number] = level[static_cast<std::size_t>(of(static_cast<int>(number)))];
    return level;
  }

  bool are_one() const { return most_ <= 1; }

 private:
  std::vector<int> first_;  // by rank: the number of its first phase
  std::vector<int> group_;  // by number: another one of its group, itself at the end
  int most_ = 0;
};

}  // namespace

std::vector<std::vector<int>> phase_of_operations(const Schedule& schedule) {
  std::vector<std::vector<int>> phases;
  for (const Part& part : schedule.parts) phases.emplace_back(part.operations().size(), 0);
  Groups groups(schedule);
  if (groups.are_one()) return phases;
  const auto number = [&](Rank rank, OperationId id) {
    return groups.number(rank, schedule.parts[static_cast<std::size_t>(rank)][id].phase);
  };
  const Partners partners = match_messages(schedule);
  for (Rank rank = 0; rank < schedule.shape.ranks; ++rank) {
    const Part& part = schedule.parts[static_cast<std::size_t>(rank)];
    for (OperationId id = 0; id < static_cast<OperationId>(part.operations().size()); ++id)
      if (const auto partner = partners[static_cast<std::size_t>(rank)][static_cast<std::size_t>(id)];
          part[id].kind == OperationKind::send && partner != no_partner)
        groups.join(number(rank, id), number(part[id].peer, partner));
  }
  for (const auto& members : match_native_phases(schedule).members)
    for (const OperationRef& one : members)
      groups.join(number(members.front().rank, members.front().id), number(one.rank, one.id));
  const auto levels = groups.levels();
  for (Rank rank = 0; rank < schedule.shape.ranks; ++rank)
    for (std::size_t id = 0; id < phases[static_cast<std::size_t>(rank)].size(); ++id)
      phases[static_cast<std::size_t>(rank)][id] =
          levels[static_cast<std::size_t>(number(rank, static_cast<OperationId>(id)))];
  return phases;
}

}  // namespace tutti::inline core
