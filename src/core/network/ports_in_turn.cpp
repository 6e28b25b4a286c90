#include "core/network/ports_in_turn.hpp"

#include <algorithm>

namespace tutti::inline core {

void PortsInTurn::hand_over(const Transfer& t) {
  for (const Gate& gate : t.gates) make_room(gate.port);
  make_room(t.connection);
  coming_.push({{t.ready, t.ready, t.precedence, order_++}, t});
}

void PortsInTurn::make_room(int number) {
  if (number >= static_cast<int>(ports_.size())) ports_.resize(static_cast<std::size_t>(number) + 1);
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
  const Hold hold = hold_of(t);
  if (std::max(t.ready, hold.until) <= place.start) return start(t, place.start);
  auto& line = port(hold.port).line;
  line.push({hold.ahead, place.order, t});
  if (line.top().order == place.order) call_next(hold.port);
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
  double gap = t.gap * (slower ? t.both_ways : 1);
  Delivery delivery{.id = t.id, .start = at, .arrived = at};
  for (const Gate& gate : t.gates)
    if (const double takes = t.bytes * gate.seconds_per_byte; takes > gap) {
      gap = takes;
      delivery.held_at = gate.port;
    }
  const double latency = t.latency * (slower ? t.both_ways_latency : 1);
  if (at > t.ready) {
    delivery.held_at = hold_of(t).port;
    delivery.held_up_by = port(delivery.held_at).last;
    delivery.released = port(delivery.held_at).free;
  }
  Port &out = port(t.out), &in = port(t.in);
  const double out_takes = gap / carries(t.out, at), in_takes = gap / carries(t.in, at);
  out.free = at + out_takes;
  in.free = at + latency + in_takes;
  out.last = in.last = t.id;
  if (t.connection >= 0) {
    port(t.connection).free = at + gap;
    port(t.connection).last = t.id;
  }
  for (const Gate& gate : t.gates) {
    port(gate.port).free = at + (gate.at_arrival ? latency : 0) + t.bytes * gate.seconds_per_byte;
    port(gate.port).last = t.id;
  }
  delivery.arrived = at + latency + gap;
  deliveries_.push_back(delivery);
  call_next(t.out);
  call_next(t.in);
  if (t.connection >= 0) call_next(t.connection);
  for (const Gate& gate : t.gates) call_next(gate.port);
}

double PortsInTurn::carries(int number, double at) const {
  return wide_.has(number) ? wide_.carries(number, port(wide_.back(number)).free > at) : 1;
}

// Where several ports are free equally late, the one at which the message leaves counts.
PortsInTurn::Hold PortsInTurn::hold_of(const Transfer& t) const {
  Hold hold{t.out, 0, port(t.out).free};
  const auto look = [&](int number, double ahead) {
    if (const double until = port(number).free - ahead; until > hold.until) hold = {number, ahead, until};
  };
  look(t.in, t.latency);
  if (t.connection >= 0) look(t.connection, 0);
  for (const Gate& gate : t.gates) look(gate.port, t.ahead_of(gate));
  return hold;
}

}  // namespace tutti::inline core
