#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/report/campaign.hpp"

namespace tutti::tools {

/// Ratio of times, after over before, up to which calls are alike where nothing else is said.
inline constexpr double accepted_ratio = 1.05;

/// What became of calls. It is sure where the intervals of both sides do not meet; what else
/// differs by more than the threshold may have done so by chance.
enum class Change { surely_slower, perhaps_slower, alike, perhaps_faster, surely_faster };

/// "surely slower" and so on.
std::string_view name(Change change);

/// Calls that both sides know, and what one takes, in seconds. Of measurements the interval is the
/// median with its 95 % bounds. Of profiles it reaches from the shortest call to the average one
/// of the rank that spent most; nothing bounds the times of functions that are only counted.
struct ComparedCalls {
  std::string calls;                    ///< "allreduce on 4 ranks, 1 host, 8K"
  std::string before_plan, after_plan;  ///< what ran; empty for functions that no plan serves
  Interval before, after;
  Interval ratio;  ///< after / before; infinite where nothing bounds it
  /// What the change makes of the run before, as a share of it, for as many calls as there were
  /// then; positive where the run takes longer. Nothing where the files know of no run.
  std::optional<double> of_run = {};
  Change change = Change::alike;
};

/// One side of a comparison.
struct ComparedSide {
  std::string file;
  Fingerprint fingerprint;
  std::string about = {};               ///< "4 ranks on 1 host, 2026-03-01"; empty: the file does not say
  std::optional<double> run_s = {};     ///< of a profile
  std::vector<std::string> alone = {};  ///< calls that the other side does not know
};

/// Two files of a kind, compared.
struct BeforeAfter {
  std::string kind;  ///< "profile", "table", "knowledge", "measurements"
  double threshold;  ///< ratio from which a difference counts
  ComparedSide before, after;
  std::vector<ComparedCalls> calls;  ///< sure changes first, by what they matter

  /// Calls that surely take longer than the threshold allows.
  std::vector<const ComparedCalls*> too_slow() const;
};

/// Compares two files of profiles, tables, knowledge or measurements. Of tables native calls are
/// compared with native ones, and what was chosen with what was chosen; of knowledge and
/// measurements each plan with itself. Errors, each with the files' names: a file that can't be
/// read or is none of these, two different kinds, and files that know no calls in common.
Result<BeforeAfter> compare(const std::string& before, const std::string& after, double threshold);

}  // namespace tutti::tools
