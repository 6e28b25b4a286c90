#pragma once

#include <string>

#include "support/report.hpp"

namespace tutti::apps {

struct Options {
  int side = 512, frames = 100;
  std::string variant = "hmpi";
  bool check = false;
};

/// Does what the options ask for. Collective.
void stream(const Options& options, Report& report);

}  // namespace tutti::apps
