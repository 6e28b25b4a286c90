#pragma once

#include <string>

#include "run/calls/call_size.hpp"
#include "run/calls/routing.hpp"

namespace tutti::run {

/// Why the plan of a decision can't serve such a call; empty: it can. The same on all ranks.
std::string refusal_of(Called called, const Communicator& communicator, const Decision& decision,
                       const Call& call, const CallFacts& facts);

}  // namespace tutti::run
