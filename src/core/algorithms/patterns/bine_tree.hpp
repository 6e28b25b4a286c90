#pragma once

#include <vector>

#include "core/algorithms/patterns/halving.hpp"

namespace tutti::inline core {

/// An edge of a tree, and the members below it, the child among them.
struct TreeEdge {
  int parent, child;
  Stretch below;         ///< round a circle of all members: it may begin below 0
  bool is_after_parent;  ///< what is below, on the circle as the tree cuts it
};

/// The Bine tree of any number of members with member 0 as root, ⌈log2 p⌉ levels: the edges at
/// `member`, from the root down. Members stand around a circle. A node halves what is left to it,
/// and its child is its mirror image in the other half, so that edges are two thirds as long as
/// those of a binomial tree, and what is below an edge is consecutive. On powers of two children
/// are the partners of the Bine butterfly. Source: De Sensi and others, Bine Trees: Enhancing
/// Collective Operations by Optimizing Communication Locality, 2025, for powers of two.
std::vector<TreeEdge> bine_edges(int members, int member);

/// The first member of the circle as the tree cuts it, which is not above 0: members from there on,
/// p of them, are consecutive in every subtree.
int bine_first(int members);

}  // namespace tutti::inline core
