#include "choose/online/budget.hpp"

#include <algorithm>
#include <limits>

namespace tutti::inline choose {
namespace {

constexpr double caution = 1.6;  // costs are estimates

// Number of calls until what is lacking is there, if every call adds something.
double calls_for(double lacking, double a_call) {
  if (lacking <= 0) return 0;
  return a_call > 0 ? lacking / a_call : std::numeric_limits<double>::infinity();
}

}  // namespace

double Budget::overdraft() const {
  return std::max(0.0, caution * (cost() + reserved_) - rules_.cost_share * seconds_);
}

double Budget::worst_by_share(Confidence confidence) const {
  return (worst_share(confidence) * seconds_ + spare_) / caution - cost() - reserved_;
}

double Budget::worst_by_run() const {
  return unproven_ / caution - loss() - reserved_;
}

Budget::Price Budget::left(double call, Confidence confidence) const {
  const double by_share = worst_by_share(confidence);
  const double worst = confidence == Confidence::none ? std::min(by_share, worst_by_run()) : by_share;
  if (confidence == Confidence::sure) return {worst, worst};
  const double at_first = std::max(rules_.stake_calls * call, spare_ / 2);
  return {worst, at_first + rules_.stake_share * seconds_ - charged_ - beside_usual_};
}

double Budget::calls_until(const Price& price, double call, double period, Confidence confidence) const {
  double calls =
      calls_for(price.worst - worst_by_share(confidence), worst_share(confidence) / caution * call);
  if (confidence == Confidence::none)
    calls = std::max(calls, calls_for(price.worst - worst_by_run(), rules_.run_share / caution * period));
  if (confidence == Confidence::sure) return calls;
  const double expected = left(call, confidence).expected;
  return std::max(calls, calls_for(price.expected - expected, rules_.stake_share * call));
}

}  // namespace tutti::inline choose
