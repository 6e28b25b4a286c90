#include "core/plan/phase_plans.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tutti::inline core {
namespace {

// What is left open is the MPI library's own, which needs the counts of a phase; of most irregular
// collectives ranks know them only block by block, when they get them.
bool has_unknown_counts(Collective whole) {
  return is_irregular(whole) && traits(whole).size_means == SizeMeans::nothing;
}

Plan open_phase(Collective whole, Collective phase) {
  return has_unknown_counts(whole) ? Plan::of(phase, "linear") : Plan::native(phase);
}

}  // namespace

PhasePlans::PhasePlans(Collective whole, const std::vector<Plan>& plans)
    : whole_(whole), find_([plans](std::size_t place, Collective) { return plans[place]; }) {
  for (const Plan& plan : plans) written_.push_back(plan.text());
}

Result<Plan> PhasePlans::plan(std::size_t place, Collective collective) const {
  if (written_.empty()) return open_phase(whole_, collective);
  auto found = find_(written_.size() == 1 ? 0 : place, collective);
  if (found && !found->library_algorithm().empty() && has_unknown_counts(whole_))
    return failure(fmt::format("{} as a phase needs counts that ranks in a {} do not know beforehand",
                               found->text(), name(whole_)));
  return found && found->is_native() ? open_phase(whole_, collective) : found;
}

Result<std::vector<Plan>> PhasePlans::plans(const std::vector<Collective>& phases) const {
  std::vector<Plan> all;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    auto found = plan(i, phases[i]);
    if (!found) return tl::unexpected(found.error());
    all.push_back(std::move(*found));
  }
  return all;
}

PhasePlans PhasePlans::without_last(Collective whole) const {
  PhasePlans others = *this;
  others.whole_ = whole;
  if (others.written_.size() > 1) others.written_.pop_back();
  return others;
}

std::string PhasePlans::text(bool in_parentheses) const {
  if (written_.empty() || (written_.size() == 1 && written_.front() == "native")) return "";
  const std::string inner = fmt::format("{}", fmt::join(written_, ","));
  return in_parentheses ? "(" + inner + ")" : "[" + inner + "]";
}

}  // namespace tutti::inline core
