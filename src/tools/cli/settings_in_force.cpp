#include "tools/cli/settings_in_force.hpp"

#include <filesystem>

#include "base/file.hpp"
#include "choose/settings/variables.hpp"
#include "tools/cli/options.hpp"

namespace tutti::tools {
namespace {

std::string settings_of_machine() {
  const auto file = std::filesystem::path(system_folder()) / "settings";
  std::error_code none;
  return std::filesystem::exists(file, none) ? file.string() : "";
}

}  // namespace

std::string system_folder() {
  const char* home = in_environment(variable::home);
  return home ? home : variable::default_home;
}

SettingsInForce::SettingsInForce(const std::string& named)
    : file_(named.empty() ? settings_of_machine() : named) {
  if (!file_.empty()) in_file_ = value_or_fail(parse_settings(value_or_fail(read_file(file_)), file_));
}

std::optional<SettingsInForce::Said> SettingsInForce::of(const std::string& name) const {
  if (const char* value = in_environment(name.c_str())) return Said{value, environment};
  const auto in_file = in_file_.find(name);
  return in_file == in_file_.end() ? std::nullopt : std::optional(Said{in_file->second, file_});
}

std::map<std::string, std::string> SettingsInForce::of_file() const {
  auto settings = in_file_;
  std::erase_if(settings, [](const auto& entry) { return in_environment(entry.first.c_str()) != nullptr; });
  return settings;
}

}  // namespace tutti::tools
