#pragma once

#include <string>
#include <vector>

#include "choose/evidence/measurement.hpp"

namespace tutti::inline choose {

/// What the output of another benchmark does not say of itself.
struct ImportedFrom {
  std::string source;           ///< the file, which errors name
  int ranks = 0, hosts = 0;     ///< 0: not told
  std::string plan = "native";  ///< what ran
  std::string operation = {};   ///< as Tutti calls it; empty: not told
};

/// What other benchmarks measured. Ratios to native are not known yet.
struct Imported {
  std::vector<Measurement> measurements = {};
  std::vector<std::string> left_out = {};  ///< what, and why; a line each

  void add(Imported&& others);
};

/// A measurement that has no ratio to native yet.
Measurement imported(Called called, int ranks, int hosts, std::size_t size, std::string plan,
                     Interval seconds, double mean, int repetitions);

/// Gives each measurement its ratio to native at its point: of the intervals' ends, since they were
/// not measured in turn. Where native itself was not measured they are left out. Where either has
/// no interval nothing may be concluded: they are marked as unstable.
void compare_with_native(Imported& all);

}  // namespace tutti::inline choose
