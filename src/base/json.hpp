#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/json_fwd.hpp"

// Its functions are compiled once, in base/json.cpp, instead of wherever they are called.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace tutti::inline base {

/// The JSON of a text; throws Json::parse_error where it is none, Json::exception where it has
/// numbers that no double holds.
Json parse_json(std::string_view text);

bool is_json(std::string_view text);

/// JSON as text, on one line without an indent. Names of files may be no UTF-8, as JSON has to be:
/// bytes that are none become U+FFFD.
std::string json_text(const Json& json, int indent = -1);

}  // namespace tutti::inline base
