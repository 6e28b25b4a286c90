#include "choose/evidence/fingerprint.hpp"

#include <fmt/format.h>

#include <fstream>
#include <thread>

namespace tutti::inline choose {
namespace {

bool differs(const std::string& there, const std::string& here) {
  return there != "any" && !there.empty() && !here.empty() && there != here;
}

// The first field that differs, of those that decide or of the others.
const FingerprintField* first_difference(const Fingerprint& table, const Fingerprint& here, bool decides) {
  for (const FingerprintField& field : fingerprint_fields)
    if (field.decides == decides && differs(table.*field.value, here.*field.value)) return &field;
  return nullptr;
}

}  // namespace

std::optional<std::string> foreign(const Fingerprint& table, const Fingerprint& here) {
  const FingerprintField* field = first_difference(table, here, true);
  if (!field) return std::nullopt;
  const auto shown = [&](const Fingerprint& of) {
    const std::string& value = of.*field->value;
    return field->value == &Fingerprint::mpi ? value : fmt::format("'{}'", value);
  };
  return fmt::format("{} {}, but this is {} (\"{}\": \"any\" in its fingerprint lets it serve all the same)",
                     field->measured, shown(table), shown(here), field->name);
}

std::optional<std::string> unlike(const Fingerprint& table, const Fingerprint& here) {
  if (table.transport.empty() && !here.transport.empty())
    return fmt::format("does not say what carried its messages, and serves over '{}'", here.transport);
  const FingerprintField* field = first_difference(table, here, false);
  if (!field) return std::nullopt;
  return fmt::format("{} '{}', and here it is '{}'", field->measured, table.*field->value,
                     here.*field->value);
}

std::string stack_text(const Fingerprint& fingerprint) {
  const auto& [mpi, machine, transport, fabric, binding] = fingerprint;
  return mpi + (transport.empty() && fabric.empty() ? "" : " over ") + transport +
         (transport.empty() || fabric.empty() ? "" : "; ") + fabric;
}

std::string local_machine() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string model = "unknown processor";
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  return fmt::format("{}, {} cores", model, std::thread::hardware_concurrency());
}

}  // namespace tutti::inline choose
