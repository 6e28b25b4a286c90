#include "network/ports_in_turn.hpp"

#include <algorithm>

namespace tutti {

void PortsInTurn::hand_over(const Transfer& transfer) {
  queue_.push({earliest_start(transfer), order_++, transfer});
}

// In the order in which messages start: what a later start frees can't let anything start before it.
const std::vector<Delivery>& PortsInTurn::advance() {
  deliveries_.clear();
  Waiting next = queue_.top();
  queue_.pop();
  const Transfer& t = next.transfer;
  const double start = earliest_start(t);
  if (start > next.start) {
    next.start = start;
    queue_.push(next);
    return deliveries_;
  }
  const bool both = ports_[index(t.out_back)].free > start || ports_[index(t.in_back)].free > start;
  const double gap = t.gap * (both && t.out != t.out_back ? t.both_ways : 1);
  Port &out = ports_[index(t.out)], &in = ports_[index(t.in)];
  const int held_up_by =
      start > t.ready ? (out.free >= in.free - t.latency ? out.last : in.last) : Delivery::nothing;
  out = {start + gap, t.id};
  in = {start + t.latency + gap, t.id};
  deliveries_.push_back({t.id, start, start + t.latency + gap, held_up_by});
  return deliveries_;
}

double PortsInTurn::earliest_start(const Transfer& t) const {
  return std::max({t.ready, ports_[index(t.out)].free, ports_[index(t.in)].free - t.latency});
}

}  // namespace tutti
