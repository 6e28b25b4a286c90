#include "runtime/program_cache.hpp"

namespace tutti::runtime {

void ProgramCache::insert(const ProgramKey& key, Program program) {
  cache_totals.bytes += program.bytes();
  ++cache_totals.programs;
  programs_.emplace_front(key, std::move(program));
  index_.emplace(key, programs_.begin());
  // This communicator's own least recently used ones go; the one just made stays.
  while (cache_totals.bytes > cache_totals.limit && programs_.size() > 1) {
    drop_last();
    ++cache_totals.evicted;
  }
}

void ProgramCache::drop_last() {
  cache_totals.bytes -= programs_.back().second.bytes();
  --cache_totals.programs;
  index_.erase(programs_.back().first);
  programs_.pop_back();
}

ProgramCache::~ProgramCache() {
  while (!programs_.empty()) drop_last();
}

}  // namespace tutti::runtime
