#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/document.hpp"
#include "base/json.hpp"
#include "choose/settings/variables.hpp"
#include "tools/cli/settings_in_force.hpp"
#include "tools/cli/verb.hpp"

namespace tutti::tools {
namespace {

struct SettingsOptions {
  std::string file;
  bool all = false, json = false;
};

// A variable's value, and where it comes from; what is wrong with the one in the environment, which
// is ignored then.
struct InForce {
  const Variable* variable;
  std::string value, from;
  std::optional<std::string> complaint = {};
};

std::vector<InForce> in_force(const SettingsOptions& options) {
  const SettingsInForce settings(options.file);
  std::vector<InForce> found;
  for (const Variable& variable : variables()) {
    const auto said = settings.of(variable.name);
    const auto complaint = said ? variable.complaint(said->value) : std::nullopt;
    if (complaint && said->by == SettingsInForce::environment)
      found.push_back({&variable, variable.default_value(), "default", complaint});
    else if (said)
      found.push_back({&variable, said->value, said->by});
    else if (options.all || !variable.kind.forces_plans)
      found.push_back({&variable, variable.default_value(), "default"});
  }
  return found;
}

void show_json(const std::vector<InForce>& all) {
  auto list = Json::array();
  for (const InForce& one : all)
    list.push_back({{"name", one.variable->name},
                    {"value", one.value},
                    {"from", one.from},
                    {"values", one.variable->kind.values},
                    {"default", one.variable->default_value()},
                    {"for", name_of(one.variable->audience)},
                    {"meaning", one.variable->meaning}});
  fmt::print("{}\n", json_text(list, 2));
}

void show(const SettingsOptions& options) {
  const std::vector<InForce> all = in_force(options);
  if (options.json) {
    show_json(all);
  } else {
    std::size_t names = 0, values = 0;
    for (const InForce& one : all) {
      names = std::max(names, one.variable->name.size());
      values = std::max(values, one.value.size());
    }
    fmt::print("{:<{}}  {:<{}}  {}\n", "variable", names, "value", values, "from");
    for (const InForce& one : all)
      fmt::print("{:<{}}  {:<{}}  {}\n", one.variable->name, names, one.value.empty() ? "-" : one.value,
                 values, one.from);
  }
  for (const InForce& one : all)
    if (one.complaint) fmt::print(stderr, "tutti: {}; it is ignored\n", *one.complaint);
  for (const std::string& complaint : complaints_of_names()) fmt::print(stderr, "tutti: {}\n", complaint);
}

void declare_settings(CLI::App* verb, const LauncherWords&) {
  auto options = std::make_shared<SettingsOptions>();
  verb->add_option("FILE", options->file,
                   "file of settings (default: the machine's, $TUTTI_HOME/settings or /etc/tutti/settings)")
      ->type_name("FILE");
  verb->add_flag("--all", options->all, "show also variables that force plans of single operations");
  verb->add_flag("--json", options->json, "print JSON, with the meaning of each setting");
  verb->footer("Example: tutti settings\ntutti run --help-all says what each variable means.");
  verb->callback([options] { show(*options); });
}

}  // namespace

namespace verbs {

Verb settings() {
  return {.name = "settings",
          .summary = "show the settings in force and their origins",
          .purpose = Purpose::run,
          .declare = declare_settings};
}

}  // namespace verbs

}  // namespace tutti::tools
