#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/report/campaign.hpp"

namespace tutti::tools {

/// What a report says, as data ("tutti-report-1"): the page draws it, and `--format json` prints
/// it. Points of curves are lists, [size, seconds, low, high, ratio to native, low, high,
/// repetitions, price in seconds or 0, remarks]. `date` and `version` are those of the report.
nlohmann::ordered_json report_document(const Findings& findings, const std::string& date,
                                       const std::string& version);

}  // namespace tutti::tools
