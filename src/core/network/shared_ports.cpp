#include "core/network/shared_ports.hpp"

#include <algorithm>

namespace tutti::inline core {

void SharedPorts::hand_over(const Transfer& transfer) {
  int number = static_cast<int>(flows_.size());
  if (unused_.empty()) {
    flows_.emplace_back();
  } else {
    number = unused_.back();
    unused_.pop_back();
  }
  make_room(transfer.connection);
  // What takes ports no time, or hardly any, takes ways theirs all the same.
  constexpr double most_of_a_way = 1e12;  // shares, which stay finite
  double gap = transfer.gap;
  for (const Gate& gate : transfer.gates) {
    make_room(gate.port);
    gap = std::max(gap, transfer.bytes * gate.seconds_per_byte / most_of_a_way);
  }
  Flow& added = flow(number);
  added = {.transfer = transfer, .left = gap, .version = added.version + 1};
  added.transfer.gap = gap;
  events_.push({transfer.ready + transfer.latency, number, added.version});
  ++under_way_;
}

void SharedPorts::make_room(int port) {
  if (port >= static_cast<int>(ports_.size())) ports_.resize(static_cast<std::size_t>(port) + 1);
}

// All that happens at one moment, and only then new shares: many messages begin and end together.
const std::vector<Delivery>& SharedPorts::advance() {
  constexpr double same_moment = 1e-12;  // relative
  deliveries_.clear();
  const double now = events_.top().time;
  while (!events_.empty() && events_.top().time <= now * (1 + same_moment)) {
    const Event event = events_.top();
    events_.pop();
    const Flow& what = flow(event.flow);
    if (what.version != event.version) continue;
    if (what.flows || what.left == 0)
      end(event.flow, now);
    else
      begin(event.flow, now);
  }
  share_anew(now);
  return deliveries_;
}

void SharedPorts::begin(int number, double now) {
  Flow& what = flow(number);
  const Transfer& t = what.transfer;
  if (t.both_ways_latency > 1 && !what.was_delayed && meets_other_direction(t)) {
    what.was_delayed = true;
    events_.push({now + t.latency * (t.both_ways_latency - 1), number, ++what.version});
    return;
  }
  what.flows = true;
  what.since = now;
  for_each_use(what.transfer, [&](int at, double share) { port(at).uses.push_back({number, share}); });
  change(what.transfer);
}

void SharedPorts::end(int number, double now) {
  Flow& what = flow(number);
  const Transfer& t = what.transfer;
  if (what.flows) {
    for_each_use(t, [&](int at, double) {
      std::erase_if(port(at).uses, [number](const Use& use) { return use.flow == number; });
    });
    change(t);
  }
  deliveries_.push_back({.id = t.id, .start = t.ready, .arrived = now, .held_at = what.held_at});
  ++what.version;
  what.flows = false;
  unused_.push_back(number);
  --under_way_;
}

// Shares change at the message's ports, and at those of the other direction where it matters.
void SharedPorts::change(const Transfer& t) {
  const auto mark = [&](int number) {
    if (std::exchange(port(number).changed, true)) return;
    changed_.push_back(number);
  };
  for_each_use(t, [&](int at, double) { mark(at); });
  if (t.both_ways == 1 && !wide_.any()) return;
  mark(t.out_back);
  mark(t.in_back);
}

void SharedPorts::share_anew(double now) {
  for (const int number : changed_) {
    port(number).changed = false;
    port(number).level = level(port(number).uses, carries(number));
  }
  for (const int number : changed_) {
    for (const Use& use : port(number).uses) {
      const int index = use.flow;
      Flow& what = flow(index);
      const auto [rate, held_at] = pace_of(what.transfer);
      if (held_at != Delivery::nothing) what.held_at = held_at;
      if (rate == what.rate) continue;
      what.left = std::max(0.0, what.left - (now - what.since) * what.rate);
      what.since = now;
      what.rate = rate;
      events_.push({now + what.left / rate, index, ++what.version});
    }
  }
  changed_.clear();
}

bool SharedPorts::meets_other_direction(const Transfer& t) {
  return t.out != t.out_back && (!port(t.out_back).uses.empty() || !port(t.in_back).uses.empty());
}

SharedPorts::Pace SharedPorts::pace_of(const Transfer& t) {
  const bool both = meets_other_direction(t);
  Pace pace{1, Delivery::nothing};
  const auto limit = [&](int at, double share) {
    if (const double rate = port(at).level / share; rate < pace.rate) pace = {rate, at};
  };
  if (!unlimited_) for_each_port(t, limit);
  for_each_gate(t, limit);
  if (both) pace.rate /= t.both_ways;
  return pace;
}

template <typename Visit>
void SharedPorts::for_each_port(const Transfer& t, Visit visit) {
  visit(t.out, t.out_share);
  if (t.in != t.out) visit(t.in, t.in_share);
  if (t.connection >= 0) visit(t.connection, 1);
}

// A way that is narrower than the ports is more than full of one message: a share above 1.
template <typename Visit>
void SharedPorts::for_each_gate(const Transfer& t, Visit visit) {
  for (const Gate& gate : t.gates) visit(gate.port, t.bytes * gate.seconds_per_byte / t.gap);
}

template <typename Visit>
void SharedPorts::for_each_use(const Transfer& t, Visit visit) {
  for_each_port(t, visit);
  for_each_gate(t, visit);
}

double SharedPorts::carries(int number) const {
  if (!wide_.has(number)) return 1;
  return wide_.carries(number, !ports_[static_cast<std::size_t>(wide_.back(number))].uses.empty());
}

// What those leave who want less than an equal share is shared by the others.
double SharedPorts::level(const std::vector<Use>& uses, double carries) {
  if (uses.empty()) return 1;
  double level = carries / static_cast<double>(uses.size());
  for (std::size_t satisfied = 0;;) {
    double given = 0;
    std::size_t now = 0;
    for (const Use& use : uses)
      if (use.share <= level) {
        given += use.share;
        ++now;
      }
    if (now == uses.size()) return 1;
    if (now <= satisfied) return level;  // fewer: by rounding, of those who want just as much
    satisfied = now;
    level = (carries - given) / static_cast<double>(uses.size() - now);
  }
}

}  // namespace tutti::inline core
