#pragma once

#include <string>

#include "support/prediction.hpp"
#include "support/report.hpp"

namespace tutti::apps {

struct Options {
  int size = 1000, iterations = 40;
  std::string variant = "rows";
  bool check = false;
  PredictionOptions prediction;
};

/// Does what the options ask for. Collective.
void solve(const Options& options, Report& report);

}  // namespace tutti::apps
