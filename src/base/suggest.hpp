#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti::inline base {

/// The candidate nearest to what was written (by edit distance), or nothing if none is near.
std::string nearest(std::string_view written, const std::vector<std::string_view>& candidates);

/// " (did you mean 'ring'?)", or " (known: a, b, c)" where nothing is near.
std::string suggestion(std::string_view written, const std::vector<std::string_view>& candidates);

}  // namespace tutti::inline base
