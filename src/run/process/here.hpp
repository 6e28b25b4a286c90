#pragma once

#include "choose/evidence/fingerprint.hpp"

namespace tutti::run {

/// The MPI library and machine this process runs on.
Fingerprint fingerprint_here();

}  // namespace tutti::run
