#pragma once

#include <string>

#include "base/json_fwd.hpp"

namespace tutti::tools {

/// A report's document as Markdown, for terminals and logs: the headlines, and for each campaign
/// its largest gains, violated guidelines, and how it came about.
std::string to_markdown(const Json& document);

/// Every measured or priced point of a report's document as a line of comma-separated values, with
/// a heading.
std::string to_csv(const Json& document);

}  // namespace tutti::tools
