#include "choose/settings/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/size.hpp"
#include "base/suggest.hpp"
#include "choose/evidence/builtin.hpp"
#include "choose/settings/variables.hpp"
#include "core/network/network_file.hpp"
#include "core/schedule/fnv1a.hpp"

extern char** environ;

namespace tutti::inline choose {
namespace {

// Reads variables one by one, collecting complaints.
class Reader {
 public:
  explicit Reader(Configuration& configuration) : configuration_(configuration) {}

  static std::optional<std::string> value(std::string_view name) {
    const char* text = std::getenv(std::string(name).c_str());
    return text && *text ? std::optional<std::string>(text) : std::nullopt;
  }

  void complain(std::string_view name, std::string_view what) {
    configuration_.complaints.push_back(fmt::format("{} ({}); it is ignored", what, name));
  }

  void flag(const Variable& variable, bool& into) {
    const auto text = value(variable.name);
    if (!text) return;
    if (*text == "1" || *text == "0")
      into = *text == "1";
    else
      complain(variable.name, fmt::format("'{}' is neither 0 nor 1", *text));
  }

  // A word out of a list, whose position is the value of the enumeration.
  template <typename Enumeration>
  void choice(const Variable& variable, const std::vector<std::string_view>& words, Enumeration& into) {
    const auto text = value(variable.name);
    if (!text) return;
    const auto word = std::find(words.begin(), words.end(), *text);
    if (word == words.end())
      complain(variable.name, fmt::format("'{}' is not a value of it{}", *text, suggestion(*text, words)));
    else
      into = static_cast<Enumeration>(word - words.begin());
  }

  void bytes(const Variable& variable, std::size_t& into) {
    const auto text = value(variable.name);
    if (!text) return;
    if (const auto size = parse_size(*text))
      into = *size;
    else
      complain(variable.name, size.error().message);
  }

  // MESSAGES, or MESSAGES,BYTES.
  void read_in_flight() {
    const auto text = value(var_in_flight.name);
    if (!text) return;
    const auto comma = std::min(text->find(','), text->size());
    const auto messages = parse_size(std::string_view(*text).substr(0, comma));
    const auto bytes =
        comma < text->size() ? parse_size(std::string_view(*text).substr(comma + 1)) : messages;
    if (messages && bytes && *messages > 0 && *bytes > 0) {
      configuration_.messages_in_flight = *messages;
      if (comma < text->size()) configuration_.bytes_in_flight = *bytes;
    } else {
      complain(var_in_flight.name,
               fmt::format("'{}' is no number of messages, or messages and bytes such as 512,64M", *text));
    }
  }

  void read_forced() {
    for_each_called([&](Called called) {
      const auto text = value(called.variable());
      if (!text) return;
      auto plan = make_plan(called.collective, *text);
      if (plan)
        configuration_.rules.forced[called] = std::move(*plan);
      else
        complain(called.variable(), plan.error().message);
    });
  }

  void read_table(const Fingerprint& here) {
    const auto path = value(var_table.name);
    if (!path) return;
    if (*path == builtin_table) {
      configuration_.rules.builtin = true;
      return;
    }
    const auto text = read_file(*path);
    if (!text) return complain(var_table.name, text.error().message);
    auto table = parse_table(*text, *path);
    if (!table) return complain(var_table.name, table.error().message);
    if (const auto why = foreign(table->fingerprint, here))
      return complain(var_table.name, fmt::format("table {} {}; tune here with tutti tune", *path, *why));
    table->measurements.clear();  // not needed to run
    table->library.clear();
    configuration_.rules.table = std::move(*table);
  }

  // Reads the network, which has to be of `ranks` ranks, or of any number.
  void read_network(int ranks) {
    const auto path = value(var_network.name);
    if (!path) return;
    const auto text = read_file(*path);
    if (!text) return complain(var_network.name, text.error().message);
    auto network = parse_network(*text, *path);
    if (!network) return complain(var_network.name, network.error().message);
    if (const auto known = network->known_ranks(); known != 0 && known != static_cast<std::size_t>(ranks))
      return complain(var_network.name, fmt::format("network {} is of {} ranks, and there are {}; probe with "
                                                    "as many",
                                                    *path, known, ranks));
    configuration_.rules.network = std::move(*network);
  }

  void read_adaptation() {
    const auto text = value(var_adapt.name);
    if (!text) return;
    char* end = nullptr;
    const double seconds = std::strtod(text->c_str(), &end);
    if (const std::string_view unit = end;
        seconds > 0 && std::isfinite(seconds) && (unit.empty() || unit == "s"))
      configuration_.rules.adapt_s = seconds;
    else
      complain(var_adapt.name, fmt::format("'{}' is no number of seconds, such as 30", *text));
  }

  // A folder that a variable names, or the one for all. Programs may go elsewhere before it is used.
  static std::string folder(const Variable& variable) {
    const auto named = value(variable.name);
    if (!named) return cache_folder();
    std::error_code error;
    return *named == "none" ? "" : std::filesystem::absolute(*named, error).string();
  }

  // PERCENT,SECONDS, such as 5%,20ms.
  void read_learning_cost() {
    const auto text = value(var_learn_cost.name);
    if (!text) return;
    char* end = nullptr;
    const double percent = std::strtod(text->c_str(), &end);
    const std::string_view rest = end;
    const auto comma = std::min(rest.find(','), rest.size());
    const std::string seconds_text(rest.substr(std::min(comma + 1, rest.size())));
    const double seconds = std::strtod(seconds_text.c_str(), &end);
    const std::string_view unit = end;
    const double scale = unit == "s" ? 1 : unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : 0;
    if (end != seconds_text.c_str() && scale > 0 && percent >= 0 && percent <= 100 && seconds >= 0 &&
        std::isfinite(seconds) && rest.substr(0, comma) == "%") {
      configuration_.rules.learning.cost_share = percent / 100;
      configuration_.rules.learning.cost_s = seconds * scale;
    } else {
      complain(var_learn_cost.name, fmt::format("'{}' is no share and time such as 5%,20ms", *text));
    }
  }

  // TUTTI_BCSAT=ring would otherwise do nothing without a word.
  void find_unknown_names() {
    std::vector<std::string> of_plans;
    for_each_called([&](Called called) { of_plans.push_back(called.variable()); });
    std::vector<std::string_view> known(of_plans.begin(), of_plans.end());
    for (const Variable& variable : variables) known.push_back(variable.name);
    for (char** entry = environ; *entry; ++entry) {
      const std::string_view assignment(*entry);
      const std::string_view name = assignment.substr(0, assignment.find('='));
      if (name.starts_with("TUTTI_") && std::find(known.begin(), known.end(), name) == known.end())
        complain(name, fmt::format("no such variable{}", suggestion(name, known)));
    }
  }

 private:
  Configuration& configuration_;
};

}  // namespace

std::string cache_folder() {
  if (const auto home = Reader::value("XDG_CACHE_HOME")) return *home + "/tutti";
  if (const auto user = Reader::value("HOME")) return *user + "/.cache/tutti";
  return "";
}

Configuration read_environment(const Fingerprint& here, int ranks) {
  Configuration configuration;
  Reader reader(configuration);
  reader.flag(var_off, configuration.off);
  if (configuration.off) return configuration;
  reader.flag(var_stats, configuration.stats);
  reader.choice(var_log, {"error", "warn", "info", "debug"}, configuration.log_level);
  reader.choice(var_fallback, {"silent", "warn", "error"}, configuration.rules.fallback);
  reader.bytes(var_cache, configuration.cache_bytes);
  reader.bytes(var_host_memory, configuration.host_memory);
  reader.read_in_flight();
  reader.choice(var_progress, {"calls", "thread"}, configuration.progress);
  reader.choice(var_device, {"stage", "native"}, configuration.rules.device);
  reader.flag(var_reproducible, configuration.rules.reproducible);
  reader.choice(var_floats, {"plans", "native"}, configuration.rules.floats_native);
  reader.choice(var_operations, {"pieces", "whole"}, configuration.rules.operations_whole);
  reader.read_forced();
  reader.read_table(here);
  reader.read_network(ranks);
  configuration.schedules = Reader::folder(var_schedules);
  reader.read_adaptation();
  reader.flag(var_learn, configuration.rules.learn);
  reader.flag(var_guard, configuration.rules.guard);
  reader.read_learning_cost();
  configuration.knowledge = Reader::folder(var_knowledge);
  configuration.profile = Reader::value(var_profile.name).value_or("");
  configuration.rules.profile = !configuration.profile.empty();
  reader.find_unknown_names();
  return configuration;
}

const Network* Rules::computed_for() const {
  const Network* of_table = table && table->links ? &*table->links : nullptr;
  const bool wanted = of_table || std::any_of(forced.begin(), forced.end(),
                                              [](const auto& plan) { return plan && plan->is_computed(); });
  if (!wanted) return nullptr;
  return network ? &*network : of_table;
}

bool Rules::prepares_nonblocking() const {
  return prepares([](Collective) { return true; });
}

bool Rules::prepares_neighbors() const {
  return prepares([](Collective collective) { return traits(collective).on_neighbors; });
}

bool Rules::prepares(bool (*concerns)(Collective)) const {
  const auto is_one = [concerns](Called called) {
    return called.mode != Mode::blocking && concerns(called.collective);
  };
  bool forces = false;
  for_each_called(
      [&](Called called) { forces |= is_one(called) && forced[called] && !forced[called]->is_native(); });
  return forces || (table && std::ranges::any_of(table->rule_sets, [&](const RuleSet& set) {
                      return is_one({set.collective, set.mode});
                    }));
}

RulesText RulesText::of(const Rules& rules) {
  nlohmann::json json{{"fallback", static_cast<int>(rules.fallback)},
                      {"device", static_cast<int>(rules.device)},
                      {"reproducible", rules.reproducible},
                      {"floats_native", rules.floats_native},
                      {"operations_whole", rules.operations_whole},
                      {"adapt", rules.adapt_s},
                      {"learn", rules.learn},
                      {"guard", rules.guard},
                      {"profile", rules.profile},
                      {"learning", {rules.learning.cost_share, rules.learning.cost_s}}};
  for_each_called([&](Called called) {
    if (const auto& plan = rules.forced[called]) json["forced"][called.name()] = plan->text();
  });
  if (rules.builtin) json["builtin"] = true;
  if (rules.network) json["network"] = to_text(*rules.network);
  if (rules.table) json["table"] = to_text(*rules.table);
  RulesText result{json.dump(), 0};
  result.hash = fnv1a(result.text);
  return result;
}

Rules RulesText::rules() const {
  const auto json = nlohmann::json::parse(text);
  Rules rules;
  rules.fallback = static_cast<Fallback>(json.at("fallback").get<int>());
  rules.device = static_cast<DeviceMemory>(json.at("device").get<int>());
  rules.reproducible = json.at("reproducible");
  rules.floats_native = json.at("floats_native");
  rules.operations_whole = json.at("operations_whole");
  rules.adapt_s = json.at("adapt");
  rules.learn = json.at("learn");
  rules.guard = json.at("guard");
  rules.profile = json.at("profile");
  rules.learning.cost_share = json.at("learning").at(0);
  rules.learning.cost_s = json.at("learning").at(1);
  for_each_called([&](Called called) {
    if (json.contains("forced") && json["forced"].contains(called.name()))
      rules.forced[called] =
          make_plan(called.collective, json["forced"][called.name()].get<std::string>()).value();
  });
  rules.builtin = json.contains("builtin");
  if (json.contains("network")) rules.network = parse_network(json["network"], "of rank 0").value();
  if (json.contains("table")) rules.table = parse_table(json["table"], "of rank 0").value();
  return rules;
}

}  // namespace tutti::inline choose
