#pragma once

#include <string>

#include "base/result.hpp"
#include "core/network/network.hpp"

namespace tutti::inline core {

/// A network from the text of its file (JSON), as `tutti probe` writes it; `source` names the file
/// in errors.
Result<Network> parse_network(const std::string& text, const std::string& source);

/// The text of its file.
std::string to_text(const Network& network);

}  // namespace tutti::inline core
