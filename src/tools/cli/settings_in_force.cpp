#include "tools/cli/settings_in_force.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "choose/settings/variables.hpp"
#include "tools/cli/options.hpp"

namespace tutti::tools {
namespace {

std::string settings_of_machine() {
  const auto file = std::filesystem::path(system_folder()) / "settings";
  // A folder that nobody may look into is said when the file is read.
  std::error_code hidden;
  return std::filesystem::exists(file, hidden) || hidden ? file.string() : "";
}

}  // namespace

std::string system_folder() {
  const char* home = in_environment(variable::home);
  return home ? home : variable::default_home;
}

SettingsInForce::SettingsInForce(const std::string& named)
    : file_(named.empty() ? settings_of_machine() : named) {
  if (file_.empty()) return;
  std::vector<std::string> complaints;
  if (const auto text = read_file(file_)) {
    auto said = parse_settings(*text, file_);
    in_file_ = std::move(said.values);
    complaints = std::move(said.complaints);
  } else {
    complaints = {text.error().message};
  }
  if (!named.empty()) {
    if (!complaints.empty()) throw Failure{complaints.front()};
    return;
  }
  static bool were_said = false;  // of the machine's file, which a verb may read several times
  if (std::exchange(were_said, true)) return;
  for (const std::string& complaint : complaints) fmt::print(stderr, "tutti: {}; it is ignored\n", complaint);
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
