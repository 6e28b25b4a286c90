#pragma once

#include <functional>

#include "support/report.hpp"

namespace CLI {
class App;
}

namespace tutti::apps {

/// The whole life of an MPI program: starts MPI, parses the command line, runs the body, prints its
/// report on rank 0, ends MPI. The exit status for `main`: 0, 1 for a wrong result on any rank, 2
/// for what can't be done.
int run(CLI::App& options, int argc, char** argv, const std::function<void(Report&)>& body);

}  // namespace tutti::apps
