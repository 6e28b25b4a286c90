#pragma once

#include <map>
#include <optional>
#include <string>

namespace tutti::tools {

/// The folder in which tables and settings lie that serve everybody on a machine: $TUTTI_HOME, else
/// /etc/tutti.
std::string system_folder();

/// What is said of settings where a program is started: by the environment, else by a file of
/// settings. Where neither says anything a variable's default holds.
class SettingsInForce {
 public:
  /// Who says what the environment says.
  static constexpr const char* environment = "environment";

  /// `named`: the file that a user has named; empty: the machine's, if there is one, in
  /// system_folder(). What is wrong with a file that was named ends the verb; what is wrong with
  /// the machine's, which users can't mend, is said on standard error, and passed over.
  explicit SettingsInForce(const std::string& named = "");

  /// A value, and who has said it: `environment`, or the file's name.
  struct Said {
    std::string value, by;
  };
  /// What is said of a variable; nothing where its default holds.
  std::optional<Said> of(const std::string& name) const;

  /// What the file says and the environment does not override, by name.
  std::map<std::string, std::string> of_file() const;

 private:
  std::string file_;
  std::map<std::string, std::string> in_file_;
};

}  // namespace tutti::tools
