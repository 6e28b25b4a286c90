#pragma once

#include <string>

#include "base/json_fwd.hpp"
#include "tools/report/before_after.hpp"

namespace tutti::tools {

/// One line: how many kinds of calls surely, or perhaps, became slower or faster, and the worst.
std::string verdict_text(const BeforeAfter& comparison);

/// A comparison as data: kind, threshold, verdict, too_slow (a number of calls), both sides, and
/// calls. Times are in seconds; what is infinite is null.
Json to_json(const BeforeAfter& comparison);

/// A comparison's data as Markdown, for merge requests: the verdict, both sides, and a table of the
/// calls that changed.
std::string comparison_markdown(const Json& comparison);

/// A side's file, MPI, machine, and what else is known of it.
std::string side_text(const ComparedSide& side);

/// Calls with the plans that served them: "bcast on 4 ranks, 1 host, 8K (native, then ring)".
std::string named(const ComparedCalls& calls);

/// What differs between where both sides were measured: "mpi: Open MPI 4.1.4 / Open MPI 5.0.7".
std::vector<std::string> different_places(const BeforeAfter& comparison);

/// What a ratio is to people: "1.21 (1.10 .. 1.33)"; without bounds where nothing bounds it.
std::string change_text(const Interval& ratio);

}  // namespace tutti::tools
