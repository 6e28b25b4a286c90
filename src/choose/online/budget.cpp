#include "choose/online/budget.hpp"

#include <utility>

#include "choose/online/constants.hpp"

namespace tutti::inline choose {
namespace {

// Number of calls until what is lacking is there, if every call adds something.
double calls_for(double lacking, double a_call) {
  if (lacking <= 0) return 0;
  return a_call > 0 ? lacking / a_call : std::numeric_limits<double>::infinity();
}

// Adds to a sum by how much a part of it has changed.
void recount(std::atomic<double>& sum, double& counted, double now) {
  sum += now - std::exchange(counted, now);
}

}  // namespace

void ClassBudget::estimate(const Race& race, std::size_t leader, std::size_t presumed) {
  if (leader != lead_.arm) {
    const double cost_before = lead_.cost_before + race.cost_beside(lead_.arm) - lead_.cost_from;
    lead_ = {leader, cost_before, race.cost_beside(leader)};
  }
  estimate_ = {std::max(0.0, lead_.cost_before + race.cost_beside(lead_.arm) - lead_.cost_from),
               race.net_cost_beside(presumed)};
}

void ClassBudget::begin_anew() {
  charged_ += estimate_.beside_best;
  estimate_ = {};
  lead_ = {lead_.arm};
}

double ClassBudget::overdraft() const {
  return std::max(
      0.0, charged_ + online::caution * (estimate_.beside_best + reserved_) - rules_.cost_share * seconds_);
}

double ClassBudget::worst_by_share(Confidence confidence) const {
  return (worst_share(confidence) * seconds_ + allowance_.beside_share - charged_) / online::caution -
         estimate_.beside_best - reserved_;
}

double ClassBudget::worst_by_run() const {
  return (allowance_.unproven - charged_) / online::caution - std::max(0.0, estimate_.beside_presumed) -
         reserved_;
}

Excess ClassBudget::left(const BatchTime& incumbent, Confidence confidence) const {
  const double by_share = worst_by_share(confidence);
  const double worst = confidence == Confidence::none ? std::min(by_share, worst_by_run()) : by_share;
  if (confidence == Confidence::sure) return {worst, worst};
  const double at_first = std::max(rules_.stake_calls * incumbent.latest, allowance_.beside_share / 2);
  return {worst, at_first + rules_.stake_share * seconds_ - charged_ - estimate_.beside_presumed};
}

double ClassBudget::calls_until(const Excess& experiment, const BatchTime& incumbent,
                                Confidence confidence) const {
  double calls = calls_for(experiment.worst - worst_by_share(confidence),
                           worst_share(confidence) / online::caution * incumbent.latest);
  if (confidence == Confidence::none)
    calls = std::max(calls, calls_for(experiment.worst - worst_by_run(),
                                      rules_.run_share / online::caution * incumbent.period));
  if (confidence == Confidence::sure) return calls;
  return std::max(calls, calls_for(experiment.expected - left(incumbent, confidence).expected,
                                   rules_.stake_share * incumbent.latest));
}

void Budget::count(ClassBudget& of, bool gains) {
  recount(overdraft_, of.counted_.overdraft, of.overdraft());
  recount(unproven_, of.counted_.loss, gains ? 0 : of.loss());
}

Allowance Budget::left(const ClassBudget& of, double now) const {
  const double beside_share = of.rules_.cost_s - (overdraft_ - of.counted_.overdraft);
  if (of.has_all_) return {beside_share};
  const double unproven = of.rules_.run_share * (now - began_at_) - (unproven_ - of.counted_.loss);
  return {std::min(beside_share, unproven), unproven};
}

}  // namespace tutti::inline choose
