#pragma once

#include <functional>
#include <string>

#include "choose/offline/tuner.hpp"
#include "tools/cli/progress_bar.hpp"
#include "tools/cli/worker_client.hpp"

namespace tutti::tools {

/// The network that tuning goes by: of a file, or, where none is named, as far as a short probe
/// shows it, in a share of the budget.
Network network_of(const std::string& file, WorkerClient& worker, double budget_s,
                   const std::function<double()>& clock, ProgressBar& bar);

/// Shows where tuning stands.
void show(const TuningProgress& progress, ProgressBar& bar);

}  // namespace tutti::tools
