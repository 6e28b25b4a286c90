#include "choose/settings/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/document.hpp"
#include "base/json.hpp"
#include "base/json_members.hpp"
#include "choose/evidence/knowledge_store.hpp"
#include "choose/evidence/table_folder.hpp"
#include "choose/settings/variables.hpp"
#include "core/network/network_file.hpp"
#include "core/schedule/fnv1a.hpp"

namespace tutti::inline choose {

std::string cache_folder() {
  if (const char* home = in_environment("XDG_CACHE_HOME")) return std::string(home) + "/tutti";
  if (const char* user = in_environment("HOME")) return std::string(user) + "/.cache/tutti";
  return "";
}

Configuration read_environment(const Job& job) {
  Configuration configuration;
  for (const Variable& variable : variables()) {
    if (configuration.off) return configuration;
    const char* value = in_environment(variable.name.c_str());
    if (!value) continue;
    if (const auto complaint = variable.kind.read(value, job, configuration))
      configuration.complaints.push_back(fmt::format("{} ({}); it is ignored", *complaint, variable.name));
    else if (variable.kind.agreed)
      configuration.rules.settings[variable.name] = value;
  }
  for (std::string& complaint : complaints_of_names())
    configuration.complaints.push_back(std::move(complaint));
  return configuration;
}

bool is_switched_off() {
  const char* off = in_environment(variable::off);
  return off && means_off(off);
}

namespace {

// What a table decides, the JSON of its collectives; nothing where it has none. The file is read in
// pieces, and no further: most of it, the measurements, lies behind.
std::optional<std::string> decisions_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (std::size_t piece = 1 << 15; file; piece *= 2) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    file.read(text.data() + before, static_cast<std::streamsize>(piece));
    text.resize(before + static_cast<std::size_t>(file.gcount()));
    if (const auto decisions = member_named(text, "collectives")) return std::string(*decisions);
  }
  return std::nullopt;
}

// Whether something is true of what a table decides: of one that the environment names, or of one
// in a folder that it names. A rank asks before MPI begins.
template <typename IsTrue>
bool is_true_of_a_table(IsTrue&& is_true) {
  const char* const table = in_environment(variable::table);
  if (!table) return false;
  std::error_code none;
  const auto tables =
      std::filesystem::is_directory(table, none) ? tables_in(table) : std::vector<std::string>{table};
  return std::ranges::any_of(tables, [&](const std::string& path) {
    const auto decisions = decisions_of_file(path);
    return decisions && is_true(*decisions);
  });
}

bool has_nonblocking_plans(std::string_view decisions) {
  JsonMembers collectives_of_table(decisions);
  while (const auto member = collectives_of_table.next()) {
    const auto called = Called::named(member->name);
    if (called && called->mode != Mode::blocking) return true;
  }
  return false;
}

}  // namespace

bool names_nonblocking_plans() {
  bool names = false;
  for_each_called([&](Called called) {
    names |= called.mode != Mode::blocking && in_environment(called.variable().c_str()) != nullptr;
  });
  return names || is_true_of_a_table(has_nonblocking_plans);
}

KnownNonblocking learns_of_nonblocking(const Job& job) {
  Configuration configuration;
  for (const char* name : {variable::learn, variable::cache})
    if (const char* value = in_environment(name)) find_variable(name)->kind.read(value, {}, configuration);
  if (!configuration.rules.learn || configuration.cache.empty()) return KnownNonblocking::none;
  return KnowledgeStore(configuration.cache)
      .known_nonblocking(job.fingerprint.machine, job.fingerprint.mpi, job.ranks);
}

bool asks_to_learn() {
  Configuration configuration;
  if (const char* value = in_environment(variable::learn))
    find_variable(variable::learn)->kind.read(value, {}, configuration);
  return configuration.rules.learn;
}

bool names_library_algorithms() {
  bool names = false;
  for_each_called([&](Called called) {
    const char* plans = in_environment(called.variable().c_str());
    names |= plans && names_library_algorithm(plans);
  });
  return names || is_true_of_a_table(names_library_algorithm);
}

const Network* Rules::known_network() const {
  if (network) return &*network;
  return table && table->links ? &*table->links : nullptr;
}

const Network* Rules::computed_for() const {
  const bool wanted =
      (table && table->links) || std::any_of(forced.begin(), forced.end(), [](const auto& rules) {
        return std::ranges::any_of(rules, [](const Rule& rule) { return rule.plan.goes_by_network(); });
      });
  return wanted ? known_network() : nullptr;
}

bool Rules::prepares_nonblocking() const {
  return prepares([](Called, const Plan&) { return true; });
}

bool Rules::prepares_neighbors() const {
  return prepares([](Called called, const Plan&) { return traits(called.collective).on_neighbors; });
}

bool Rules::shares_memory_at_once() const {
  return prepares(
      [](Called called, const Plan& plan) { return called.mode == Mode::nonblocking && plan.uses_memory(); });
}

bool Rules::prepares(bool (*concerns)(Called, const Plan&)) const {
  const auto is_one = [concerns](Called called, const std::vector<Rule>& rules) {
    return called.mode != Mode::blocking && std::ranges::any_of(rules, [&](const Rule& rule) {
             return !rule.plan.is_native() && concerns(called, rule.plan);
           });
  };
  bool forces = false;
  for_each_called([&](Called called) { forces |= is_one(called, forced[called]); });
  return forces || (table && std::ranges::any_of(table->rule_sets, [&](const RuleSet& set) {
                      return is_one({set.collective, set.mode}, set.rules);
                    }));
}

std::uint64_t Rules::hash() const {
  return fnv1a(json_text(Json{{"settings", settings}, {"builtin", builtin}, {"files", files}}));
}

std::string to_text(const Rules& rules) {
  Json json{{"settings", rules.settings}};
  if (rules.builtin) json["builtin"] = true;
  if (rules.network) json["network"] = to_text(*rules.network);
  if (rules.table) json["table"] = to_text(*rules.table);
  return json_text(json);
}

Rules rules_in(const std::string& text) {
  const auto json = parse_json(text);
  Configuration configuration;
  Rules& rules = configuration.rules;
  rules.settings = json.at("settings").get<std::map<std::string, std::string>>();
  for (const auto& [name, value] : rules.settings) find_variable(name)->kind.read(value, {}, configuration);
  rules.builtin = json.contains("builtin");
  if (json.contains("network")) rules.network = parse_network(json["network"], "of rank 0").value();
  if (json.contains("table")) rules.table = parse_table(json["table"], "of rank 0").value();
  return std::move(rules);
}

}  // namespace tutti::inline choose
