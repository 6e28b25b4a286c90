#pragma once

#include <string>

#include "base/json_fwd.hpp"

namespace tutti::tools {

/// A report's document as one HTML page that needs nothing else: no network, no other file.
std::string to_page(const Json& document);

}  // namespace tutti::tools
