#include "tools/cli/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "choose/probing/probing.hpp"
#include "tools/cli/options.hpp"

namespace tutti::tools {

Network network_of(const std::string& file, WorkerClient& worker, double budget_s,
                   const std::function<double()>& clock, ProgressBar& bar) {
  if (!file.empty()) return read_network(file);
  constexpr double share = 0.1;
  constexpr int partners = 4;
  const ProbeHooks hooks{
      .progress = [&](double, const std::string& doing) { bar.show(0, "probing", ": " + doing); },
      .clock = clock};
  return value_or_fail(
      probe({.budget_s = share * budget_s, .largest = 1 << 20, .most_partners = partners, .overheads = false},
            worker, hooks));
}

void show(const TuningProgress& progress, ProgressBar& bar) {
  bar.show(progress.elapsed_s / progress.budget_s,
           fmt::format("point {} of {}{}", progress.points_done + 1, progress.points_known,
                       progress.again ? ", again" : ""),
           fmt::format(", at most {:.0f} s left: {}", std::max(0.0, progress.budget_s - progress.elapsed_s),
                       progress.doing));
}

}  // namespace tutti::tools
