#pragma once

#include <span>
#include <string>
#include <vector>

#include "choose/evidence/imported.hpp"

namespace tutti::inline choose {

/// The lines above a section of OSU micro-benchmarks' output: the title of the operation's
/// benchmark, what measured, the plan, and the columns' names, those of `-f` included.
///
/// Source: OSU micro-benchmarks 7, c/util/osu_util_mpi.c (print_preamble, print_stats).
std::string osu_heading(Called called, const std::string& plan);

/// A line of such a section: mean, shortest and longest of the times that were taken, in seconds,
/// each that of the slowest rank.
std::string osu_row(Called called, std::size_t size, std::span<const double> seconds);

/// Reads what OSU micro-benchmarks print for collective operations: any number of them one after
/// another, with or without the columns of `-f`, and lines of launchers between them. Times are the
/// slowest rank's where there is a column for it ("Max Latency"), else those of the average rank;
/// of nonblocking operations those without computation ("Pure Comm."). A line "# Plan: ring" names
/// what ran instead of `where.plan`. Benchmarks of other things are left out, and named.
Result<Imported> parse_osu(const std::string& text, const ImportedFrom& where);

}  // namespace tutti::inline choose
