#pragma once

#include "runtime/call.hpp"
#include "runtime/communicator.hpp"

namespace tutti::runtime {

/// The size that decides about a call, in bytes (CollectiveTraits::size_means): the same on all ranks. 0
/// where there is none. −1 for arguments that MPI will have something to say about.
std::ptrdiff_t size_of(Collective collective, const Communicator& communicator, const Call& call);

/// Whether the operation of a reduction commutes.
bool commutes(const Call& call);

}  // namespace tutti::runtime
