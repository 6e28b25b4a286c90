#include "run/execution/program_cache.hpp"

namespace tutti::run {

std::size_t ProgramCache::Entry::bytes() const {
  std::size_t total = sizeof *this + program->bytes() + layout.scratch.capacity() * sizeof(std::size_t);
  for (const Blocks* blocks : {&layout.input, &layout.output})
    total +=
        blocks->begin.capacity() * sizeof(std::ptrdiff_t) + blocks->units.capacity() * sizeof(std::size_t);
  return total;
}

void ProgramCache::insert(Entry entry) {
  cache_totals.bytes += entry.bytes();
  ++cache_totals.programs;
  entries_.push_front(std::move(entry));
  index_.emplace(entries_.front().key, entries_.begin());
  // This communicator's own least recently used ones go; the one just made stays.
  while (cache_totals.bytes > cache_totals.limit && entries_.size() > 1) {
    drop(std::prev(entries_.end()));
    ++cache_totals.evicted;
  }
}

void ProgramCache::drop(Entries::iterator entry) {
  cache_totals.bytes -= entry->bytes();
  --cache_totals.programs;
  ++era_;
  index_.erase(entry->key);
  if (last_ == entry->program.get()) last_key_ = {};
  entries_.erase(entry);
}

void ProgramCache::clear() {
  while (!entries_.empty()) drop(entries_.begin());
}

}  // namespace tutti::run
