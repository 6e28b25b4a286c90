#include "choose/evidence/fingerprint_file.hpp"

#include "base/json.hpp"

namespace tutti::inline choose {

Json to_json(const Fingerprint& fingerprint) {
  Json object;
  for (const FingerprintField& field : fingerprint_fields)
    if (const std::string& value = fingerprint.*field.value;
        !value.empty() || field.name == "mpi" || field.name == "machine")
      object[std::string(field.name)] = value;
  return object;
}

Fingerprint fingerprint_from_json(const Json& value) {
  Fingerprint fingerprint{value.at("mpi"), value.at("machine")};
  for (const FingerprintField& field : fingerprint_fields)
    if (value.contains(field.name)) fingerprint.*field.value = value[field.name].get<std::string>();
  return fingerprint;
}

}  // namespace tutti::inline choose
