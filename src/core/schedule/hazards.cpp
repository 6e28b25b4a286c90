#include "core/schedule/hazards.hpp"

#include <iterator>

namespace tutti::inline core {

// Makes `at` the start of a segment if it lies inside one.
void HazardTracker::split(Space& space, int at) {
  auto next = space.upper_bound(at);
  if (next == space.begin()) return;
  auto current = std::prev(next);
  if (current->first == at || current->second.end <= at) return;
  Segment tail = current->second;
  current->second.end = at;
  space.emplace_hint(next, at, tail);
}

// Makes [first, end) consist of whole segments, adding untouched ones in the gaps.
void HazardTracker::cover(Space& space, int first, int end) {
  split(space, first);
  split(space, end);
  int at = first;
  for (auto it = space.lower_bound(first); at < end; ++it) {
    const int stop = it == space.end() || it->first > end ? end : it->first;
    if (at < stop) it = space.emplace_hint(it, at, Segment{stop});
    at = it->second.end;
  }
}

void HazardTracker::read(OperationId operation, const BlockRange& range, std::vector<OperationId>& after) {
  Space& blocks = space(range.buffer);
  cover(blocks, range.first, range.first + range.count);
  for (auto it = blocks.find(range.first); it != blocks.end() && it->first < range.first + range.count;
       ++it) {
    if (it->second.writer != nobody) after.push_back(it->second.writer);
    readers_.push_back({operation, it->second.readers});
    it->second.readers = static_cast<int>(readers_.size()) - 1;
  }
}

void HazardTracker::write(OperationId operation, const BlockRange& range, std::vector<OperationId>& after) {
  Space& blocks = space(range.buffer);
  const int end = range.first + range.count;
  cover(blocks, range.first, end);
  const auto begin = blocks.find(range.first);
  auto it = begin;
  for (; it != blocks.end() && it->first < end; ++it) {
    const Segment& segment = it->second;
    if (segment.writer != nobody && segment.readers == nobody) after.push_back(segment.writer);
    for (int reader = segment.readers; reader != nobody;) {
      const Reader& one = readers_[static_cast<std::size_t>(reader)];
      after.push_back(one.operation);
      reader = one.earlier;
    }
  }
  begin->second = Segment{end, operation};
  blocks.erase(std::next(begin), it);
}

}  // namespace tutti::inline core
