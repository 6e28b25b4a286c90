#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// How the ranks of a group lie on hosts: one a host, several on one, all on one.
enum class Place { spread, packed, within };

/// "spread" and so on, and back; throws std::invalid_argument at another name.
std::string_view name(Place place);
Place place_named(std::string_view name);

/// Groups that work beside each other, each on a collective of its own, and how they lie: what
/// makes the same operation take longer than by itself.
struct Situation {
  int groups = 1;  ///< at once
  int stride = 1;  ///< from one rank of a group to the next; 1: neighbours
  Place place = Place::spread;
  int sharing = 1;  ///< number of groups with ranks on the same host, at most: they share its port

  /// What functions are told apart by. How many groups share a port is a variable of theirs.
  struct Kind {
    bool beside = false, strided = false;
    Place place = Place::spread;
    friend auto operator<=>(const Kind&, const Kind&) = default;
  };
  Kind kind() const { return {groups > 1, stride > 1, place}; }
  friend bool operator==(const Situation&, const Situation&) = default;
};

/// "12 groups at once, every 8th rank, 1 rank a host".
std::string describe(const Situation& situation);
std::string describe(const Situation::Kind& kind);

/// The situation of groups of ranks on these hosts (empty: every rank on one of its own). There has
/// to be a group.
Situation situation_of(const std::vector<std::vector<Rank>>& groups, const Hosts& hosts);

}  // namespace tutti::inline core
