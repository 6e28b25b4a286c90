#pragma once

#include <string>

#include "base/json_fwd.hpp"
#include "tools/report/before_after.hpp"

namespace tutti::tools {

/// What a report says, as data ("tutti-report-1"): the page draws it, and `--format json` prints
/// it. Points of curves are lists, [size, seconds, low, high, ratio to native, low, high,
/// repetitions, price in seconds or 0, remarks]. `date` and `version` are those of the report;
/// `comparison`, where there is one, is of two of its files.
Json report_document(const Findings& findings, const std::string& date, const std::string& version,
                     const std::optional<BeforeAfter>& comparison = {});

/// Who comes late to a program's calls, by operation, those first in which ranks wait longest for
/// them; "text" says it in words.
Json late_to_json(const Profile& profile);

}  // namespace tutti::tools
