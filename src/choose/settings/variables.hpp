#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "choose/settings/configuration.hpp"

namespace tutti::inline choose {

/// Names of variables that others than their declaration speak of. Those that force a plan are in
/// CollectiveTraits.
namespace variable {
inline constexpr const char* table = "TUTTI_TABLE";
inline constexpr const char* network = "TUTTI_NETWORK";
inline constexpr const char* groups = "TUTTI_GROUPS";
inline constexpr const char* learn = "TUTTI_LEARN";
inline constexpr const char* float_sums = "TUTTI_FLOAT_SUMS";
inline constexpr const char* stats = "TUTTI_STATS";
inline constexpr const char* profile = "TUTTI_PROFILE";
inline constexpr const char* fallback = "TUTTI_FALLBACK";
inline constexpr const char* cache = "TUTTI_CACHE";
inline constexpr const char* home = "TUTTI_HOME";
inline constexpr const char* default_home = "/etc/tutti";  ///< what TUTTI_HOME is where nobody sets it
inline constexpr const char* progress = "TUTTI_PROGRESS";
inline constexpr const char* off = "TUTTI_OFF";
}  // namespace variable

/// What a variable may be set to, and what that means for a configuration.
struct Kind {
  std::string values;  ///< as help writes them: "0|1", "FILE"
  /// Puts a value into a configuration. Returns what is wrong with it, or nothing if it was
  /// understood.
  std::function<std::optional<std::string>(const std::string& value, const Job&, Configuration&)> read;
  /// The value that a configuration has; empty where it is none in particular.
  std::function<std::string(const Configuration&)> show;
  /// Whether the ranks of a communicator have to agree on it: it is a part of Rules.
  bool agreed = false;
  /// Whether only ranks can tell whether a value is understood: it names a file of theirs.
  bool judged_by_ranks = false;
  bool forces_plans = false;  ///< it is about the plans of one operation
};

/// For whom a variable is.
enum class Audience { user, administrator, expert };
std::string_view name_of(Audience audience);

/// A variable that Tutti reads, from the environment or from a file of settings.
struct Variable {
  std::string name;
  Audience audience;
  std::string meaning;
  Kind kind;

  /// What holds where it is not set; empty: nothing in particular.
  std::string default_value() const { return kind.show(Configuration{}); }
  /// What is wrong with a value, with the variable's name; nothing where that can't be told here.
  std::optional<std::string> complaint(const std::string& value) const;
};

/// All variables, in the order in which help shows them and they are read: the one that switches
/// Tutti off comes first, those that force a plan come last.
const std::vector<Variable>& variables();

/// The variable of that name, or null.
const Variable* find_variable(std::string_view name);

/// Why there is no variable of that name: one that is near, or what has taken its place.
std::string no_such_variable(std::string_view name);

/// What is wrong with names in the environment that begin as those of variables, and are none:
/// TUTTI_BCSAT=ring would otherwise do nothing without a word.
std::vector<std::string> complaints_of_names();

/// Whether such a value of TUTTI_OFF switches Tutti off: any but 0.
inline bool means_off(std::string_view value) {
  return value != "0";
}

/// The value of a variable in the environment; null where it is not set, or empty.
const char* in_environment(const char* name);

/// What a file of settings says: a NAME=VALUE a line, lines with # in front are comments.
struct SettingsOfFile {
  /// By name. All are of variables, and understood but for those of files, which only ranks can
  /// judge.
  std::map<std::string, std::string> values;
  std::vector<std::string> complaints;  ///< of other lines, with the file's name and their number
};

/// `source` names the file in complaints.
SettingsOfFile parse_settings(const std::string& text, const std::string& source);

}  // namespace tutti::inline choose
