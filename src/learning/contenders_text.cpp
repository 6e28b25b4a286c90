// Contenders as the rank that knows them tells them to the others.

#include <nlohmann/json.hpp>
#include <tuple>

#include "learning/contenders.hpp"

namespace tutti {
namespace {

// What is known of it, as a sample, and its price.
using Told = std::tuple<std::string, double, double, double, double, double>;

std::string text_of(const Contenders& contenders) {
  std::vector<Told> plans;
  for (std::size_t i = 0; i < contenders.plans.size(); ++i) {
    const Sample& known = contenders.known[i];
    plans.emplace_back(contenders.plans[i].text(), known.count, known.weight, known.mean, known.squares,
                       contenders.prices[i]);
  }
  return nlohmann::json{{"because", contenders.because}, {"presumed", contenders.presumed}, {"plans", plans}}
      .dump();
}

}  // namespace

std::string to_text(Contenders contenders, std::size_t most_bytes) {
  std::string text = text_of(contenders);
  for (; text.size() > most_bytes; text = text_of(contenders)) contenders.drop(contenders.plans.size() - 1);
  return text;
}

Contenders parse_contenders(Collective collective, const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  Contenders contenders;
  for (const auto& [plan_text, count, weight, mean, squares, price] :
       json.at("plans").get<std::vector<Told>>())
    if (auto plan = make_plan(collective, plan_text))
      contenders.add(std::move(*plan), {count, weight, mean, squares}, price);
  contenders.presumed = json.at("presumed");
  contenders.because = json.at("because");
  return contenders;
}

}  // namespace tutti
