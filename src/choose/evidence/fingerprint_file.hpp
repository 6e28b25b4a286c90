#pragma once

#include "base/json_fwd.hpp"
#include "choose/evidence/fingerprint.hpp"

namespace tutti::inline choose {

/// A fingerprint as an object of a file, fields that are not known left out, and back. Fields but
/// `mpi` and `machine` may be missing, as in files of older versions.
/// @{
Json to_json(const Fingerprint& fingerprint);
Fingerprint fingerprint_from_json(const Json& value);
/// @}

}  // namespace tutti::inline choose
