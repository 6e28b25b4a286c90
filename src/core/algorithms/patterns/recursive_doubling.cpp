#include "core/algorithms/patterns/recursive_doubling.hpp"

#include <algorithm>

namespace tutti::inline core {

void recursive_doubling_allgather(Builder& b, const Team& team) {
  const int p = team.size;
  const int me = team.member(b.rank());
  const auto blocks_of_group = [p](int first, int size) { return output(first, std::min(size, p - first)); };

  for (int size = 1; size < p; size *= 2) {
    const int group = me / size * size;
    const int other = group ^ size;
    if (other >= p) continue;  // no neighbouring group at all
    const BlockRange theirs = blocks_of_group(other, size);
    const int partner = me ^ size;
    b.next_round();
    if (partner < p) {
      b.recv(team.rank(partner), theirs);
      b.send(team.rank(partner), blocks_of_group(group, size));
    }
    if (theirs.count == size) continue;
    // Only the first `have` members of this group had a partner: they pass on what they got. The
    // gap halves, and with it the part of the group in which the same holds again.
    int have = theirs.count;
    for (int gap = size / 2; gap >= 1; gap /= 2) {
      const int place = (me - group) % (2 * gap);
      if (place < gap ? place < have && place + gap >= have : place >= have && place - gap < have) {
        b.next_round();
        if (place < gap)
          b.send(team.rank(me + gap), theirs);
        else
          b.recv(team.rank(me - gap), theirs);
      }
      have = std::min(have, gap);
    }
  }
}

}  // namespace tutti::inline core
