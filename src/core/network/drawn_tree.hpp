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
/// The groups of a network that have several hosts: a tree for each that is in no other.
std::vector<DrawnTree> drawn_groups(const Network& network);

/// A tree in words, a line for each box, or trees as a picture.
/// @{
std::string to_text(const DrawnTree& root);
std::string to_svg(const std::vector<DrawnTree>& roots);
/// @}

}  // namespace tutti::inline core
