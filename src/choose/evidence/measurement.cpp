#include "choose/evidence/measurement.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "base/document.hpp"
#include "base/json.hpp"

namespace tutti::inline choose {
namespace {

Situation situation_from_json(const Json& groups) {
  return {.groups = whole<int>(groups.at("at_once")),
          .stride = whole<int>(groups.at("stride")),
          .place = place_named(groups.at("place").get<std::string>()),
          .sharing = whole<int>(groups.at("sharing"))};
}

}  // namespace

void to_json(Json& json, const Measurement& m) {
  json = Json{{"operation", m.called().name()},
              {"ranks", m.ranks},
              {"hosts", m.hosts},
              {"size", m.size},
              {"plan", m.plan},
              {"median_s", m.seconds.middle},
              {"low_s", m.seconds.low},
              {"high_s", m.seconds.high},
              {"mean_s", m.mean},
              {"ratio_to_native", m.ratio_to_native.middle},
              {"ratio_low", m.ratio_to_native.low},
              {"ratio_high", m.ratio_to_native.high},
              {"repetitions", m.repetitions}};
  if (m.two_modes) json["two_modes"] = true;
  if (m.unstable) json["unstable"] = true;
  if (m.price_s > 0) json["price_s"] = m.price_s;
  if (m.situation)
    json["groups"] = {{"at_once", m.situation->groups},
                      {"stride", m.situation->stride},
                      {"place", name(m.situation->place)},
                      {"sharing", m.situation->sharing},
                      {"leaves_s", m.leaves_s}};
}

void from_json(const Json& json, Measurement& m) {
  const auto operation = json.at("operation").get<std::string>();
  const auto called = Called::named(operation);
  if (!called) throw std::invalid_argument("no operation '" + operation + "'");
  const auto number = [&](const char* member) {
    return quantity(json.at(member), member, -largest_quantity);
  };
  m = {called->collective,
       whole<int>(json.at("ranks")),
       whole<int>(json.at("hosts")),
       whole<std::size_t>(json.at("size")),
       json.at("plan"),
       {number("low_s"), number("median_s"), number("high_s")},
       number(json.contains("mean_s") ? "mean_s" : "median_s"),
       {number("ratio_low"), number("ratio_to_native"), number("ratio_high")},
       whole<int>(json.at("repetitions")),
       json.value("two_modes", false),
       json.value("unstable", false),
       json.contains("price_s") ? number("price_s") : 0,
       json.contains("groups") ? std::optional(situation_from_json(json["groups"])) : std::nullopt,
       json.contains("groups") ? quantities(json["groups"].at("leaves_s"), "leaves_s")
                               : std::vector<double>()};
  m.mode = called->mode;
  if (!m.leaves_s.empty() && m.leaves_s.size() != static_cast<std::size_t>(m.ranks))
    throw std::invalid_argument("not every rank of a group leaves");
}

Result<std::vector<Measurement>> parse_measurements(const std::string& text, const std::string& source) {
  try {
    const auto root = parse_json(text);
    return (root.is_object() ? root.at("measurements") : root).get<std::vector<Measurement>>();
  } catch (const std::exception&) {
    return failure(
        fmt::format("{} holds no measurements; give what tutti bench --json prints, or a table", source));
  }
}

}  // namespace tutti::inline choose
