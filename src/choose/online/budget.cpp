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

void ClassBudget::estimate(const Race& race, std::size_t leader, std::size_t usual) {
  if (leader != leader_) {
    before_leader_ += race.cost_beside(leader_) - leader_from_;
    leader_from_ = race.cost_beside(leader);
    leader_ = leader;
  }
  beside_best_ = std::max(0.0, before_leader_ + race.cost_beside(leader_) - leader_from_);
  beside_usual_ = race.net_cost_beside(usual);
}

void ClassBudget::begin_anew() {
  charged_ += beside_best_;
  beside_best_ = beside_usual_ = before_leader_ = leader_from_ = 0;
}

double ClassBudget::overdraft() const {
  return std::max(0.0, online::caution * (cost() + reserved_) - rules_.cost_share * seconds_);
}

double ClassBudget::worst_by_share(Confidence confidence) const {
  return (worst_share(confidence) * seconds_ + allowance_.beside_share) / online::caution - cost() -
         reserved_;
}

double ClassBudget::worst_by_run() const {
  return allowance_.unproven / online::caution - loss() - reserved_;
}

Excess ClassBudget::left(const BatchTime& usual, Confidence confidence) const {
  const double by_share = worst_by_share(confidence);
  const double worst = confidence == Confidence::none ? std::min(by_share, worst_by_run()) : by_share;
  if (confidence == Confidence::sure) return {worst, worst};
  const double at_first = std::max(rules_.stake_calls * usual.latest, allowance_.beside_share / 2);
  return {worst, at_first + rules_.stake_share * seconds_ - charged_ - beside_usual_};
}

double ClassBudget::calls_until(const Excess& experiment, const BatchTime& usual,
                                Confidence confidence) const {
  double calls = calls_for(experiment.worst - worst_by_share(confidence),
                           worst_share(confidence) / online::caution * usual.latest);
  if (confidence == Confidence::none)
    calls = std::max(calls, calls_for(experiment.worst - worst_by_run(),
                                      rules_.run_share / online::caution * usual.period));
  if (confidence == Confidence::sure) return calls;
  return std::max(calls, calls_for(experiment.expected - left(usual, confidence).expected,
                                   rules_.stake_share * usual.latest));
}

void Budget::count(ClassBudget& of, bool gains) {
  recount(overdraft_, of.counted_overdraft_, of.overdraft());
  recount(unproven_, of.counted_loss_, gains ? 0 : of.loss());
}

Allowance Budget::left(const ClassBudget& of, double now) const {
  const double beside_share = of.rules_.cost_s - (overdraft_ - of.counted_overdraft_);
  if (of.has_all_) return {beside_share};
  const double unproven = of.rules_.run_share * (now - began_at_) - (unproven_ - of.counted_loss_);
  return {std::min(beside_share, unproven), unproven};
}

}  // namespace tutti::inline choose
