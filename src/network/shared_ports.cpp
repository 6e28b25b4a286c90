#include "network/shared_ports.hpp"

#include <algorithm>

namespace tutti {

void SharedPorts::hand_over(const Transfer& transfer) {
  int number = static_cast<int>(flows_.size());
  if (unused_.empty()) {
    flows_.emplace_back();
  } else {
    number = unused_.back();
    unused_.pop_back();
  }
  Flow& added = flow(number);
  added = {.transfer = transfer, .left = transfer.gap, .version = added.version + 1};
  events_.push({transfer.ready + transfer.latency, number, added.version});
  ++under_way_;
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
  what.flows = true;
  what.since = now;
  port(what.transfer.out).flows.push_back(number);
  if (what.transfer.in != what.transfer.out) port(what.transfer.in).flows.push_back(number);
  change(what.transfer);
}

void SharedPorts::end(int number, double now) {
  Flow& what = flow(number);
  const Transfer& t = what.transfer;
  if (what.flows) {
    for (const int end : {t.out, t.in}) std::erase(port(end).flows, number);
    change(t);
  }
  deliveries_.push_back({t.id, t.ready, now});
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
  mark(t.out);
  mark(t.in);
  if (t.both_ways == 1) return;
  mark(t.out_back);
  mark(t.in_back);
}

void SharedPorts::share_anew(double now) {
  for (const int number : changed_) {
    port(number).changed = false;
    for (const int index : port(number).flows) {
      Flow& what = flow(index);
      const double rate = rate_of(what.transfer);
      if (rate == what.rate) continue;
      what.left = std::max(0.0, what.left - (now - what.since) * what.rate);
      what.since = now;
      what.rate = rate;
      events_.push({now + what.left / rate, index, ++what.version});
    }
  }
  changed_.clear();
}

double SharedPorts::rate_of(const Transfer& t) {
  const bool both =
      t.out != t.out_back && (!port(t.out_back).flows.empty() || !port(t.in_back).flows.empty());
  const std::size_t side_by_side =
      unlimited_ ? 1 : std::max(port(t.out).flows.size(), port(t.in).flows.size());
  return 1 / (static_cast<double>(side_by_side) * (both ? t.both_ways : 1));
}

}  // namespace tutti
