#include "choose/offline/guidelines.hpp"

#include <algorithm>

#include "choose/offline/constants.hpp"
#include "core/plan/compose.hpp"

namespace tutti::inline choose {
namespace {

// Whether a plan is a way by other collectives, all of them the library's own.
bool is_mock_up(const Measurement& m) {
  const auto plan = make_plan(m.collective, m.plan);
  if (!plan || !plan->composition() || !plan->composition()->kind().is_guideline) return false;
  const auto& phases = plan->composition()->plans();
  return std::all_of(phases.begin(), phases.end(), [](const Plan& phase) { return phase.is_native(); });
}

}  // namespace

std::vector<ViolatedGuideline> violated_guidelines(const Table& table) {
  std::vector<ViolatedGuideline> violated;
  for (const Measurement& mended : table.measurements) {
    if (mended.mode != Mode::blocking) continue;
    if (mended.ratio_to_native.high >= offline::worth_reporting || !is_mock_up(mended)) continue;
    const auto native =
        std::find_if(table.measurements.begin(), table.measurements.end(), [&](const auto& m) {
          return m.plan == "native" && m.called() == mended.called() && m.ranks == mended.ranks &&
                 m.hosts == mended.hosts && m.size == mended.size;
        });
    // On a machine that was busy elsewhere the ratios of pairs and the ratio of medians may
    // disagree.
    if (native != table.measurements.end() && mended.seconds.middle < native->seconds.middle)
      violated.push_back({*native, mended});
  }
  return violated;
}

}  // namespace tutti::inline choose
