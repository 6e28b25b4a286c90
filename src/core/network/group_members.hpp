#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "core/network/network.hpp"

namespace tutti::inline core {

/// Who is in a group, or in one within it, and how many groups are around it.
struct GroupMembers {
  std::vector<Rank> ranks;  ///< ascending
  std::set<int> hosts;
  std::size_t depth = 0;
};

/// The members of all groups that have any, by the groups' numbers.
std::map<int, GroupMembers> members_of_groups(const Network& network);

/// The numbers of the groups that have some ranks of one host, and not all that it has.
std::set<int> parts_of_hosts(const Network& network);

}  // namespace tutti::inline core
