#pragma once

#include <string>

#include "choose/online/budget.hpp"
#include "run/calls/communicator.hpp"
#include "run/online/knowledge_writer.hpp"

namespace tutti::run {

// SimGrid's first collective on a communicator has all ranks meet all.
inline constexpr double expected_meeting_s = simulated ? 0.012 : 0.003;

/// What all communicators of a process share in learning.
struct Learning {
  Learning(const std::string& folder, const Fingerprint& here, const Log& to, double now)
      : writer(folder, here, to), log(to), budget(now, expected_meeting_s) {}
  KnowledgeWriter writer;
  Log log;
  Budget budget;
};

}  // namespace tutti::run
