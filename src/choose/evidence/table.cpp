#include "choose/evidence/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/document.hpp"
#include "base/json.hpp"
#include "base/json_members.hpp"
#include "base/size.hpp"
#include "base/suggest.hpp"
#include "choose/evidence/fingerprint_file.hpp"
#include "choose/evidence/unread_measurements.hpp"
#include "core/network/network_file.hpp"

namespace tutti::inline choose {
namespace {

constexpr DocumentKind kind{"table", "tutti-table-1", "tutti tune"};

Json size_to_json(std::size_t size) {
  return size == unlimited ? Json("inf") : Json(size);
}

std::size_t size_from_json(const Json& value) {
  if (value.is_string()) {
    if (value != "inf")
      throw std::invalid_argument(fmt::format("a size is a number or \"inf\", not {}", value.dump()));
    return unlimited;
  }
  return whole<std::size_t>(value);
}

constexpr int any_ranks = std::numeric_limits<int>::max();

Json ranks_to_json(int ranks) {
  return ranks == any_ranks ? Json("inf") : Json(ranks);
}

int ranks_from_json(const Json& value) {
  return value == "inf" ? any_ranks : whole<int>(value);
}

Rule rule_from_json(Collective collective, const Json& entry) {
  auto plan = make_plan(collective, entry.at("plan").get<std::string>());
  if (!plan) throw std::invalid_argument(plan.error().message);
  Rule rule{size_from_json(entry.at("msg_size_min")), size_from_json(entry.at("msg_size_max")),
            std::move(*plan)};
  if (rule.size_min > rule.size_max)
    throw std::invalid_argument(
        fmt::format("msg_size_min {} is above msg_size_max {}", rule.size_min, rule.size_max));
  return rule;
}

Table table_from_json(const Json& root) {
  const Json& policy = root.at("policy");
  if (policy != "exact" && policy != "between")
    throw std::invalid_argument(
        fmt::format("has policy {}; known are \"exact\" and \"between\"", policy.dump()));
  Table table;
  table.exact = policy == "exact";
  table.fingerprint = fingerprint_from_json(root.at("fingerprint"));
  if (root.contains("components")) table.components = components_from_json(root["components"]);
  if (root.contains("network"))
    table.network = {quantity(root["network"].at("alpha_s"), "alpha_s"),
                     quantity(root["network"].at("beta_s_per_byte"), "beta_s_per_byte")};
  if (root.contains("links")) {
    auto links = read_network(root["links"], "of the table");
    if (!links) throw std::invalid_argument(links.error().message);
    table.links = std::move(*links);
  }
  if (root.contains("model")) {
    auto model = read_network(root["model"], "of the table's model");
    if (!model) throw std::invalid_argument(model.error().message);
    if (!model->link_of.empty() || (model->known_ranks() != 0 && model->group_of.empty()))
      throw std::invalid_argument("the model is of certain ranks");
    table.model = std::move(*model);
  }
  for (const auto& [key, sets] : root.at("collectives").items()) {
    const auto called = Called::named(key);
    if (!called) {
      std::vector<std::string_view> names;
      for (const auto& known : collectives) names.push_back(known.name);
      throw std::invalid_argument(fmt::format("no collective '{}'{}", key, suggestion(key, names)));
    }
    for (const Json& set : sets) {
      RuleSet rules{called->collective,
                    {whole<int>(set.at("comm_size_min")),
                     set.contains("hosts") ? whole<int>(set["hosts"]) : RuleSet::any_hosts},
                    {}};
      rules.mode = called->mode;
      rules.ranks_max = ranks_from_json(set.at("comm_size_max"));
      if (rules.placement.ranks < 1)
        throw std::invalid_argument(
            fmt::format("comm_size_min {} is no number of ranks", rules.placement.ranks));
      if (rules.ranks_max < rules.placement.ranks)
        throw std::invalid_argument(fmt::format("comm_size_min {} is above comm_size_max {}",
                                                rules.placement.ranks, rules.ranks_max));
      for (const Json& entry : set.at("rules")) {
        rules.rules.push_back(rule_from_json(called->collective, entry));
        if (rules.rules.back().plan.is_computed()) {
          if (table.links) continue;
          throw std::invalid_argument(fmt::format("{} is computed for a network, and \"links\" are missing",
                                                  rules.rules.back().plan.text()));
        }
        // Whom else it serves depends on the communicator, and on where its ranks are.
        if (rules.ranks_max != rules.placement.ranks || traits(called->collective).on_neighbors ||
            rules.rules.back().plan.goes_by_network())
          continue;
        if (const auto why = rules.rules.back().plan.refusal({.ranks = rules.ranks_max}))
          throw std::invalid_argument(*why);
      }
      table.rule_sets.push_back(std::move(rules));
    }
  }
  if (root.contains("measurements")) root["measurements"].get_to(table.measurements);
  if (root.contains("library")) root["library"].get_to(table.library);
  if (root.contains("origin")) {
    const Json& origin = root["origin"];
    const auto blocks = origin.value("blocks", std::string(name(BlockLengths::equal)));
    const auto lengths = block_lengths_named(blocks);
    if (!lengths)
      throw std::invalid_argument(fmt::format("origin: '{}' are no lengths of blocks; known are {}", blocks,
                                              fmt::join(names_of_block_lengths, ", ")));
    table.origin = {
        origin.at("command"), origin.at("date"),           quantity(origin.at("seconds"), "seconds"),
        origin.at("version"), origin.value("arrival", ""), *lengths};
  }
  return table;
}

// A table's text without the items of a member's list, and that list's text.
struct WithoutList {
  std::string rest;
  std::string_view list = {};  // of the text that was given; empty where there is none
};

WithoutList without_list(std::string_view table, std::string_view name) {
  const auto list = member_named(table, name);
  if (!list || !list->starts_with('[')) return {std::string(table)};
  const auto at = static_cast<std::size_t>(list->data() - table.data());
  std::string rest(table.substr(0, at));
  rest += "[]";
  rest += table.substr(at + list->size());
  return {std::move(rest), *list};
}

}  // namespace

std::string placement_text(Placement placement) {
  return fmt::format("{} ranks, {}", placement.ranks,
                     placement.hosts > 0 ? counted(placement.hosts, "host") : "hosts unknown");
}

const Rule* find_rule(const std::vector<Rule>& rules, std::size_t size) {
  for (const Rule& rule : rules)
    if (rule.size_min <= size && size <= rule.size_max) return &rule;
  return nullptr;
}

const RuleSet* Table::find(Called called, Placement placement) const {
  for (const RuleSet& set : rule_sets)
    if (set.called() == called && set.serves(placement)) return &set;
  return nullptr;
}

bool tells_of_others(const Measurement& measurement) {
  return measurement.mode == Mode::blocking && (measurement.plan == "native" || measurement.price_s > 0);
}

const std::vector<Measurement>& Table::known_measurements() const {
  return unread ? unread->read() : measurements;
}

std::string Table::complaint() const {
  return unread ? unread->complaint() : "";
}

Result<Table> parse_table(const std::string& text, const std::string& source) {
  return parse_document(kind, text, source, table_from_json);
}

Result<Table> parse_table_for_program(std::string text, const std::string& source) {
  const auto [without, measurements] = without_list(text, "measurements");
  auto table = parse_table(without_list(without, "library").rest, source);
  if (!table) return parse_table(text, source);  // its error counts the bytes of the file
  const bool serves_others = !table->exact && table->model;
  if (serves_others && table->measurements.empty() && !measurements.empty()) {
    // What is kept stays where it is: a copy would touch as much memory again.
    const auto at = static_cast<std::size_t>(measurements.data() - text.data());
    text.resize(at + measurements.size());
    text.erase(0, at);
    table->unread = std::make_shared<const UnreadMeasurements>(std::move(text), source);
  }
  return table;
}

std::string to_text(const Table& table) {
  Json root;
  root["$schema"] = kind.schema;
  root["fingerprint"] = to_json(table.fingerprint);
  if (!table.components.empty()) root["components"] = to_json(table.components);
  if (const auto& origin = table.origin) {
    root["origin"] = {{"command", origin->command},
                      {"date", origin->date},
                      {"seconds", origin->seconds},
                      {"version", origin->version}};
    if (!origin->arrival.empty()) root["origin"]["arrival"] = origin->arrival;
    if (origin->lengths != BlockLengths::equal) root["origin"]["blocks"] = name(origin->lengths);
  }
  root["policy"] = table.exact ? "exact" : "between";
  root["network"] = {{"alpha_s", table.network.alpha}, {"beta_s_per_byte", table.network.beta}};
  if (table.links) root["links"] = parse_json(to_text(*table.links));
  if (table.model) root["model"] = parse_json(to_text(*table.model));
  root["collectives"] = Json::object();
  for (const RuleSet& set : table.rule_sets) {
    Json rules = Json::array();
    for (const Rule& rule : set.rules)
      rules.push_back({{"msg_size_min", size_to_json(rule.size_min)},
                       {"msg_size_max", size_to_json(rule.size_max)},
                       {"plan", rule.plan.text()}});
    Json entry{{"comm_size_min", set.placement.ranks}, {"comm_size_max", ranks_to_json(set.ranks_max)}};
    if (set.placement.hosts != RuleSet::any_hosts) entry["hosts"] = set.placement.hosts;
    entry["rules"] = std::move(rules);
    root["collectives"][set.called().name()].push_back(std::move(entry));
  }
  root["measurements"] = Json::array();
  for (const Measurement& measurement : table.known_measurements())
    root["measurements"].push_back(Json(measurement));
  for (const Measurement& measurement : table.library) root["library"].push_back(Json(measurement));
  return json_text(root, 1) + "\n";
}

}  // namespace tutti::inline choose
