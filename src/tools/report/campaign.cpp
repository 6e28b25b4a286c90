#include "tools/report/campaign.hpp"

#include <fmt/format.h>

#include <set>

#include "base/document.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "choose/evidence/knowledge_table.hpp"
#include "core/network/network_file.hpp"

namespace tutti::tools {
namespace {

Result<void> add_table(Findings& findings, const std::string& text, const std::string& path) {
  auto table = parse_table(text, path);
  if (!table) return tl::unexpected(table.error());
  findings.campaigns.push_back({path, "table", table->fingerprint, std::move(*table)});
  return {};
}

// One campaign for each MPI and what carried its messages.
Result<void> add_knowledge(Findings& findings, const std::string& text, const std::string& path) {
  const auto knowledge = parse_knowledge(text, path);
  if (!knowledge) return tl::unexpected(knowledge.error());
  for (const Fingerprint& place : knowledge->places())
    findings.campaigns.push_back({path, "knowledge", place, table_of(*knowledge, place)});
  return {};
}

Result<void> add_network(Findings& findings, const std::string& text, const std::string& path) {
  auto network = parse_network(text, path);
  if (!network) return tl::unexpected(network.error());
  findings.networks.push_back({path, std::move(*network)});
  return {};
}

Result<void> add_profile(Findings& findings, const std::string& text, const std::string& path) {
  auto profile = parse_profile(text, path);
  if (!profile) return tl::unexpected(profile.error());
  findings.profiles.push_back({path, std::move(*profile)});
  return {};
}

Result<void> add_measurements(Findings& findings, const std::string& text, const std::string& path) {
  auto measurements = parse_measurements(text, path);
  if (!measurements) return tl::unexpected(measurements.error());
  Table table;
  table.measurements = std::move(*measurements);
  findings.campaigns.push_back({path, "measurements", {}, std::move(table)});
  return {};
}

Result<void> add_prices(Findings& findings, const Json& list, const std::string& path) {
  Prices prices{path, {}};
  try {
    for (const Json& entry : list) {
      const auto collective = collective_named(entry.at("operation").get<std::string>());
      if (!collective) throw std::invalid_argument(fmt::format("no operation {}", entry["operation"].dump()));
      prices.list.push_back({*collective, whole<int>(entry.at("ranks")), whole<std::size_t>(entry.at("size")),
                             entry.at("plan"), entry.at("seconds"), entry.at("limit_s")});
    }
  } catch (const std::exception& error) {
    return failure(fmt::format("prices {}: {}; write them anew with tutti price --json", path, error.what()));
  }
  findings.prices.push_back(std::move(prices));
  return {};
}

Result<void> add_text(Findings& findings, const std::string& text, const std::string& path) {
  Json root;
  try {
    root = parse_json(text);
  } catch (const Json::parse_error& error) {
    return failure(fmt::format("{} is not JSON (byte {})", path, error.byte));
  } catch (const Json::exception& error) {  // of numbers that no double holds
    return failure(fmt::format("{} is not JSON ({}); mend or leave out that number", path, error.what()));
  }
  if (root.is_array() && !root.empty() && root.front().is_object() && root.front().contains("limit_s"))
    return add_prices(findings, root, path);
  if (root.is_array()) return add_measurements(findings, text, path);
  const std::string schema = root.is_object() && root.contains("$schema") && root["$schema"].is_string()
                                 ? root["$schema"].get<std::string>()
                                 : "";
  if (schema.starts_with("tutti-table-")) return add_table(findings, text, path);
  if (schema.starts_with("tutti-knowledge-")) return add_knowledge(findings, text, path);
  if (schema.starts_with("tutti-network-")) return add_network(findings, text, path);
  if (schema.starts_with("tutti-profile-")) return add_profile(findings, text, path);
  return failure(fmt::format(
      "{} is nothing that can be reported: give tables, knowledge, networks, profiles, and what bench and "
      "price print with --json",
      path));
}

}  // namespace

void add_file(Findings& findings, const std::string& path) {
  const auto text = read_file(path);
  const auto added = text ? add_text(findings, *text, path) : Result<void>(tl::unexpected(text.error()));
  if (!added) findings.problems.push_back({path, added.error().message});
}

}  // namespace tutti::tools
