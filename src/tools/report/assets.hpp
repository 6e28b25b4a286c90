#pragma once

#include <string_view>

namespace tutti::tools::assets {

/// What the page is made of, put into the program when it is built: its style, its script, and the
/// chart library.
extern const std::string_view style, script, charts;

}  // namespace tutti::tools::assets
