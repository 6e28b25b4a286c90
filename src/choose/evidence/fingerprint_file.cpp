#include "choose/evidence/fingerprint_file.hpp"

#include <nlohmann/json.hpp>

namespace tutti::inline choose {

nlohmann::ordered_json to_json(const Fingerprint& fingerprint) {
  nlohmann::ordered_json object;
  for (const FingerprintField& field : fingerprint_fields)
    if (const std::string& value = fingerprint.*field.value;
        !value.empty() || field.name == "mpi" || field.name == "machine")
      object[std::string(field.name)] = value;
  return object;
}

Fingerprint fingerprint_from_json(const nlohmann::json& value) {
  Fingerprint fingerprint{value.at("mpi"), value.at("machine")};
  for (const FingerprintField& field : fingerprint_fields)
    if (value.contains(field.name)) fingerprint.*field.value = value[field.name].get<std::string>();
  return fingerprint;
}

}  // namespace tutti::inline choose
