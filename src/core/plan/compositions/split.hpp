#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tutti::inline core {

/// A plan's text with "split(auto)" replaced by pieces of `bytes` bytes; as it is if they are 0.
std::string with_pieces(std::string_view text, std::size_t bytes);

}  // namespace tutti::inline core
