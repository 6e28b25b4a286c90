#include "tuning/measurement.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tutti {

void to_json(nlohmann::ordered_json& json, const Measurement& m) {
  json = nlohmann::ordered_json{{"operation", name(m.collective)},
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
}

void from_json(const nlohmann::json& json, Measurement& m) {
  const auto operation = json.at("operation").get<std::string>();
  const auto collective = collective_named(operation);
  if (!collective) throw std::invalid_argument("no operation '" + operation + "'");
  m = {*collective,
       json.at("ranks"),
       json.at("hosts"),
       json.at("size"),
       json.at("plan"),
       {json.at("low_s"), json.at("median_s"), json.at("high_s")},
       json.value("mean_s", json.at("median_s").get<double>()),
       {json.at("ratio_low"), json.at("ratio_to_native"), json.at("ratio_high")},
       json.at("repetitions")};
}

}  // namespace tutti
