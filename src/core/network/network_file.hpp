#pragma once

#include <string>

#include "base/json_fwd.hpp"
#include "base/result.hpp"
#include "core/network/network.hpp"

namespace tutti::inline core {

/// A network from the text of its file (JSON), as `tutti probe` writes it; `source` names the file
/// in errors.
Result<Network> parse_network(const std::string& text, const std::string& source);

/// The same of JSON that is part of another file.
Result<Network> read_network(const Json& root, const std::string& source);

/// The text of its file.
std::string to_text(const Network& network);

}  // namespace tutti::inline core
