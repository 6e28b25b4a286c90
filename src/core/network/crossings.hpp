#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/network/network.hpp"
#include "core/network/ports.hpp"

namespace tutti::inline core {

/// The ways of a network's groups that messages cross, numbered as ports: out of every group that a
/// message leaves, from one part to another of the group in which both ends are, and into every
/// group that it enters. Where two parts were found to share a trunk, that is the way between them.
/// In a torus every link on a message's way is one.
class Crossings {
 public:
  /// Takes numbers from `next_port` on, whenever a way is crossed for the first time. `network` has
  /// to stay as long.
  Crossings(const Network& network, int& next_port);

  /// The ways from one rank to another, for whom `representative` stands (Symmetry): where it is
  /// entered.
  std::span<const Gate> between(Rank from, Rank to, Rank representative);

  /// What people call a way, by its number.
  std::string name(int port) const;

 private:
  static constexpr int any = -1, none = -1;
  // Parts, `any` being all others; or a link of the torus, and nothing else.
  struct Way {
    int from, to;
    int link = none;
    auto operator<=>(const Way&) const = default;
  };
  std::vector<Gate> gates(Rank from, Rank to, Rank representative);
  void add_gates_of_groups(Rank from, Rank to, Rank representative, std::vector<Gate>& gates);
  int leaf(Rank rank) const;
  std::string name_of_part(int part) const;
  int number(const Way& way);

  const Network& network_;
  int& next_port_;
  std::vector<std::vector<int>> around_;                   // by rank: its groups, the innermost first
  std::map<std::pair<int, int>, double> trunks_;           // seconds a byte, by parts
  bool hosts_have_trunks_ = false;                         // that are in no group of their own
  std::map<Way, int> numbers_;                             // ports
  std::map<std::array<int, 3>, std::vector<Gate>> known_;  // by the leaves of the three ranks
};

}  // namespace tutti::inline core
