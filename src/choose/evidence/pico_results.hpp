#pragma once

#include <string>

#include "choose/evidence/imported.hpp"

namespace tutti::inline choose {

/// Whether a text is one of PICO's result files: the summary of a folder of results, or the times
/// of one run.
bool is_pico(const std::string& text);

/// Reads PICO's result files. A summary ("aggregated_results_summary.csv") says everything itself.
/// The times of one run ("512_swing_static_over_int32.csv") say nothing but in the file's name:
/// number of elements, algorithm and type; the rest is told by `where`, and the first fifth of the
/// repetitions is left out, as PICO's summaries do. Times are the slowest rank's. The library's own
/// choice, "default_…" there, is native; other algorithms keep their names.
///
/// Source: PICO (github.com/HLC-Lab/pico), bench/bench_utils.c and plot/summarize_data.py.
Result<Imported> parse_pico(const std::string& text, const ImportedFrom& where);

}  // namespace tutti::inline choose
