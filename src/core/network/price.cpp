#include "core/network/price.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "core/network/contention.hpp"
#include "core/network/crossings.hpp"
#include "core/network/cut.hpp"
#include "core/network/groups.hpp"
#include "core/network/native_steps.hpp"
#include "core/network/ports.hpp"

namespace tutti::inline core {
namespace {

constexpr double not_yet = -1;

// Operations of all ranks are numbered one after another. Where the schedule has a symmetry there
// are those only that stand for all, with the hosts they are on: what comes from another rank comes
// from its representative, at the same moment.
class Simulation {
 public:
  Simulation(const Schedule& schedule, std::size_t bytes, const Network& network, const NativeTime& native)
      : schedule_(schedule),
        cut_(cut_of(schedule, bytes)),
        network_(network),
        native_(native),
        ranks_(static_cast<int>(schedule.parts.size())),
        partners_(match_messages(schedule)),
        meetings_(match_native_phases(schedule)),
        stages_(native_steps(schedule, meetings_, bytes, network.hosts)),
        arrived_at_meeting_(meetings_.members.size()),
        next_port_(2 * (ranks_ + hosts())),
        crossings_(network, next_port_),
        ports_(make_ports(network.ports, next_port_,
                          {2 * ranks_, 2 * (ranks_ + hosts()), network.width, network.half_duplex})),
        processor_(static_cast<std::size_t>(ranks_)),
        busy_(static_cast<std::size_t>(ranks_)) {
    first_of_.push_back(0);
    for (const Part& part : schedule.parts)
      first_of_.push_back(first_of_.back() + static_cast<int>(part.operations().size()));
    states_.resize(static_cast<std::size_t>(first_of_.back()));
    messages_.resize(states_.size());
    for (Rank rank = 0; rank < ranks_; ++rank) count_successors(rank);
    find_successors();
    find_fastest_links();
    number_places();
  }

  Price run(std::vector<Price::Step>* steps) {
    for (int index = 0; index < first_of_.back(); ++index)
      if (state(index).waiting_for == 0 && !state(index).is_ready) become_ready(index);
    while (!ports_->idle())
      for (const Delivery& delivery : ports_->advance()) {
        deliver(delivery);
        if (steps) steps->push_back({operation_at(delivery.id), delivery.start, delivery.arrived});
      }
    while (!contention_.idle())
      for (const Contention::Departure& departure : contention_.advance()) leave(departure);
    for (int index = 0; steps && index < first_of_.back(); ++index)
      if (const OperationRef what = operation_at(index);
          operation(what).kind == OperationKind::reduce || operation(what).kind == OperationKind::native)
        steps->push_back({what, state(index).start, state(index).end});
    return result();
  }

 private:
  struct State {
    int waiting_for = 0;
    int successors = 0;  // where they begin
    bool is_ready = false;
    double ready = 0;  // when all it waits for is done; of what is done so far
    int last_dependency = Delivery::nothing;
    int cause = Delivery::nothing;  // what kept it from starting earlier
    double start = 0, end = not_yet;
  };

  // What became of a send's message.
  struct Message {
    double released = 0, arrived = 0;
    int cause = Delivery::nothing, held_at = Delivery::nothing;
  };
  // A message as a cause, beyond the operations' numbers: a short one is another thing than its
  // send, which is complete when it has been handed over.
  int message(int sender) const { return first_of_.back() + sender; }

  State& state(int index) { return states_[static_cast<std::size_t>(index)]; }
  const Part& part(Rank rank) const { return schedule_.parts[static_cast<std::size_t>(rank)]; }
  OperationRef operation_at(int index) const {
    const auto next = std::upper_bound(first_of_.begin(), first_of_.end(), index);
    return {static_cast<Rank>(next - first_of_.begin()) - 1, index - *(next - 1)};
  }
  int number(OperationRef ref) const { return first_of_[static_cast<std::size_t>(ref.rank)] + ref.id; }
  const Operation& operation(OperationRef ref) const { return part(ref.rank)[ref.id]; }
  OperationRef partner(OperationRef ref) const {
    return {schedule_.symmetry.representative(operation(ref).peer),
            partners_[static_cast<std::size_t>(ref.rank)][static_cast<std::size_t>(ref.id)]};
  }
  int hosts() const { return network_.hosts.empty() ? ranks_ : count(network_.hosts); }
  Rank representative(Rank rank) const { return schedule_.symmetry.representative(rank); }
  double bytes(OperationRef ref) const {
    double sum = 0;
    for (const BlockRange& range : part(ref.rank).ranges(operation(ref))) sum += cut_.bytes(range);
    return sum;
  }
  // What is sent and received of a vector's empty blocks is left out when a plan runs.
  bool moves_nothing(OperationRef message) const { return cut_.has_empty_blocks() && bytes(message) == 0; }

  // Where ranks stand for others a vector is cut into equal blocks: longer ones would be of some
  // ranks only.
  static Cut cut_of(const Schedule& schedule, std::size_t bytes) {
    const bool alike = schedule.symmetry.move != Symmetry::Move::none;
    return alike ? Cut(bytes, schedule.shape.blocks, 0) : Cut::of(schedule.shape, bytes);
  }

  // Copies don't count: they take no time, and ranks that do the same may make them in another
  // order.
  void count_successors(Rank rank) {
    const int first = first_of_[static_cast<std::size_t>(rank)];
    int turn = 0;
    for (const Operation& operation : part(rank).operations()) {
      turn_.push_back(turn);
      turn += operation.kind != OperationKind::copy && operation.kind != OperationKind::clear;
      all_native_ = all_native_ && operation.kind != OperationKind::send;
    }
    for (std::size_t id = 0; id < part(rank).operations().size(); ++id) {
      const auto after = part(rank).after(part(rank).operations()[id]);
      state(first + static_cast<int>(id)).waiting_for = static_cast<int>(after.size());
      for (const OperationId earlier : after) ++state(first + earlier).successors;
    }
  }

  // From their numbers to where each one's list begins, and the lists.
  void find_successors() {
    int all = 0;
    for (State& each : states_) all = each.successors += all;
    successors_.resize(static_cast<std::size_t>(all));
    for (Rank rank = ranks_; rank-- > 0;) {
      const int first = first_of_[static_cast<std::size_t>(rank)];
      for (auto id = static_cast<OperationId>(part(rank).operations().size()); id-- > 0;)
        for (const OperationId earlier : part(rank).after(part(rank)[id]))
          successors_[static_cast<std::size_t>(--state(first + earlier).successors)] = first + id;
    }
    states_.push_back({.successors = all});
  }

  void become_ready(int index) {
    State& self = state(index);
    self.is_ready = true;
    const OperationRef ref = operation_at(index);
    switch (operation(ref).kind) {
      case OperationKind::copy:
      case OperationKind::clear:
        return pass(index);
      case OperationKind::native:
        return meet(ref);
      case OperationKind::reduce:
        return combine(index, ref);
      case OperationKind::send:
        return moves_nothing(ref) ? pass(index) : send(index, ref);
      case OperationKind::recv:
        return moves_nothing(partner(ref)) ? pass(index) : receive(index, ref);
    }
  }

  // What takes no time.
  void pass(int index) {
    State& self = state(index);
    self.cause = self.last_dependency;
    complete(index, self.ready, self.ready);
  }

  void send(int index, OperationRef ref) {
    const double n = bytes(ref);
    const OperationRef receiver = partner(ref);
    if (network_.leaves_at_once(n)) {
      const double at = state(index).ready;
      hand_over(index, ref, n, at);
      state(index).cause = state(index).last_dependency;
      complete(index, at, at + link(ref).send(n));
    } else if (const State& theirs = state(number(receiver)); theirs.is_ready) {
      hand_over(index, ref, n, std::max(theirs.ready, state(index).ready));
    }
  }

  void receive(int index, OperationRef ref) {
    const OperationRef sender = partner(ref);
    const State& theirs = state(number(sender));
    const double n = bytes(sender);
    if (!network_.leaves_at_once(n)) {
      if (theirs.is_ready) hand_over(number(sender), sender, n, std::max(theirs.ready, state(index).ready));
    } else if (state(index).end != not_yet) {  // it has arrived before
      take(index, number(sender));
    }
  }

  const Link& link(OperationRef send) const {
    return network_.for_message(send.rank, operation(send).peer, operation(send).memory);
  }

  void hand_over(int index, OperationRef sender, double n, double at) {
    const Rank from = sender.rank, to = operation(sender).peer;
    const Link& link = this->link(sender);
    const double gap = std::min(link.gap(n), link.time(n));
    const int out = port(from, to, 0), in = port(to, from, 1);
    const double out_share = share(out, link, n), in_share = share(in, link, n);
    const bool between_hosts = network_.host(from) != network_.host(to);
    busy_[static_cast<std::size_t>(from)].out += gap / (between_hosts ? network_.width.out : 1);
    busy_[static_cast<std::size_t>(representative(to))].in += gap / (between_hosts ? network_.width.in : 1);
    const bool is_wide = between_hosts && network_.width.widest() > 1;
    // What ways let through is measured of the MPI library's messages.
    const auto gates = network_.goes_through_memory(from, to, operation(sender).memory)
                           ? std::span<const Gate>()
                           : crossings_.between(from, to, representative(to));
    for (const Gate& gate : gates) busy_ways_[gate.port] += n * gate.seconds_per_byte;
    ports_->hand_over({.id = index,
                       .out = out,
                       .in = in,
                       .out_back = port(from, to, 1),
                       .in_back = port(to, from, 0),
                       .ready = at,
                       .latency = link.time(n) - gap + network_.beyond_neighbors(from, to),
                       .gap = gap,
                       .both_ways = link.both_ways,
                       .both_ways_latency = link.both_ways_latency,
                       .out_share = out_share,
                       .in_share = in_share,
                       .precedence = precedence(sender),
                       .connection = is_wide                             ? connection_of_hosts(from, to)
                                     : std::max(out_share, in_share) < 1 ? connection(from, to)
                                                                         : -1,
                       .bytes = n,
                       .gates = gates});
  }

  // By what every host, or group, sees alike, so that those that do the same keep doing so.
  std::uint64_t precedence(OperationRef sender) const {
    const auto place = [this](Rank rank) {
      const auto own = static_cast<std::size_t>(rank);
      return static_cast<std::uint64_t>(place_.empty() ? 0 : place_[own]) & 0xffff;
    };
    return static_cast<std::uint64_t>(turn_[static_cast<std::size_t>(number(sender))]) << 32 |
           place(sender.rank) << 16 | place(operation(sender).peer);
  }

  // In groups that share ways, of the outermost ones that tell ranks apart.
  void number_places() {
    std::map<int, int> known;
    const auto shares = [](const Network::Group& group) {
      return group.out > 0 || group.in > 0 || group.between > 0;
    };
    if (network_.group_of.empty() || std::ranges::none_of(network_.groups, shares)) {
      for (const int host : network_.hosts) place_.push_back(known[host]++);
      return;
    }
    const auto outer = static_cast<std::size_t>(count_groups_of_all(network_, schedule_.shape.ranks));
    for (Rank rank = 0; rank < schedule_.shape.ranks; ++rank) {
      const auto around = groups_around(network_, rank);
      const int part = around.size() > outer ? around[around.size() - 1 - outer] : -1 - network_.host(rank);
      place_.push_back(known[part]++);
    }
  }

  // How much of a port a message takes: as much as its link is slower than the fastest one there.
  double share(int port, const Link& link, double n) const {
    if (fastest_.empty()) return 1;
    const double gap = link.gap(n), least = fastest_[static_cast<std::size_t>(port)]->gap(n);
    return gap > 0 ? std::min(1.0, least / gap) : 1;
  }

  void find_fastest_links() {
    if (network_.link_of.empty()) return;
    fastest_.resize(2 * static_cast<std::size_t>(ranks_ + hosts()));
    std::vector<double> beta;
    for (const Link& link : network_.links) beta.push_back(hockney_of(link).beta);
    std::vector<double> least(fastest_.size(), Ports::never);
    for (Rank from = 0; from < ranks_; ++from)
      for (Rank to = 0; to < schedule_.shape.ranks; ++to) {
        if (from == to) continue;
        const auto number = static_cast<std::size_t>(network_.link_number(from, to));
        for (const int end : {port(from, to, 0), port(to, from, 1)})
          if (double& known = least[static_cast<std::size_t>(end)]; beta[number] < known) {
            known = beta[number];
            fastest_[static_cast<std::size_t>(end)] = &network_.links[number];
          }
      }
  }

  int connection(Rank from, Rank to) {
    const auto [known, added] = connections_.try_emplace({from, to}, next_port_);
    if (added) ++next_port_;
    return known->second;
  }

  // The one link of two hosts whose ports carry more, behind those of ranks.
  int connection_of_hosts(Rank from, Rank to) {
    const int ranks = schedule_.shape.ranks;
    return connection(ranks + network_.host(from), ranks + network_.host(to));
  }

  // A rank's own among the ranks of its host, its host's to others; for one direction, or for both.
  int port(Rank rank, Rank peer, int direction) const {
    const Rank own = representative(rank);
    const int end = network_.host(rank) == network_.host(peer) ? own : ranks_ + network_.host(own);
    return 2 * end + (network_.half_duplex ? 0 : direction);
  }

  void deliver(const Delivery& delivery) {
    const OperationRef sender = operation_at(delivery.id);
    const int receive = number(partner(sender));
    State &sends = state(delivery.id), &receives = state(receive);
    const bool waits_for_receiver = !network_.leaves_at_once(bytes(sender));
    const bool receiver_late = waits_for_receiver && receives.ready > sends.ready;
    messages_[static_cast<std::size_t>(delivery.id)] = {delivery.released, delivery.arrived,
                                                        delivery.held_up_by != Delivery::nothing
                                                            ? message(delivery.held_up_by)
                                                        : receiver_late ? receives.last_dependency
                                                                        : sends.last_dependency,
                                                        delivery.held_at};
    if (waits_for_receiver) {
      sends.cause = message(delivery.id);
      complete(delivery.id, delivery.start, delivery.arrived);
    }
    receives.end = delivery.arrived;
    if (receives.is_ready) take(receive, delivery.id);
  }

  // A message that has arrived is received as soon as its receiver has come to it.
  void take(int receive, int sender) {
    State& self = state(receive);
    self.cause = self.ready > self.end ? self.last_dependency : message(sender);
    complete(receive, self.ready, std::max(self.ready, self.end));
  }

  // It names both operands.
  void combine(int index, OperationRef ref) {
    Processor& processor = processor_[static_cast<std::size_t>(ref.rank)];
    State& self = state(index);
    self.cause = processor.free > self.ready ? processor.last : self.last_dependency;
    const double start = std::max(self.ready, processor.free), takes = bytes(ref) / 2 * network_.gamma;
    processor = {start + takes, index};
    busy_[static_cast<std::size_t>(ref.rank)].processor += takes;
    complete(index, start, processor.free);
  }

  void meet(OperationRef ref) {
    const auto meeting = static_cast<std::size_t>(
        meetings_.of[static_cast<std::size_t>(ref.rank)][static_cast<std::size_t>(ref.id)]);
    const NativePhase& phase = part(ref.rank).native_phase(operation(ref));
    if (++arrived_at_meeting_[meeting] < phase.group.size()) return;
    int last = number(meetings_.members[meeting].front());
    for (const OperationRef member : meetings_.members[meeting])
      if (state(number(member)).ready > state(last).ready) last = number(member);
    const double start = state(last).ready;
    const std::size_t stage = stages_.of_meeting[meeting];
    const Situation& situation = stages_.list[stage].situation;
    const NativeDuration beside = native_time(meeting, situation);
    for (const OperationRef member : meetings_.members[meeting]) {
      state(number(member)).cause = state(last).last_dependency;
      state(number(member)).start = start;
      if (!all_native_) complete(number(member), start, start + beside.seconds);
    }
    if (!all_native_) return;
    Situation alone = situation;
    alone.groups = alone.sharing = 1;
    std::vector<int> hosts;
    for (const Rank rank : phase.group) hosts.push_back(network_.host(rank));
    contention_.add({.start = start,
                     .alone = native_time(meeting, alone).seconds,
                     .beside = beside.seconds,
                     .stage = static_cast<int>(stage),
                     .groups = situation.groups,
                     .sharing = situation.sharing,
                     .one_way = traits(phase.collective).rooted,
                     .hosts = std::move(hosts),
                     .leaves = beside.leaves});
    contending_.push_back(meeting);
  }

  void leave(const Contention::Departure& departure) {
    const std::size_t meeting = contending_[static_cast<std::size_t>(departure.candidate)];
    const auto& members = meetings_.members[meeting];
    const NativePhase& phase = part(members.front().rank).native_phase(operation(members.front()));
    const Rank rank = phase.group[static_cast<std::size_t>(departure.rank)];
    const auto member = std::lower_bound(members.begin(), members.end(), rank,
                                         [](const OperationRef& a, Rank b) { return a.rank < b; });
    complete(number(*member), state(number(*member)).start, departure.seconds);
  }

  NativeDuration native_time(std::size_t meeting, const Situation& situation) {
    const OperationRef first = meetings_.members[meeting].front();
    const NativePhase& phase = part(first.rank).native_phase(operation(first));
    PhaseSize size;
    for (const OperationRef member : meetings_.members[meeting])
      size.add(part(member.rank).native_phase(operation(member)));
    if (operation(first).memory && network_.memory && share_host(phase.group))
      return time_in_memory(static_cast<int>(phase.group.size()), size.vector() * cut_.mean());
    return native_({phase.collective, static_cast<int>(phase.group.size()),
                    size.bytes(phase.collective, cut_), situation});
  }

  bool share_host(const std::vector<Rank>& group) const {
    return std::all_of(group.begin(), group.end(),
                       [&](Rank rank) { return network_.host(rank) == network_.host(group.front()); });
  }

  // Everyone sees a flag of everyone else's, one line after the other. A vector is combined by all
  // together where it lies, and read by all; short ones everyone combines alone (run::InMemory).
  double time_in_memory(int ranks, double vector) const {
    const Hockney line = hockney_of(*network_.memory);
    const double others = ranks - 1, flags = others * line.alpha, read = line.beta + network_.gamma;
    const double alone = flags + others * vector * read;
    const double together = 2 * flags + vector * others / ranks * (read + 2 * line.beta);
    return std::min(alone, together);
  }

  void complete(int index, double start, double end) {
    State& self = state(index);
    self.start = start;
    self.end = end;
    if (last_ == Delivery::nothing || end > state(last_).end) last_ = index;
    for (int i = self.successors; i < state(index + 1).successors; ++i) {
      const int next = successors_[static_cast<std::size_t>(i)];
      State& successor = state(next);
      if (end >= successor.ready) {
        successor.ready = end;
        successor.last_dependency = index;
      }
      if (--successor.waiting_for == 0) become_ready(next);
    }
  }

  Price result() {
    Price price;
    if (last_ == Delivery::nothing) return price;
    price.seconds = state(last_).end;
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const Busy& busy = busy_[static_cast<std::size_t>(rank)];
      const double ports = network_.half_duplex ? busy.out + busy.in : std::max(busy.out, busy.in);
      const double most = std::max(ports, busy.processor);
      if (most > price.busy) {
        price.busy = most;
        price.busiest = rank;
      }
    }
    for (const auto& [port, seconds] : busy_ways_)
      if (seconds > price.busy_way.seconds) price.busy_way = {crossings_.name(port), seconds};
    find_critical_path(price);
    return price;
  }

  // Backwards from what ends last, by what kept each from starting earlier.
  void find_critical_path(Price& price) {
    double until = price.seconds;
    // What what follows did not wait for is left out: a port may be free before another was that it
    // stood at.
    const auto add = [&](Price::PathStep step) {
      if (step.start > until || (step.start == until && step.end > until)) return;
      step.end = until;
      until = step.start;
      price.critical_path.push_back(step);
    };
    std::map<int, int> places;
    for (int cause = last_; cause != Delivery::nothing;) {
      if (cause >= first_of_.back()) {
        const int sender = cause - first_of_.back();
        const Message& sent = messages_[static_cast<std::size_t>(sender)];
        const OperationRef what = operation_at(sender);
        Price::PathStep step{{what, sent.released, sent.arrived}, bytes(what)};
        if (sent.held_at != Delivery::nothing) {
          const auto [place, added] = places.try_emplace(sent.held_at, static_cast<int>(price.places.size()));
          if (added) price.places.push_back(place_of(sent.held_at, what));
          step.held_at = place->second;
        }
        add(step);
        cause = sent.cause;
        continue;
      }
      const OperationRef what = operation_at(cause);
      const State& self = state(cause);
      const OperationKind kind = operation(what).kind;
      const bool hands_over =
          kind == OperationKind::send && self.cause < first_of_.back() && self.end > self.start;
      if (kind == OperationKind::reduce || kind == OperationKind::native || hands_over)
        add({{what, self.start, self.end}, hands_over ? bytes(what) : 0, hands_over});
      cause = self.cause;
    }
    std::reverse(price.critical_path.begin(), price.critical_path.end());
  }

  // A port, a way of groups, or the connection of the message itself.
  std::string place_of(int port, OperationRef message) const {
    if (port < 2 * (ranks_ + hosts())) {
      const int end = port / 2;
      return fmt::format("port {} {}",
                         network_.half_duplex ? "of"
                         : port % 2 == 0      ? "out of"
                                              : "into",
                         end < ranks_ ? fmt::format("rank {}", end) : name_of_host(end - ranks_));
    }
    const std::pair ends(message.rank, operation(message).peer);
    if (const auto own = connections_.find(ends); own != connections_.end() && own->second == port)
      return fmt::format("connection from rank {} to {}", ends.first, ends.second);
    const int ranks = schedule_.shape.ranks;
    const std::pair links(ranks + network_.host(ends.first), ranks + network_.host(ends.second));
    if (const auto own = connections_.find(links); own != connections_.end() && own->second == port)
      return fmt::format("link from {} to {}", name_of_host(links.first - ranks),
                         name_of_host(links.second - ranks));
    return crossings_.name(port);
  }

  std::string name_of_host(int host) const {
    return fmt::format("{} {}", network_.hosts.empty() ? "rank" : "host", host);
  }

  struct Busy {
    double out = 0, in = 0, processor = 0;
  };
  struct Processor {
    double free = 0;
    int last = Delivery::nothing;  // combination
  };

  const Schedule& schedule_;
  Cut cut_;
  std::vector<int> turn_;  // by operation: how many of its rank's that take time are before it
  const Network& network_;
  const NativeTime& native_;
  int ranks_;
  Partners partners_;
  Meetings meetings_;
  NativeSteps stages_;
  std::vector<std::size_t> arrived_at_meeting_;
  bool all_native_ = true;               // nothing is sent
  Contention contention_;                // then, of the native phases
  std::vector<std::size_t> contending_;  // meetings, in its order
  std::vector<int> first_of_;            // by rank
  std::vector<State> states_;
  std::vector<Message> messages_;  // by send
  std::vector<int> successors_;
  std::vector<int> place_;  // by rank, or in its group; empty where each has a host of its own
  int next_port_;
  Crossings crossings_;
  std::unique_ptr<Ports> ports_;
  std::vector<const Link*> fastest_;                  // by port; empty: all links are alike
  std::map<std::pair<Rank, Rank>, int> connections_;  // port numbers of those that are slow
  std::vector<Processor> processor_;                  // by rank
  std::vector<Busy> busy_;
  std::map<int, double> busy_ways_;  // seconds, by port
  int last_ = Delivery::nothing;     // to end
};

}  // namespace

NativeTime limit_of(const Network& network) {
  Hockney best{.alpha = Ports::never, .beta = Ports::never, .gamma = network.gamma};
  for (const Link& link : network.links) {
    const Hockney straight = hockney_of(link);
    best.alpha = std::min(best.alpha, straight.alpha);
    best.beta = std::min(best.beta, straight.beta);
  }
  best.beta /= network.width.widest();
  return [best](const NativeCall& call) { return lower_bound(call.collective, call.ranks, call.size, best); };
}

std::optional<double> native_seconds(const Part& part, int blocks, std::size_t bytes,
                                     const NativeTime& native) {
  const Cut cut(bytes, blocks, 0);
  double seconds = 0;
  for (const Operation& operation : part.operations()) {
    if (operation.kind == OperationKind::copy || operation.kind == OperationKind::clear) continue;
    if (operation.kind != OperationKind::native || operation.memory) return std::nullopt;
    const NativePhase& phase = part.native_phase(operation);
    PhaseSize size;
    size.add(phase);
    seconds +=
        native({phase.collective, static_cast<int>(phase.group.size()), size.bytes(phase.collective, cut)});
  }
  return seconds;
}

Price price(const Schedule& schedule, std::size_t bytes, const Network& network, const NativeTime& native,
            std::vector<Price::Step>* steps) {
  return Simulation(schedule, bytes, network, native).run(steps);
}

}  // namespace tutti::inline core
