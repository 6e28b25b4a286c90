#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "choose/settings/variables.hpp"
#include "tools/cli/serving.hpp"

namespace tutti::tools {
namespace {

struct SettingsOptions {
  std::string file;
  bool all = false, json = false;
};

// A variable's value, and who has said it.
struct InForce {
  const Variable* variable;
  std::string value, from;
};

std::vector<InForce> in_force(const SettingsOptions& options) {
  const std::string file = settings_file(options.file);
  const auto settings = settings_in(file);
  std::vector<InForce> found;
  for (const Variable& variable : variables()) {
    const auto in_file = settings.find(variable.name);
    if (const char* value = in_environment(variable.name.c_str()))
      found.push_back({&variable, value, "environment"});
    else if (in_file != settings.end())
      found.push_back({&variable, in_file->second, file});
    else if (options.all || variable.kind.values != "PLAN")
      found.push_back({&variable, variable.usual(), "default"});
  }
  return found;
}

// What is wrong with what is in force, as programs would say it.
std::vector<std::string> complaints(const std::vector<InForce>& all) {
  std::vector<std::string> found;
  for (const InForce& one : all)
    if (Configuration any; one.from == "environment" && one.variable->name != variable::table &&
                           one.variable->name != variable::network)
      if (const auto complaint = one.variable->kind.read(one.value, {}, any))
        found.push_back(fmt::format("{} ({})", *complaint, one.variable->name));
  return found;
}

void show_json(const std::vector<InForce>& all) {
  auto list = nlohmann::ordered_json::array();
  for (const InForce& one : all)
    list.push_back({{"name", one.variable->name},
                    {"value", one.value},
                    {"from", one.from},
                    {"values", one.variable->kind.values},
                    {"default", one.variable->usual()},
                    {"for", name_of(one.variable->audience)},
                    {"meaning", one.variable->meaning}});
  fmt::print("{}\n", list.dump(2));
}

void show(const SettingsOptions& options) {
  const std::vector<InForce> all = in_force(options);
  if (options.json) {
    show_json(all);
  } else {
    std::size_t width = 0;
    for (const InForce& one : all) width = std::max(width, one.value.size());
    fmt::print("{:<28}{:<{}}  {}\n", "variable", "value", width, "from");
    for (const InForce& one : all)
      fmt::print("{:<28}{:<{}}  {}\n", one.variable->name, one.value.empty() ? "-" : one.value, width,
                 one.from);
  }
  for (const std::string& complaint : complaints(all)) fmt::print(stderr, "tutti: {}\n", complaint);
}

}  // namespace

void add_settings(CLI::App& app) {
  auto options = std::make_shared<SettingsOptions>();
  CLI::App* verb = app.add_subcommand("settings", "show which settings are in force, and where from");
  verb->add_option("FILE", options->file,
                   "a file of settings to look at (default: the machine's, $TUTTI_HOME/settings or "
                   "/etc/tutti/settings)");
  verb->add_flag("--all", options->all, "show also variables of operations whose plans nobody forces");
  verb->add_flag("--json", options->json, "print JSON, with what each setting means");
  verb->footer("Example: tutti settings\ntutti run --help says what each variable means.");
  verb->callback([options] { show(*options); });
}

}  // namespace tutti::tools
