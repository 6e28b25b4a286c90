#pragma once

#include "tuning/fingerprint.hpp"

namespace tutti::runtime {

/// The MPI library and machine this process runs on.
Fingerprint fingerprint_here();

}  // namespace tutti::runtime
