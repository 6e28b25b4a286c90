#pragma once

#include <string>

#include "run/online/knowledge_writer.hpp"
#include "run/online/spending.hpp"

namespace tutti::run {

/// What all communicators of a process share in learning.
struct Learning {
  Learning(const std::string& folder, const Fingerprint& here, const Log& to, double now)
      : writer(folder, here, to), log(to), spending(now) {}
  KnowledgeWriter writer;
  Log log;
  Spending spending;
};

}  // namespace tutti::run
