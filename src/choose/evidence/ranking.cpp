#include "choose/evidence/ranking.hpp"

#include <algorithm>
#include <cmath>

#include "choose/evidence/constants.hpp"
#include "choose/evidence/contrast.hpp"
#include "choose/evidence/rules.hpp"

namespace tutti::inline choose {
namespace {

Interval bounds(const Sample& contrasts) {
  return contrasts.interval(LearningRules{}.elimination);
}

// Whether a plan is hopeless, as a first call alone tells, until that has faded.
bool is_hopeless(const Sample& against_native) {
  return against_native.count > 0.5 && against_native.mean > contrast_of_ratio(LearningRules{}.hopeless);
}

}  // namespace

Ranking::Ranking(const EvidenceByPlan& plans) : plans_(plans) {
  for (const auto& [plan, evidence] : plans)
    if (plan != "native" && evidence.against_native.count > 0)
      places_.push_back({&plan, &evidence, evidence.against_native.mean});
  place_by_others();
  std::stable_sort(places_.begin(), places_.end(),
                   [](const Place& a, const Place& b) { return a.mean < b.mean; });
}

// Places each plan that was not compared with native by the plan that it took turns with most.
void Ranking::place_by_others() {
  std::vector<Place> more;
  for (const auto& [plan, evidence] : plans_) {
    if (plan == "native" || evidence.against_native.count > 0) continue;
    double most = 0, mean = 0;
    for (const Place& other : places_)
      if (const Sample seen = contrasts(plan, *other.plan); seen.count > most) {
        most = seen.count;
        mean = contrast_of_ratio(ratio_of_contrast(seen.mean) * ratio_of_contrast(other.mean));
      }
    if (most > 0) more.push_back({&plan, &evidence, mean});
  }
  places_.insert(places_.end(), more.begin(), more.end());
}

Sample Ranking::contrasts(const std::string& plan, const std::string& other) const {
  const auto seen_by = [this](const std::string& mine, const std::string& its) {
    const auto evidence = plans_.find(mine);
    if (evidence == plans_.end()) return Sample{};
    if (its == "native") return evidence->second.against_native;
    const auto found = evidence->second.against_others.find(its);
    return found == evidence->second.against_others.end() ? Sample{} : found->second;
  };
  Sample seen = seen_by(plan, other), turned = seen_by(other, plan);
  turned.mean = -turned.mean;
  seen.merge(turned);
  return seen;
}

bool Ranking::is_ahead(const Place& place, const Place& other) const {
  const Interval beside = bounds(contrasts(*place.plan, *other.plan));
  return beside.middle < 0 && beside.high < LearningRules{}.worthwhile;
}

// Goes from the plan that gains most to what was ahead of it, and so on, but to none that was
// itself seen to take longer than native.
const Ranking::Place* Ranking::best() const {
  const auto first =
      std::find_if(places_.begin(), places_.end(), [](const Place& place) { return gains(*place.evidence); });
  if (first == places_.end()) return nullptr;
  const Place* best = &*first;
  std::vector<const Place*> passed{best};
  const auto next = [&] {
    return std::find_if(places_.begin(), places_.end(), [&](const Place& place) {
      return std::find(passed.begin(), passed.end(), &place) == passed.end() &&
             bounds(place.evidence->against_native).low <= 0 && is_ahead(place, *best);
    });
  };
  for (auto ahead = next(); ahead != places_.end(); ahead = next()) passed.push_back(best = &*ahead);
  return best;
}

bool Ranking::may_gain(const Place& place) const {
  const Sample& against_native = place.evidence->against_native;
  return !is_hopeless(against_native) && bounds(against_native).low < -LearningRules{}.worthwhile;
}

bool Ranking::may_beat(const Place& place, const Place& best) const {
  const Interval beside = bounds(contrasts(*place.plan, *best.plan));
  if (std::isfinite(beside.low)) return beside.low < -LearningRules{}.worthwhile;
  return place.mean < best.mean + evidence::near_best;
}

}  // namespace tutti::inline choose
