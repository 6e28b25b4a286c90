#pragma once

#include <algorithm>
#include <vector>

#include "core/network/network.hpp"

namespace tutti::inline core {

/// When single-port hosts can send and receive messages of one size.
///
/// A message starts when its link, its sender and its receiver are free and its sender has it; it
/// has arrived L + m/b later. Then the receiver is free, the sender after o_s(m), the link after
/// g(m). On half-duplex ports a host's sends and receives are one after the other, on full-duplex
/// ports side by side.
///
/// Source: Gupta, Vadhiyar, An Efficient MPI_Allgather for Grids, 2007, equations 1 to 3; that the
/// sender has the message is ours, on full-duplex ports they leave it out.
class PortClock {
 public:
  PortClock(const Network& network, int ranks, double bytes, bool half_duplex)
      : network_(network),
        ranks_(static_cast<std::size_t>(ranks)),
        half_duplex_(half_duplex),
        link_free_(ranks_ * ranks_),
        send_free_(ranks_),
        receive_free_(half_duplex ? 0 : ranks_) {
    for (const Link& link : network.links)
      costs_.push_back({link.time(bytes), link.send(bytes), link.gap(bytes)});
  }

  /// When a message that its sender has from `ready` on would start, in seconds.
  double start(Rank from, Rank to, double ready) const {
    return std::max({ready, link_free_[index(from, to)], send_free_[at(from)], receive_free(to)});
  }
  double transfer_time(Rank from, Rank to) const { return cost(from, to).transfer; }
  /// When it would have arrived.
  double arrival(Rank from, Rank to, double ready) const {
    return start(from, to, ready) + transfer_time(from, to);
  }
  double receive_free(Rank rank) const {
    return half_duplex_ ? send_free_[at(rank)] : receive_free_[at(rank)];
  }

  /// Sends it, to arrive then.
  void send(Rank from, Rank to, double start) {
    const Cost& cost = this->cost(from, to);
    link_free_[index(from, to)] = start + cost.gap;
    send_free_[at(from)] = start + cost.send;
    (half_duplex_ ? send_free_ : receive_free_)[at(to)] = start + cost.transfer;
  }

 private:
  struct Cost {
    double transfer, send, gap;
  };
  static std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }
  std::size_t index(Rank from, Rank to) const { return at(from) * ranks_ + at(to); }
  const Cost& cost(Rank from, Rank to) const {
    return costs_[static_cast<std::size_t>(network_.link_number(from, to))];
  }

  const Network& network_;
  std::size_t ranks_;
  bool half_duplex_;
  std::vector<Cost> costs_;  // by link number
  std::vector<double> link_free_, send_free_, receive_free_;
};

}  // namespace tutti::inline core
