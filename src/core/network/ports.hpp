#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/network/network.hpp"

namespace tutti::inline core {

/// A way that messages share besides their hosts' ports.
struct Gate {
  int port;                 ///< its number, behind those of the hosts' ports
  double seconds_per_byte;  ///< for which a message keeps it busy
  bool at_arrival;          ///< whether it is behind what takes latency, or before
};

/// A message on its way through two ports.
struct Transfer {
  int id;                        ///< the caller's
  int out, in;                   ///< port numbers; equal ones on half-duplex ports
  int out_back, in_back;         ///< the same ends' ports of the other direction
  double ready;                  ///< seconds: it may leave from then on
  double latency;                ///< seconds on the way that keep no port busy
  double gap;                    ///< seconds that it keeps an otherwise idle port busy
  double both_ways;              ///< what the gap is multiplied by where an end sends and receives
  double both_ways_latency = 1;  ///< what the latency is then
  double out_share = 1;          ///< share of what the port can carry that it takes at its full rate
  double in_share = 1;           ///< such a share of the other port; below 1 where others are faster there
  std::uint64_t precedence = 0;  ///< of two that are ready at one moment the lower one goes first
  int connection = -1;           ///< a port of its own two ends' besides, if theirs is the slower part
  double bytes = 0;
  std::span<const Gate> gates = {};  ///< that it crosses besides; they stay as long as it is under way

  /// The seconds between its start and its coming to a gate.
  double ahead_of(const Gate& gate) const { return gate.at_arrival ? latency : 0; }
};

/// A message that has come through.
struct Delivery {
  static constexpr int nothing = -1;
  int id;
  double start;  ///< it left
  double arrived;
  int held_up_by = nothing;  ///< the message whose port it waited for
  double released = start;   ///< since then no other has held it up: its start, or when that port was free
  int held_at = nothing;     ///< the port that it waited for, else the one at whose pace it went last
};

/// The ports of a network, in simulated time: messages are handed over and come through.
class Ports {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();
  virtual ~Ports() = default;
  /// `transfer.ready` must not lie before what `advance` has delivered.
  virtual void hand_over(const Transfer& transfer) = 0;
  /// Goes on to the next moment at which something happens, and returns what came through then,
  /// often nothing.
  virtual const std::vector<Delivery>& advance() = 0;
  /// Whether nothing is under way.
  virtual bool idle() const = 0;
};

/// Some of the ports, numbered one after the other from an even number on, those out of a host and
/// into it in turn: how many messages at the full rate they carry.
struct WidePorts {
  int first = 0, end = 0;
  PortWidth width = {};
  bool half_duplex = false;  ///< a host's even number is of both directions

  bool any() const { return width.widest() > 1; }
  bool has(int port) const { return port >= first && port < end; }
  int back(int port) const { return half_duplex ? port : port ^ 1; }
  /// What a port that is in use carries.
  double carries(int port, bool is_back_in_use) const {
    if (!has(port)) return 1;
    return is_back_in_use ? width.busy : port % 2 == 0 ? width.out : width.in;
  }
};

/// `ports` ports of one discipline.
std::unique_ptr<Ports> make_ports(PortUse use, int ports, const WidePorts& wide = {});

}  // namespace tutti::inline core
