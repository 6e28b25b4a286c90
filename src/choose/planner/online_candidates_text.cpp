// OnlineCandidates as the rank that knows them tells them to the others.

#include <tuple>

#include "base/json.hpp"
#include "choose/planner/online_candidates.hpp"

namespace tutti::inline choose {
namespace {

using Told = std::pair<std::string, double>;  // and its price
using Known = std::tuple<std::size_t, std::size_t, double, double, double, double>;

std::string text_of(const OnlineCandidates& candidates) {
  std::vector<Told> plans;
  for (std::size_t i = 0; i < candidates.plans.size(); ++i)
    plans.emplace_back(candidates.plans[i].text(), candidates.prices[i]);
  std::vector<Known> known;
  for (const auto& [arm, other, seen] : candidates.known)
    known.emplace_back(arm, other, seen.count, seen.weight, seen.mean, seen.squares);
  return Json{{"because", candidates.because},
              {"presumed", candidates.presumed},
              {"paid_s", candidates.paid_s},
              {"plans", plans},
              {"known", known}}
      .dump();
}

}  // namespace

std::string to_text(OnlineCandidates candidates, std::size_t most_bytes) {
  std::string text = text_of(candidates);
  for (; text.size() > most_bytes; text = text_of(candidates)) candidates.drop(candidates.plans.size() - 1);
  return text;
}

Result<OnlineCandidates> parse_candidates(Collective collective, const std::string& text) {
  try {
    const auto json = parse_json(text);
    OnlineCandidates candidates;
    for (const auto& [told, price] : json.at("plans").get<std::vector<Told>>()) {
      auto plan = make_plan(collective, told);
      if (!plan) return failure(plan.error().message);
      candidates.add(std::move(*plan), price);
    }
    const std::size_t plans = candidates.plans.size();
    for (const auto& [arm, other, count, weight, mean, squares] :
         json.at("known").get<std::vector<Known>>()) {
      if (arm >= plans || other >= plans) return failure("what is known is not of these plans");
      candidates.known.push_back({arm, other, {count, weight, mean, squares}});
    }
    candidates.presumed = json.at("presumed");
    if (candidates.presumed >= plans) return failure("there is no such plan to begin with");
    candidates.because = json.at("because");
    candidates.paid_s = json.at("paid_s");
    return candidates;
  } catch (const Json::exception& error) {
    return failure(error.what());
  }
}

}  // namespace tutti::inline choose
