#include "run/process/call_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "run/process/constants.hpp"

namespace tutti::run {

void Statistics::add(Called called, const Route& route) {
  route.for_each([&](const Decision& decision) {
    if (decision.use.calls > 0) totals_[{called, decision.label}] += decision.use;
  });
}

// A program may make any number of persistent requests: those of a class of which the same is known
// are one line, with the gain of one that has tried more than all before.
void Statistics::add(const ClassTuner& tuner) {
  tuner.for_each([&](const Decision& decision) {
    if (decision.use.calls > 0) totals_[{tuner.calls().called(), decision.label}] += decision.use;
  });
  auto report = tuner.report();
  if (!report) return;
  const auto same = std::ranges::find_if(tuners_, [&](const ClassTunerReport& one) {
    return one.calls.mode == Mode::persistent && one.calls == report->calls && one.plan == report->plan &&
           one.settled == report->settled && one.unstable == report->unstable;
  });
  if (same == tuners_.end()) {
    tuners_.push_back(std::move(*report));
  } else {
    if (report->experiments > same->experiments) same->gain = std::move(report->gain);
    same->experiments += report->experiments;
    same->cost_s += report->cost_s;
  }
}

// Lines of the class tuners, those with most experiments first; where there are many, only these.
std::string Statistics::report_class_tuners() const {
  if (tuners_.empty()) return "";
  std::vector<const ClassTunerReport*> sorted;
  double cost = 0;
  for (const ClassTunerReport& tuner : tuners_) {
    sorted.push_back(&tuner);
    cost += tuner.cost_s;
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](auto* a, auto* b) { return a->experiments > b->experiments; });
  std::string text = fmt::format(
      "tutti: learnt, {:.6f} s\ntutti:   {:<22}{:>7}{:>11}  {:<40}{:>12}{:>12}  {}\n", cost, "operation",
      "ranks", "bytes from", "plan", "experiments", "cost s", "time over native's, with 99 % bounds");
  std::size_t lines = 0;
  for (const ClassTunerReport* tuner : sorted) {
    if (lines++ == process::most_lines_of_tuners)
      return text + fmt::format("tutti:   and {} more\n", sorted.size() - process::most_lines_of_tuners);
    text +=
        fmt::format("tutti:   {:<22}{:>7}{:>11}  {:<40}{:>12.0f}{:>12.6f}  {}\n",
                    tuner->calls.called().name(), tuner->calls.placement.ranks, tuner->calls.size.smallest(),
                    tuner->plan + (tuner->unstable  ? " (unstable)"
                                   : tuner->settled ? ""
                                                    : " (so far)"),
                    tuner->experiments, tuner->cost_s, tuner->gain);
  }
  return text;
}

std::string Statistics::report(std::size_t cached_programs, std::size_t cached_bytes, std::size_t evicted,
                               const DeviceCounts& devices) const {
  std::size_t width = 25;
  for (const auto& [what, use] : totals_) width = std::max(width, what.first.mpi_name().size());
  std::string text = fmt::format("tutti: collectives of rank 0\ntutti:   {:<{}} {:<44}{:>12}{:>16}{:>14}\n",
                                 "operation", width, "plan", "calls", "bytes", "seconds");
  for (const auto& [what, use] : totals_)
    text += fmt::format("tutti:   {:<{}} {:<44}{:>12}{:>16}{:>14.6f}\n", what.first.mpi_name(), width,
                        what.second, use.calls, use.bytes, use.seconds);
  if (totals_.empty()) text += "tutti:   none\n";
  text += report_class_tuners();
  if (devices.staged > 0)
    text += fmt::format("tutti:   staged from a device: {} buffers, {} bytes both ways\n",
                        devices.staged.load(), devices.bytes.load());
  if (devices.handed > 0)
    text +=
        fmt::format("tutti:   handed to the MPI library on a device: {} buffers\n", devices.handed.load());
  return text + fmt::format("tutti:   cached schedules: {} in {} bytes; evicted: {}\n", cached_programs,
                            cached_bytes, evicted);
}

}  // namespace tutti::run
