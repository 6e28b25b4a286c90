#pragma once

// A verb of the command is declared once, by a function of the name of its file in verbs/.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tutti::tools {

/// What somebody wants who asks for a verb: `tutti --help` lists verbs by it, in this order.
enum class Purpose { run, understand, tune, trust, share };

/// What stands behind "--": the words that start MPI programs here, and a program for `tutti run`.
struct LauncherWords {
  std::vector<std::string> words;
  std::string typed;  ///< the whole command, as it could be typed again
};

/// A verb.
struct Verb {
  std::string name;     ///< what is typed after "tutti"
  std::string summary;  ///< what it does: a line of `tutti --help`
  Purpose purpose;
  /// Adds the verb's options, its examples, and what it does when it was asked for.
  void (*declare)(CLI::App* verb, const LauncherWords& launcher);
};

/// All verbs, those of a purpose beside each other.
std::vector<Verb> all_verbs();

/// The heading of the verbs of a purpose.
std::string heading(Purpose purpose);

}  // namespace tutti::tools
