#pragma once

#include "choose/evidence/fingerprint.hpp"

namespace tutti::run {

/// Where this process runs. MPI has begun.
Fingerprint fingerprint_here();

}  // namespace tutti::run
