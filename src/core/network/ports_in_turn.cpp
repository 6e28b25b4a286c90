#include "core/network/ports_in_turn.hpp"

#include <algorithm>

namespace tutti::inline core {

void PortsInTurn::hand_over(const Transfer& t) {
  coming_.push({{t.ready, t.ready, t.precedence, order_++}, t});
}

// In the order in which messages start: what a later start frees can't let anything start before
// it.
const std::vector<Delivery>& PortsInTurn::advance() {
  deliveries_.clear();
  if (turns_.empty() || (!coming_.empty() && coming_.top().place < turns_.top().place)) {
    const Coming next = coming_.top();
    coming_.pop();
    look_at(next.transfer, next.place);
    return deliveries_;
  }
  const Turn turn = turns_.top();
  turns_.pop();
  auto& line = port(turn.port).line;
  if (line.empty() || first_of(port(turn.port)) != turn.place) return deliveries_;  // called since
  const Transfer next = line.top().transfer;
  line.pop();
  look_at(next, turn.place);
  call_next(turn.port);
  return deliveries_;
}

// It starts, or stands in line at the port that is free last. Only a first one changes what comes
// next.
void PortsInTurn::look_at(const Transfer& t, const Place& place) {
  if (earliest_start(t) <= place.start) return start(t, place.start);
  const bool at_out = port(t.out).free >= port(t.in).free - t.latency;
  const int number = at_out ? t.out : t.in;
  auto& line = port(number).line;
  line.push({at_out ? 0 : t.latency, place.order, t});
  if (line.top().order == place.order) call_next(number);
}

PortsInTurn::Place PortsInTurn::first_of(const Port& port) const {
  const InLine& first = port.line.top();
  return {port.free - first.ahead, first.transfer.ready, first.transfer.precedence, first.order};
}

void PortsInTurn::call_next(int number) {
  if (!port(number).line.empty()) turns_.push({first_of(port(number)), number});
}

void PortsInTurn::start(const Transfer& t, double at) {
  const bool both = port(t.out_back).free > at || port(t.in_back).free > at;
  const bool slower = both && t.out != t.out_back;
  const double gap = t.gap * (slower ? t.both_ways : 1);
  const double latency = t.latency * (slower ? t.both_ways_latency : 1);
  Port &out = port(t.out), &in = port(t.in);
  const int held_up_by =
      at > t.ready ? (out.free >= in.free - t.latency ? out.last : in.last) : Delivery::nothing;
  out.free = at + gap;
  in.free = at + latency + gap;
  out.last = in.last = t.id;
  deliveries_.push_back({t.id, at, at + latency + gap, held_up_by});
  call_next(t.out);
  call_next(t.in);
}

double PortsInTurn::earliest_start(const Transfer& t) const {
  return std::max({t.ready, port(t.out).free, port(t.in).free - t.latency});
}

}  // namespace tutti::inline core
