#pragma once

#include <functional>
#include <string>
#include <vector>

#include "choose/offline/host_shape.hpp"
#include "choose/offline/journal.hpp"
#include "choose/offline/tuner.hpp"
#include "tools/cli/progress_bar.hpp"
#include "tools/cli/worker_client.hpp"

namespace tutti::tools {

/// The network with the names of the worker's hosts, by which it serves other jobs on them.
Network with_host_names(Network network, WorkerClient& worker);

/// The network of `what`, a file or a table, between the worker's ranks: by the names of their
/// hosts, where it has any, else by their numbers. Fails where it does not know them.
Network on_hosts_of(Network network, const std::string& what, WorkerClient& worker);

/// The network that tuning goes by: of a file, or, where none is named, as far as a short probe
/// shows it, in a share of the budget.
Network network_of(const std::string& file, WorkerClient& worker, double budget_s,
                   const std::function<double()>& clock, ProgressBar& bar);

/// Measures on some ranks of the worker's.
SomeRanks on_ranks(std::vector<Rank> ranks, WorkerClient& worker);

/// The network, which may be of any number of ranks, with the hosts of those that a site has: so it
/// can be restricted to some of them.
Network with_hosts_of(Network network, const Site& site);

/// Tunes on what is measured there, and keeps each point in the journal, from which an interrupted
/// run of the same table goes on. Fails as tuning does; a journal without points is then removed.
Result<TuningResult> tune_on(const TuningRequest& request, Measurer& measurer, const Journal& journal,
                             const std::function<double()>& clock, ProgressBar& bar);

/// Tunes one shape of the worker's ranks after another, each with the journal of its own, on those
/// terms, that comes to `journals` and an equal share of the time that is left, and makes one table
/// of them. The ranks are there. Fails where no shape can be tuned; one of several that can't, or
/// was not begun before an interrupt, is left out, and its journal stays.
Result<TuningResult> tune_shapes(TuningRequest request, const std::vector<HostShape>& shapes,
                                 WorkerClient& worker, const std::string& table_path,
                                 const TuningTerms& terms, const std::function<double()>& clock,
                                 ProgressBar& bar, std::vector<Journal>& journals);

/// Shows where tuning stands.
void show(const TuningProgress& progress, ProgressBar& bar);

}  // namespace tutti::tools
