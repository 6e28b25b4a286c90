#include "core/network/native_steps.hpp"

#include <algorithm>
#include <map>

namespace tutti::inline core {
namespace {

// By meeting: how many others some of its group have come from, one after the other.
std::vector<int> levels_of(const Meetings& meetings) {
  std::vector<int> levels(meetings.members.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& of_rank : meetings.of) {
      int least = 0;
      for (const int meeting : of_rank) {
        if (meeting < 0) continue;
        int& level = levels[static_cast<std::size_t>(meeting)];
        changed = changed || level < least;
        level = std::max(level, least);
        least = level + 1;
      }
    }
  }
  return levels;
}

}  // namespace

void PhaseSize::add(const NativePhase& phase) {
  for (const auto* list : {&phase.into, &phase.from}) {
    int all = 0;
    for (const Ranges& one : *list) {
      block_ = std::max(block_, one.count());
      all += one.count();
    }
    vector_ = std::max(vector_, all);
  }
}

std::size_t PhaseSize::bytes(Collective collective, const Cut& cut) const {
  const bool by_vector = traits(collective).size_means == SizeMeans::vector;
  return static_cast<std::size_t>((by_vector ? vector_ : block_) * cut.mean());
}

NativeSteps native_steps(const Schedule& schedule, const Meetings& meetings, std::size_t bytes,
                         const Hosts& hosts) {
  const Cut cut(bytes, schedule.shape.blocks, 0);
  const std::vector<int> levels = levels_of(meetings);
  const auto phase_of = [&](OperationRef member) -> const NativePhase& {
    const Part& part = schedule.parts[static_cast<std::size_t>(member.rank)];
    return part.native_phase(part[member.id]);
  };
  std::map<std::pair<int, Collective>, std::size_t> numbers;
  for (std::size_t meeting = 0; meeting < levels.size(); ++meeting)
    numbers[{levels[meeting], phase_of(meetings.members[meeting].front()).collective}];
  NativeSteps steps;
  for (auto& [key, number] : numbers) {
    number = steps.list.size();
    steps.list.push_back({.collective = key.second, .groups = {}, .bytes = 0, .situation = {}});
  }
  for (std::size_t meeting = 0; meeting < levels.size(); ++meeting) {
    const auto& members = meetings.members[meeting];
    const NativePhase& phase = phase_of(members.front());
    PhaseSize size;
    for (const OperationRef member : members) size.add(phase_of(member));
    const std::size_t number = numbers.at({levels[meeting], phase.collective});
    steps.list[number].groups.push_back(phase.group);
    steps.list[number].bytes = std::max(steps.list[number].bytes, size.bytes(phase.collective, cut));
    steps.of_meeting.push_back(number);
  }
  for (NativeStep& step : steps.list) step.situation = situation_of(step.groups, hosts);
  return steps;
}

}  // namespace tutti::inline core
