#include "core/schedule/arrivals.hpp"

#include <algorithm>

#include "core/schedule/messages.hpp"

namespace tutti::inline core {
namespace {

using Ranks = std::vector<bool>;

void add(Ranks& to, const Ranks& more) {
  for (std::size_t i = 0; i < to.size(); ++i)
    if (more[i]) to[i] = true;
}

}  // namespace

std::vector<Arrival> missed_arrivals(const Schedule& schedule) {
  const auto ranks = static_cast<std::size_t>(schedule.shape.ranks);
  const Partners partners = match_messages(schedule);
  std::vector<std::vector<Ranks>> known(ranks);  // by rank and operation; empty until it completes
  for (std::size_t rank = 0; rank < ranks; ++rank)
    known[rank].resize(schedule.parts[rank].operations().size());

  // What is known when an operation begins; empty: it can't begin yet.
  const auto known_before = [&](std::size_t rank, std::size_t id) {
    const Part& part = schedule.parts[rank];
    Ranks knows(ranks);
    knows[rank] = true;
    for (const OperationId earlier : part.after(part.operations()[id])) {
      const Ranks& before = known[rank][static_cast<std::size_t>(earlier)];
      if (before.empty()) return Ranks{};
      add(knows, before);
    }
    return knows;
  };
  const Meetings meetings = match_native_phases(schedule);
  // What all who meet in a native phase know when the last of them has come.
  const auto known_by_all = [&](int meeting) {
    Ranks knows(ranks);
    for (const auto& [rank, id] : meetings.members[static_cast<std::size_t>(meeting)]) {
      const Ranks before = known_before(static_cast<std::size_t>(rank), static_cast<std::size_t>(id));
      if (before.empty()) return Ranks{};
      add(knows, before);
    }
    return knows;
  };

  const auto complete = [&](std::size_t rank, std::size_t id) {
    const Part& part = schedule.parts[rank];
    const Operation& op = part.operations()[id];
    Ranks knows =
        op.kind == OperationKind::native ? known_by_all(meetings.of[rank][id]) : known_before(rank, id);
    if (knows.empty()) return false;
    if (op.kind == OperationKind::recv) {
      const Ranks& sent =
          known[static_cast<std::size_t>(op.peer)][static_cast<std::size_t>(partners[rank][id])];
      if (sent.empty()) return false;
      add(knows, sent);
    }
    known[rank][id] = std::move(knows);
    return true;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      for (std::size_t id = 0; id < known[rank].size(); ++id)
        if (known[rank][id].empty() && complete(rank, id)) progress = true;
  }

  std::vector<Arrival> missed;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    Ranks in_the_end(ranks);
    in_the_end[rank] = true;
    for (const Ranks& knows : known[rank]) add(in_the_end, knows);
    const auto other = std::find(in_the_end.begin(), in_the_end.end(), false);
    if (other != in_the_end.end())
      missed.push_back({static_cast<Rank>(rank), static_cast<Rank>(other - in_the_end.begin())});
  }
  return missed;
}

}  // namespace tutti::inline core
