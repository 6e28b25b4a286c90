#pragma once

#include <nlohmann/json_fwd.hpp>

#include "choose/evidence/fingerprint.hpp"

namespace tutti::inline choose {

/// A fingerprint as an object of a file, fields that are not known left out, and back. Fields but
/// `mpi` and `machine` may be missing, as in files of older versions.
/// @{
nlohmann::ordered_json to_json(const Fingerprint& fingerprint);
Fingerprint fingerprint_from_json(const nlohmann::json& value);
/// @}

}  // namespace tutti::inline choose
