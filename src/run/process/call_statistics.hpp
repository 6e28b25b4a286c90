#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "run/calls/routing.hpp"
#include "run/execution/device_staging.hpp"
#include "run/online/learner.hpp"

namespace tutti::run {

/// What this rank ran, by operation and plan, over communicators that are gone.
class Statistics {
 public:
  void add(Called called, const Route& route);
  void add(Called called, const std::string& label, const Use& use) { totals_[{called, label}] += use; }
  void add(const ClassTuner& tuner);

  /// Calls visit(called, label, use) for each operation and plan.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const auto& [what, use] : totals_) visit(what.first, what.second, use);
  }

  /// Report as printed at the end: a line for each operation and plan, one for each class of calls
  /// of which something was learnt, what was on devices, if anything was, and the schedule
  /// cache as it was.
  std::string report(std::size_t cached_programs, std::size_t cached_bytes, std::size_t evicted,
                     const DeviceCounts& devices) const;

 private:
  std::string report_class_tuners() const;

  std::map<std::pair<Called, std::string>, Use> totals_;
  std::vector<ClassTunerReport> tuners_;
};

}  // namespace tutti::run
