#pragma once

#include <string>

#include "ode/options.hpp"
#include "support/report.hpp"

namespace tutti::apps {

struct Options {
  ChosenSystem system;
  int iterations = 0;
  std::string method = "radau";
  Integration integration;
  SolverOptions solver{.variant = "orthogonal-task-parallel"};
};

/// Does what the options ask for. Collective.
void solve(const Options& options, Report& report);

}  // namespace tutti::apps
