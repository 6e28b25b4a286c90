#include "runtime/statistics.hpp"

#include <fmt/format.h>

namespace tutti::runtime {

void Statistics::add(Collective collective, const Route& route) {
  route.for_each([&](const Decision& decision) {
    if (decision.use.calls > 0) totals_[{collective, decision.label}] += decision.use;
  });
}

std::string Statistics::report(std::size_t cached_programs, std::size_t cached_bytes, std::size_t evicted,
                               std::uint64_t staged_buffers, std::uint64_t staged_bytes) const {
  std::string text = fmt::format("tutti: collectives of rank 0\ntutti:   {:<25} {:<44}{:>12}{:>16}{:>14}\n",
                                 "operation", "plan", "calls", "bytes", "seconds");
  for (const auto& [what, use] : totals_)
    text += fmt::format("tutti:   {:<25} {:<44}{:>12}{:>16}{:>14.6f}\n", traits(what.first).mpi_name,
                        what.second, use.calls, use.bytes, use.seconds);
  if (totals_.empty()) text += "tutti:   none\n";
  if (staged_buffers > 0)
    text += fmt::format("tutti:   staged from a device: {} buffers, {} bytes both ways\n", staged_buffers,
                        staged_bytes);
  return text + fmt::format("tutti:   cached schedules: {} in {} bytes; evicted: {}\n", cached_programs,
                            cached_bytes, evicted);
}

}  // namespace tutti::runtime
