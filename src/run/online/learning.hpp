#pragma once

#include <string>

#include "choose/online/budget.hpp"
#include "run/calls/communicator.hpp"
#include "run/online/constants.hpp"
#include "run/online/knowledge_writer.hpp"

namespace tutti::run {

/// What all communicators of a process share in learning.
struct Learning {
  Learning(const std::string& folder, const Fingerprint& here, const Log& to, double now)
      : writer(folder, here, to), log(to), budget(now, online::expected_meeting_s) {}
  KnowledgeWriter writer;
  Log log;
  Budget budget;
};

}  // namespace tutti::run
