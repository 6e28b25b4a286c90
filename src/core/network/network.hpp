#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/network/curve.hpp"
#include "core/network/escalation.hpp"
#include "core/network/hockney.hpp"
#include "core/network/lmo.hpp"
#include "core/network/torus.hpp"
#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// Ranks up to which every two may have a link of their own where they are measured, for their
/// table grows with the square. It was chosen by hand.
inline constexpr int most_ranks_apart = 2048;

/// How well a curve met what was measured at sizes drawn at random: relative errors.
struct CurveCheck {
  int sizes = 0;
  double median = 0, worst = 0;
  friend bool operator==(const CurveCheck&, const CurveCheck&) = default;
};

/// What messages between two ranks cost, by their bytes: the parameters of PLogP, in seconds.
/// Source: Kielmann, Bal, Verstoep, Fast Measurement of LogP Parameters for Message Passing
/// Platforms, 2000.
struct Link {
  Curve time;            ///< from the call that sends to the call that has received: half of a round trip
  Curve gap;             ///< g(m): how long a message keeps its ports busy; the rest of `time` is latency
  Curve send;            ///< o_s(m): how long the sender's processor is
  Curve receive;         ///< o_r(m): how long the receiver's is
  double both_ways = 1;  ///< by what a port that sends and receives at once takes longer: 1 / f_β
  double both_ways_latency = 1;          ///< by what latency is longer then: 1 / f_α
  std::optional<CurveCheck> check = {};  ///< of `time`, where it was probed

  /// A message keeps its ports busy all its time, as in Hockney's model.
  static Link busy(const Hockney& link) { return {.time = line(link), .gap = line(link)}; }
  /// Latency keeps nothing busy.
  static Link swift(const Hockney& link) { return {.time = line(link), .gap = Curve::line(0, link.beta)}; }
  friend bool operator==(const Link&, const Link&) = default;

 private:
  static Curve line(const Hockney& link) { return Curve::line(link.alpha, link.beta); }
};

/// The straight line through a curve's first and last point; of a link, that of its `time`.
Hockney hockney_of(const Curve& curve);
inline Hockney hockney_of(const Link& link) {
  return hockney_of(link.time);
}

/// What happens to messages that want the same port at the same time.
enum class PortUse : std::uint8_t {
  in_turn,   ///< one after the other: one-port
  shared,    ///< side by side, each at its share of the rate
  multiport  ///< side by side, each at the full rate: multi-port
};

/// What a host's port carries at a time, in messages to or from several others at the rate of its
/// fastest link: more than one where a host has links in several directions, as in a torus.
struct PortWidth {
  double out = 1, in = 1;  ///< where the host does nothing else
  double busy = 1;  ///< either way where it sends and receives at once, as the hosts around it may: their
                    ///< messages pass its links, too
  double widest() const { return std::max({out, in, busy}); }
  friend bool operator==(const PortWidth&, const PortWidth&) = default;
};

/// What it costs to combine two operands.
struct Combination {
  std::string operation, type;  ///< MPI's names
  double seconds_per_byte;
  friend bool operator==(const Combination&, const Combination&) = default;
};

/// How the bandwidth from one site to another grows with the pairs of hosts that send at the same
/// time.
struct Trunk {
  struct Point {
    int pairs;
    double bytes_per_second;  ///< of all of them together
    friend bool operator==(const Point&, const Point&) = default;
  };
  Rank from, to;                ///< one rank of either site
  double seconds_per_byte = 0;  ///< of all pairs together, where they have to share; 0: they have not
  std::vector<Point> growth = {};
  friend bool operator==(const Trunk&, const Trunk&) = default;
};

/// A model of the network under a communicator: links between ranks, and what their ports can do.
/// Ranks of one host share its port to other hosts; among themselves each has its own.
struct Network {
  /// Ranks whose messages share ways: of a socket, at a leaf switch, of a group of a dragonfly, of
  /// a site. Its parts are groups, and hosts that are in none of these. What a way lets through is
  /// in seconds a byte of all its messages together; 0: whatever comes.
  struct Group {
    static constexpr int none = -1;
    std::string name = {};              ///< for people
    int within = none;                  ///< the number of the group that it is part of
    double out = 0;                     ///< all that leaves it
    double in = 0;                      ///< all that enters it
    double between = 0;                 ///< all that goes from one of its parts to one other
    std::optional<HostPart> part = {};  ///< what part of a host it is, if that is known
    friend bool operator==(const Group&, const Group&) = default;

    bool has_narrow_ways() const { return out > 0 || in > 0 || between > 0; }
  };

  std::vector<Link> links;
  std::vector<int> link_of;  ///< by from · ranks + to: the number of the link; empty: links[0] for all but
  int link_on_host = 0;      ///< ranks of one host, which then have this link
  int ranks = 0;             ///< that `link_of` knows
  Hosts hosts;               ///< by rank; empty: every rank on a host of its own
  std::vector<std::string> host_names = {};  ///< by host, where they were told; then `hosts` are, too
  std::vector<Group> groups = {};            ///< a tree, or several
  std::vector<int> group_of = {};  ///< by rank: the innermost group that it is in; empty: there are none
  PortUse ports = PortUse::in_turn;
  bool half_duplex = false;               ///< a port either sends or receives
  PortWidth width = {};                   ///< of hosts' ports; what is between two hosts has one link
  double eager = 0;                       ///< bytes up to which messages leave before their receiver is ready
  bool plans_wait = false;                ///< plans' messages never do: simulations send synchronously
  double gamma = 0;                       ///< seconds to combine a byte with another
  std::vector<Combination> combinations;  ///< gamma by operation and type
  std::vector<Trunk> trunks;              ///< where sites were found to share one
  std::optional<Torus> torus = {};        ///< in which the hosts are, where its links are what messages share
  std::optional<Link> memory;             ///< through memory that ranks of one host share
  std::vector<Link> memory_apart = {};    ///< where these are 1, 2, … levels of groups apart, or more
  std::optional<Lmo> lmo;                 ///< where it was asked for
  std::optional<Escalations> gather;      ///< of a linear one, where it was probed and escalates
  std::optional<std::size_t> scatter_leap;  ///< bytes: S of a linear one, where it was probed and leaps

  /// How large the pieces of a split gather or scatter should be, in bytes: half of M1, or S; 0
  /// where nothing is known.
  std::size_t piece(Collective collective) const;

  /// Number of ranks of which it knows links, hosts, groups or places; 0: any number.
  std::size_t known_ranks() const {
    if (!link_of.empty()) return static_cast<std::size_t>(ranks);
    if (!hosts.empty()) return hosts.size();
    return group_of.empty() && torus ? torus->coordinates.size() : group_of.size();
  }

  /// Number of hosts of those ranks.
  int known_hosts() const { return hosts.empty() ? static_cast<int>(known_ranks()) : count(hosts); }

  /// Whether a plan's message leaves before its receiver is ready.
  bool leaves_at_once(double bytes) const { return !plans_wait && bytes <= eager; }

  /// All ranks alike, on classical one-port links.
  static Network uniform(const Hockney& link) { return {.links = {Link::busy(link)}, .gamma = link.gamma}; }

  int link_number(Rank from, Rank to) const {
    if (link_of.empty()) return host(from) == host(to) ? link_on_host : 0;
    return link_of[static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks) +
                   static_cast<std::size_t>(to)];
  }
  const Link& between(Rank from, Rank to) const {
    return links[static_cast<std::size_t>(link_number(from, to))];
  }
  /// The seconds that a message takes for its way beyond what its link says: where all pairs have
  /// one link that is of neighbours in a torus.
  double beyond_neighbors(Rank from, Rank to) const {
    if (!torus || !link_of.empty() || host(from) == host(to)) return 0;
    return torus->hop * (torus->distance(host(from), host(to)) - 1);
  }
  /// Whether a message goes through memory, which may where the two share a host.
  bool goes_through_memory(Rank from, Rank to, bool may_use_memory) const {
    return may_use_memory && memory && host(from) == host(to);
  }
  /// What a message costs, which may go through memory where the two share a host.
  const Link& for_message(Rank from, Rank to, bool may_use_memory) const {
    if (!goes_through_memory(from, to, may_use_memory)) return between(from, to);
    const std::size_t levels = memory_apart.empty() ? 0 : levels_apart(from, to);
    return levels == 0 ? *memory : memory_apart[std::min(levels, memory_apart.size()) - 1];
  }
  /// How many groups, within each other, one of two ranks is in and the other is not, at most.
  std::size_t levels_apart(Rank a, Rank b) const;
  int innermost_group(Rank rank) const {
    return group_of.empty() ? Group::none : group_of[static_cast<std::size_t>(rank)];
  }
  int host(Rank rank) const { return hosts.empty() ? rank : hosts[static_cast<std::size_t>(rank)]; }
  friend bool operator==(const Network&, const Network&) = default;
};

}  // namespace tutti::inline core
