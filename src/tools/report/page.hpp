#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tutti::tools {

/// A report's document as one HTML page that needs nothing else: no network, no other file.
std::string to_page(const nlohmann::ordered_json& document);

}  // namespace tutti::tools
