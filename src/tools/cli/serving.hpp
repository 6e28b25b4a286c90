#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/options.hpp"

namespace tutti::tools {

/// How programs are to be served: what `tutti run`, `env` and `doctor` have in common.
struct ServingOptions {
  std::string table, float_sums;
  bool no_learn = false;
  bool learn = false, reproducible = false;  ///< earlier words for what float_sums says
  bool stats = false;
  bool elsewhere = false;
  std::string profile;
  std::string settings;  ///< a file; empty: the machine's
  LauncherOptions launcher;
  /// Adds what says how programs are served; `usage` is what usage lines show of the launcher.
  void add_to(CLI::App& verb, const std::string& usage);
  /// Adds also what programs are to tell at their end.
  void add_with_reports(CLI::App& verb, const std::string& usage);
};

/// What programs of a launcher get in their environment.
struct Serving {
  std::map<std::string, std::string> variables;
  /// What serves, and what becomes of floating-point sums: a line for people; empty where plans
  /// are neither read nor learnt.
  std::string chosen;
};

/// Where nothing else is said: the table of this machine, if an administrator has put one there,
/// and learning, with reductions of floating-point numbers left native. Ends the verb where a
/// table, a profile or the library can't be used.
Serving serving(const ServingOptions& options, const Launcher& launcher);

}  // namespace tutti::tools
