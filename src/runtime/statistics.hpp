#pragma once

#include <map>
#include <string>
#include <utility>

#include "runtime/routing.hpp"

namespace tutti::runtime {

/// What this rank ran, by operation and plan, over communicators that are gone.
class Statistics {
 public:
  void add(Collective collective, const Route& route);

  /// As printed at the end: a line for each operation and plan, then the schedule cache as it was.
  /// And what was staged from devices, if anything was.
  std::string report(std::size_t cached_programs, std::size_t cached_bytes, std::size_t evicted,
                     std::uint64_t staged_buffers, std::uint64_t staged_bytes) const;

 private:
  std::map<std::pair<Collective, std::string>, Use> totals_;
};

}  // namespace tutti::runtime
