#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/cli/options.hpp"
#include "tools/cli/worker_client.hpp"

namespace tutti::tools {

/// What `tutti tune --validate` is asked for.
struct ValidationRequest {
  std::string table;               ///< its file
  OutputOption output;             ///< of what is repaired; empty: the table's file
  std::vector<Called> operations;  ///< just these; none: all that the table decides
  std::optional<double> budget_s;  ///< of a whole tuning; nothing: what the table took
  std::string network;             ///< its file; empty: the table's own, or a short probe
  int stencil = default_stencil;
  bool exhaustive = false, fixed_order = false;
  bool repair = false;
  bool json = false;
};

/// Measures again what a table decided, says what has drifted, and tunes just that anew where
/// that is asked for. Ends with exit status 3 where something has drifted and is not repaired.
void validate(const ValidationRequest& request, WorkerClient worker);

}  // namespace tutti::tools
