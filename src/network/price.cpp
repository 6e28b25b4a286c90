#include "network/price.hpp"

#include <algorithm>
#include <queue>
#include <vector>

#include "schedule/messages.hpp"

namespace tutti {
namespace {

class Simulation {
 public:
  Simulation(const Schedule& schedule, double block_bytes, const Hockney& link)
      : schedule_(schedule),
        block_bytes_(block_bytes),
        link_(link),
        partners_(match_messages(schedule)),
        meetings_(match_native_phases(schedule)),
        arrived_(meetings_.members.size()),
        ports_(schedule.parts.size()) {
    for (const Part& part : schedule.parts) {
      auto& states = states_.emplace_back(part.operations().size());
      for (std::size_t id = 0; id < states.size(); ++id) {
        states[id].waiting_for = static_cast<int>(part.after(part.operations()[id]).size());
        for (const OperationId earlier : part.after(part.operations()[id]))
          states[static_cast<std::size_t>(earlier)].successors.push_back(static_cast<OperationId>(id));
      }
    }
  }

  double run() {
    std::vector<OperationRef> first;
    for (Rank rank = 0; rank < schedule_.shape.ranks; ++rank)
      for (OperationId id = 0; id < static_cast<OperationId>(states_[static_cast<std::size_t>(rank)].size());
           ++id)
        if (state({rank, id}).waiting_for == 0) first.push_back({rank, id});
    for (const OperationRef ref : first) become_ready(ref);
    // In the order in which things start: what a later start frees can't let anything start before it.
    while (!queue_.empty()) {
      Event event = queue_.top();
      queue_.pop();
      const double start = earliest_start(event.what);
      if (start > event.start) {
        event.start = start;
        queue_.push(event);
      } else {
        carry_out(event.what, start);
      }
    }
    return end_;
  }

 private:
  struct State {
    int waiting_for = 0;
    double ready = -1;  // all it waits for is done; −1: not yet
    std::vector<OperationId> successors;
  };
  struct Ports {
    double out = 0, in = 0, processor = 0;  // free from then on
  };
  struct Event {
    double start;
    long order;  // first come, first served
    OperationRef what;
    bool operator<(const Event& other) const {
      return start != other.start ? start > other.start : order > other.order;
    }
  };

  const Part& part(Rank rank) const { return schedule_.parts[static_cast<std::size_t>(rank)]; }
  const Operation& operation(OperationRef ref) const { return part(ref.rank)[ref.id]; }
  State& state(OperationRef ref) {
    return states_[static_cast<std::size_t>(ref.rank)][static_cast<std::size_t>(ref.id)];
  }
  Ports& ports(Rank rank) { return ports_[static_cast<std::size_t>(rank)]; }
  OperationRef partner(OperationRef ref) const {
    return {operation(ref).peer,
            partners_[static_cast<std::size_t>(ref.rank)][static_cast<std::size_t>(ref.id)]};
  }
  double bytes(OperationRef ref) const {
    int blocks = 0;
    for (const BlockRange& range : part(ref.rank).ranges(operation(ref))) blocks += range.count;
    return blocks * block_bytes_;
  }

  // Messages are queued as their sends, once both ends are ready.
  void become_ready(OperationRef ref) {
    const OperationKind kind = operation(ref).kind;
    if (kind == OperationKind::copy || kind == OperationKind::clear) return complete(ref, state(ref).ready);
    if (kind == OperationKind::native) return meet(ref);
    if (kind == OperationKind::reduce) return enqueue(ref);
    if (state(ref).ready < 0) state(ref).ready = 0;
    if (state(partner(ref)).waiting_for > 0) return;
    if (state(partner(ref)).ready < 0) return;  // it will find us ready
    enqueue(kind == OperationKind::send ? ref : partner(ref));
  }

  // A native phase begins when the last of its group has come.
  void meet(OperationRef ref) {
    const auto meeting = static_cast<std::size_t>(
        meetings_.of[static_cast<std::size_t>(ref.rank)][static_cast<std::size_t>(ref.id)]);
    const NativePhase& phase = part(ref.rank).native_phase(operation(ref));
    if (++arrived_[meeting] < phase.group.size()) return;
    double start = 0;
    for (const OperationRef member : meetings_.members[meeting]) start = std::max(start, state(member).ready);
    const double end = start + native_time(meeting);
    for (const OperationRef member : meetings_.members[meeting]) complete(member, end);
  }

  // Nobody knows what the library does: as if it reached the limit of the network.
  double native_time(std::size_t meeting) {
    const OperationRef first = meetings_.members[meeting].front();
    const NativePhase& phase = part(first.rank).native_phase(operation(first));
    int vector = 0, block = 0;
    for (const OperationRef member : meetings_.members[meeting]) {
      const NativePhase& theirs = part(member.rank).native_phase(operation(member));
      for (const auto* list : {&theirs.into, &theirs.from}) {
        int all = 0;
        for (const Ranges& one : *list) {
          block = std::max(block, one.count());
          all += one.count();
        }
        vector = std::max(vector, all);
      }
    }
    const bool by_vector = traits(phase.collective).size_means == SizeMeans::vector;
    const double bytes = (by_vector ? vector : block) * block_bytes_;
    return lower_bound(phase.collective, static_cast<int>(phase.group.size()),
                       static_cast<std::size_t>(bytes), link_);
  }

  void enqueue(OperationRef ref) { queue_.push({earliest_start(ref), order_++, ref}); }

  double earliest_start(OperationRef ref) {
    if (operation(ref).kind == OperationKind::reduce)
      return std::max(state(ref).ready, ports(ref.rank).processor);
    const OperationRef receive = partner(ref);
    return std::max({state(ref).ready, state(receive).ready, ports(ref.rank).out, ports(receive.rank).in});
  }

  void carry_out(OperationRef ref, double start) {
    if (operation(ref).kind == OperationKind::reduce) {
      const double end = start + bytes(ref) / 2 * link_.gamma;  // it names both operands
      ports(ref.rank).processor = end;
      return complete(ref, end);
    }
    const OperationRef receive = partner(ref);
    const double end = start + link_.alpha + bytes(ref) * link_.beta;
    ports(ref.rank).out = ports(receive.rank).in = end;
    complete(ref, end);
    complete(receive, end);
  }

  void complete(OperationRef ref, double at) {
    at = std::max(at, 0.0);
    end_ = std::max(end_, at);
    for (const OperationId next : state(ref).successors) {
      State& successor = state({ref.rank, next});
      successor.ready = std::max(successor.ready, at);
      if (--successor.waiting_for == 0) become_ready({ref.rank, next});
    }
  }

  const Schedule& schedule_;
  double block_bytes_;
  Hockney link_;
  Partners partners_;
  Meetings meetings_;
  std::vector<std::size_t> arrived_;  // by meeting
  std::vector<std::vector<State>> states_;
  std::vector<Ports> ports_;
  std::priority_queue<Event> queue_;
  long order_ = 0;
  double end_ = 0;
};

}  // namespace

double price(const Schedule& schedule, std::size_t bytes, const Hockney& link) {
  return Simulation(schedule, static_cast<double>(bytes) / schedule.shape.blocks, link).run();
}

}  // namespace tutti
