#pragma once

#include <string>

#include "support/report.hpp"

namespace tutti::apps {

struct Options {
  int size = 256, iterations = 60;
  std::string variant = "pipelined", halo = "alltoallv";
  bool check = false;
};

/// Does what the options ask for. Collective.
void solve(const Options& options, Report& report);

}  // namespace tutti::apps
