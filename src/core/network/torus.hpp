#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tutti::inline core {

/// Hosts as places of a torus, and its links: every place has one to either neighbour in each
/// dimension, and messages go along the dimensions one after the other, in each the shorter way
/// round; of two that are as long the one on which coordinates grow. So messages meet on links
/// between hosts that neither send nor receive them.
struct Torus {
  std::vector<int> sides = {};  ///< by dimension, in the order in which messages go along them
  std::vector<std::vector<int>> coordinates = {};  ///< by host, in each dimension; places may lack a host
  double seconds_per_byte = 0;                     ///< of all that goes over a link, one way
  /// Seconds that a further link of its way takes a message, where links of pairs do not tell it.
  double hop = 0;
  friend bool operator==(const Torus&, const Torus&) = default;

  /// Links are numbered; each is one way.
  struct Step {
    std::vector<int> from, to;  ///< coordinates
  };
  /// The numbers of the links from one host to another, in the order in which a message takes them.
  std::vector<int> route(int from, int to) const;
  /// How many links there are from one host to another.
  int distance(int from, int to) const;
  /// The places between which a link is.
  Step step(int link) const;
  /// Places, whether a host is there or not.
  std::size_t places() const;
};

/// Links from one coordinate to another in a dimension of that side, the shorter way round.
int steps_apart(int from, int to, int side);

/// The torus of some of its hosts.
Torus with_hosts(const Torus& torus, const std::vector<int>& hosts);

/// What is wrong with a torus of so many hosts, if anything.
std::optional<std::string> contradiction_of_torus(const Torus& torus, int hosts);

/// "4x4x6".
std::string text_of_sides(const std::vector<int>& sides);

}  // namespace tutti::inline core
