#include "core/algorithms/patterns/bine_tree.hpp"

#include <algorithm>

#include "core/algorithms/patterns/team.hpp"

namespace tutti::inline core {

// The other halves lie to the right and to the left in turn, so that the root stays a third of the
// way into what it has.
int bine_first(int members) {
  int first = 0;
  for (; members > 1; members = (members + 1) / 2)
    if (ceil_log2(members) % 2 == 0) first -= members / 2;
  return first;
}

std::vector<TreeEdge> bine_edges(int members, int member) {
  std::vector<TreeEdge> edges;
  Stretch mine{bine_first(members), members};
  int root = 0;
  if (member >= mine.first + members) member -= members;
  const auto around = [members](int place) { return place < 0 ? place + members : place; };
  while (mine.count > 1) {
    const int half = (mine.count + 1) / 2;  // the root's
    const bool is_left = root - mine.first < half;
    const Stretch left{mine.first, is_left ? half : mine.count - half};
    const int middle = left.first + left.count;
    const Stretch right{middle, mine.count - left.count};
    const Stretch other = is_left ? right : left;
    const int mirrored = 2 * middle - 1 - root;
    const int child = std::clamp(mirrored, other.first, other.first + other.count - 1);
    if (member == root || member == child) edges.push_back({around(root), around(child), other, is_left});
    const bool is_below = member >= other.first && member < other.first + other.count;
    if (is_below) root = child;
    mine = is_below ? other : is_left ? left : right;
  }
  return edges;
}

}  // namespace tutti::inline core
