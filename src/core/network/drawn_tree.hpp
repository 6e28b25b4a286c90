#pragma once

#include <string>
#include <vector>

#include "core/network/network.hpp"
#include "core/network/pool_tree.hpp"

namespace tutti::inline core {

/// A tree to look at: what a box says, and the boxes below it.
struct DrawnTree {
  std::string label;
  std::vector<DrawnTree> parts;
};

/// The pools of ranks that are near to each other.
DrawnTree drawn(const Pool& root);
/// The groups of a network that have several hosts, and parts of hosts: a tree for each that is in
/// no other. Of the hosts in a group that have the same parts, the first is drawn for all.
std::vector<DrawnTree> drawn_groups(const Network& network);

/// A tree in words, a line for each box, or trees as a picture.
/// @{
std::string to_text(const DrawnTree& root);
std::string to_svg(const std::vector<DrawnTree>& roots);
/// @}

}  // namespace tutti::inline core
