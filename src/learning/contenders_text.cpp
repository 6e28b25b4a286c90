// Contenders as the rank that knows them tells them to the others.

#include <nlohmann/json.hpp>
#include <tuple>

#include "learning/contenders.hpp"

namespace tutti {
namespace {

using Told = std::pair<std::string, double>;  // and its price
using Known = std::tuple<std::size_t, std::size_t, double, double, double, double>;

std::string text_of(const Contenders& contenders) {
  std::vector<Told> plans;
  for (std::size_t i = 0; i < contenders.plans.size(); ++i)
    plans.emplace_back(contenders.plans[i].text(), contenders.prices[i]);
  std::vector<Known> known;
  for (const auto& [arm, other, seen] : contenders.known)
    known.emplace_back(arm, other, seen.count, seen.weight, seen.mean, seen.squares);
  return nlohmann::json{
      {"because", contenders.because}, {"presumed", contenders.presumed}, {"plans", plans}, {"known", known}}
      .dump();
}

}  // namespace

std::string to_text(Contenders contenders, std::size_t most_bytes) {
  std::string text = text_of(contenders);
  for (; text.size() > most_bytes; text = text_of(contenders)) contenders.drop(contenders.plans.size() - 1);
  return text;
}

Result<Contenders> parse_contenders(Collective collective, const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    Contenders contenders;
    for (const auto& [told, price] : json.at("plans").get<std::vector<Told>>()) {
      auto plan = make_plan(collective, told);
      if (!plan) return failure(plan.error().message);
      contenders.add(std::move(*plan), price);
    }
    const std::size_t plans = contenders.plans.size();
    for (const auto& [arm, other, count, weight, mean, squares] : json.at("known").get<std::vector<Known>>()) {
      if (arm >= plans || other >= plans) return failure("what is known is not of these plans");
      contenders.known.push_back({arm, other, {count, weight, mean, squares}});
    }
    contenders.presumed = json.at("presumed");
    if (contenders.presumed >= plans) return failure("there is no such plan to begin with");
    contenders.because = json.at("because");
    return contenders;
  } catch (const nlohmann::json::exception& error) {
    return failure(error.what());
  }
}

}  // namespace tutti
