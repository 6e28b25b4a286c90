#pragma once

#include <string>

#include "ode/options.hpp"
#include "support/prediction.hpp"
#include "support/report.hpp"

namespace tutti::apps {

struct Options {
  ChosenSystem system;
  int stages = 4, corrections = 2, steps = 100;
  double end = 0.5;
  std::string method = "pabm";
  SolverOptions solver;
  PredictionOptions prediction;
};

/// Does what the options ask for. Collective.
void solve(const Options& options, Report& report);

}  // namespace tutti::apps
