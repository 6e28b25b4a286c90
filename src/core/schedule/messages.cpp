#include "core/schedule/messages.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tutti::inline core {

Partners match_messages(const Schedule& schedule) {
  struct Receive {
    std::pair<Rank, int> key;  // from, tag
    OperationId id;
  };
  const Symmetry& symmetry = schedule.symmetry;
  std::vector<std::vector<Receive>> receives(schedule.parts.size());
  Partners partners;
  for (std::size_t rank = 0; rank < schedule.parts.size(); ++rank) {
    const auto operations = schedule.parts[rank].operations();
    partners.emplace_back(operations.size(), no_partner);
    for (std::size_t id = 0; id < operations.size(); ++id)
      if (operations[id].kind == OperationKind::recv)
        receives[rank].push_back({{operations[id].peer, operations[id].tag}, static_cast<OperationId>(id)});
    std::sort(receives[rank].begin(), receives[rank].end(),
              [](const Receive& a, const Receive& b) { return a.key < b.key; });
  }
  for (std::size_t rank = 0; rank < schedule.parts.size(); ++rank) {
    const auto operations = schedule.parts[rank].operations();
    for (std::size_t id = 0; id < operations.size(); ++id) {
      const Operation& op = operations[id];
      if (op.kind != OperationKind::send || op.peer < 0 || op.peer >= schedule.shape.ranks) continue;
      const auto peer = static_cast<std::size_t>(symmetry.representative(op.peer));
      const std::pair key(symmetry.moved(static_cast<Rank>(rank), op.peer, schedule.shape.ranks), op.tag);
      auto receive = std::lower_bound(receives[peer].begin(), receives[peer].end(), key,
                                      [](const Receive& r, const auto& wanted) { return r.key < wanted; });
      for (; receive != receives[peer].end() && receive->key == key; ++receive) {
        OperationId& taken = partners[peer][static_cast<std::size_t>(receive->id)];
        if (taken != no_partner) continue;
        taken = static_cast<OperationId>(id);
        partners[rank][id] = receive->id;
        break;
      }
    }
  }
  return partners;
}

Meetings match_native_phases(const Schedule& schedule) {
  Meetings meetings;
  std::map<std::pair<std::vector<Rank>, int>, int> numbers;  // by group and how-manieth phase of it
  for (std::size_t rank = 0; rank < schedule.parts.size(); ++rank) {
    const Part& part = schedule.parts[rank];
    auto& mine = meetings.of.emplace_back(part.native_phases().empty() ? 0 : part.operations().size(), -1);
    std::map<std::vector<Rank>, int> met;
    for (std::size_t id = 0; id < mine.size(); ++id) {
      const Operation& op = part.operations()[id];
      if (op.kind != OperationKind::native) continue;
      const auto& group = part.native_phase(op).group;
      const auto next = static_cast<int>(meetings.members.size());
      const auto [entry, added] = numbers.try_emplace({group, met[group]++}, next);
      if (added) meetings.members.emplace_back();
      mine[id] = entry->second;
      meetings.members[static_cast<std::size_t>(entry->second)].push_back(
          {static_cast<Rank>(rank), static_cast<OperationId>(id)});
    }
  }
  return meetings;
}

}  // namespace tutti::inline core
