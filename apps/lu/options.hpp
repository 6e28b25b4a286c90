#pragma once

#include <string>

#include "support/report.hpp"

namespace tutti::apps {

struct Options {
  int size = 400, columns = 0;
  std::string variant = "orthogonal";
  bool check = false;
};

/// Does what the options ask for. Collective.
void decompose(const Options& options, Report& report);

}  // namespace tutti::apps
