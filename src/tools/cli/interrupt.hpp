#pragma once

#include <functional>

namespace tutti::tools {

/// From now on Ctrl-C does not end the command at once: the first is only seen by `interrupted`, a
/// second one ends it.
void end_gently();

/// Whether there was a Ctrl-C since.
bool interrupted();

/// A stopwatch for budgets: after a Ctrl-C all time is over.
std::function<double()> budget_clock();

}  // namespace tutti::tools
