#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tutti::tools {

/// A report's document as Markdown, for terminals and logs: the headlines, and for each campaign
/// its largest gains, violated guidelines, and how it came about.
std::string to_markdown(const nlohmann::ordered_json& document);

/// Every measured or priced point of a report's document as a line of comma-separated values, with
/// a heading.
std::string to_csv(const nlohmann::ordered_json& document);

}  // namespace tutti::tools
