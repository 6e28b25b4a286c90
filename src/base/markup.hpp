#pragma once

#include <string>

namespace tutti::inline base {

/// A text as HTML and XML have it, in elements and in quoted attributes.
std::string escaped(const std::string& plain);

}  // namespace tutti::inline base
