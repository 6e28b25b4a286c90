#pragma once

#include <nlohmann/json_fwd.hpp>

namespace tutti::inline base {

/// JSON in files, messages and pages. Members of objects stay in the order in which they are
/// written.
using Json = nlohmann::ordered_json;

}  // namespace tutti::inline base
