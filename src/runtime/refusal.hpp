#pragma once

#include <string>

#include "runtime/call_size.hpp"
#include "runtime/routing.hpp"

namespace tutti::runtime {

/// Why the plan of a decision can't serve such a call; empty: it can. The same on all ranks.
std::string refusal_of(Called called, const Communicator& communicator, const Decision& decision,
                       const Call& call, const CallFacts& facts);

}  // namespace tutti::runtime
