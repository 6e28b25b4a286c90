#include "schedule/arrivals.hpp"

#include <algorithm>

#include "schedule/messages.hpp"

namespace tutti {
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

  const auto complete = [&](std::size_t rank, std::size_t id) {
    const Part& part = schedule.parts[rank];
    const Operation& op = part.operations()[id];
    Ranks knows(ranks);
    knows[rank] = true;
    for (const OperationId earlier : part.after(op)) {
      const Ranks& before = known[rank][static_cast<std::size_t>(earlier)];
      if (before.empty()) return false;
      add(knows, before);
    }
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

}  // namespace tutti
