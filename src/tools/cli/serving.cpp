#include "tools/cli/serving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.hpp"
#include "choose/evidence/builtin.hpp"
#include "choose/evidence/table.hpp"
#include "choose/evidence/table_folder.hpp"
#include "choose/settings/variables.hpp"
#include "tools/cli/settings_in_force.hpp"

namespace tutti::tools {
namespace {

namespace fs = std::filesystem;

// Why a table can't serve a job, as far as can be told from here: the machine of a simulation, or
// of a job on other hosts, can't be. The launcher is started for its version only where all else
// fits.
std::optional<std::string> foreign_to(const Launcher& launcher, bool elsewhere, const Table& table) {
  Fingerprint job{"", elsewhere || launcher.mpi().simulated() ? "" : local_machine()};
  if (auto why = foreign(table.fingerprint, job)) return why;
  job.mpi = launcher.mpi_version();
  return foreign(table.fingerprint, job);
}

// A table serves only where it was made. The ranks look themselves; but what can be seen from here
// is said at once.
void check_table(const std::string& path, const Launcher& launcher, bool elsewhere) {
  const Table table = value_or_fail(parse_table_for_program(value_or_fail(read_file(path)), path));
  const bool machine_unknown = elsewhere || launcher.mpi().simulated();
  if (const auto why = foreign_to(launcher, elsewhere, table))
    throw Failure{fmt::format(
        "table {} {}; tune here with tutti tune{}", path, *why,
        machine_unknown ? "" : ", or say --elsewhere if the program runs on other hosts than this")};
}

// What may serve of a folder's tables, as far as can be told from here: the only one that is of
// this MPI and machine, or the folder, of whose tables the ranks choose; empty if there is none.
std::string fitting_tables(const std::string& folder, const Launcher& launcher, bool elsewhere) {
  std::vector<std::string> fitting;
  for (const std::string& file : tables_in(folder)) {
    const auto text = read_file(file);
    const auto table = text ? parse_table_for_program(*text, file) : tl::unexpected(text.error());
    if (!table)
      fmt::print(stderr, "tutti: {}\n", table.error().message);
    else if (!foreign_to(launcher, elsewhere, *table))
      fitting.push_back(file);
  }
  return fitting.empty() ? "" : fitting.size() == 1 ? fitting.front() : folder;
}

// A table of the user's, or a folder of tables.
std::string named_table(const std::string& name, const Launcher& launcher, bool elsewhere) {
  const std::string path = fs::absolute(name).string();
  std::error_code none;
  if (!fs::is_directory(path, none)) {
    check_table(path, launcher, elsewhere);
    return path;
  }
  const std::string fitting = fitting_tables(path, launcher, elsewhere);
  if (fitting.empty())
    throw Failure{fmt::format("no table in {} is of this MPI and machine; tune here with tutti tune", path)};
  return fitting;
}

// What serves by a table, in words.
std::string table_words(const std::string& table) {
  std::error_code none;
  return fs::is_directory(table, none)
             ? fmt::format("the first table in {} that was tuned over what carries the ranks' messages",
                           table)
             : table;
}

// What options ask of reductions of floating-point numbers; empty where they say nothing.
std::string wanted_sums(const ServingOptions& options) {
  if (options.learn) fmt::print(stderr, "--learn is now --float-sums any; tutti run learns without it\n");
  return options.learn ? "any" : options.reproducible ? "reproducible" : options.float_sums;
}

// The first variable that forces a plan for a reduction, as `given` has it; empty if there is none.
std::string forced_sums(const auto& given) {
  std::string found;
  for_each_called([&](Called called) {
    if (found.empty() && traits(called.collective).reduces && !given(called.variable().c_str()).empty())
      found = called.variable();
  });
  return found;
}

// What becomes of floating-point sums, and how to have it otherwise.
std::string about_sums(const std::string& setting, const std::string& forced) {
  if (setting == "any")
    return "sums of floating-point numbers may change their last digits (--float-sums native prevents that)";
  if (setting == "reproducible")
    return "sums of floating-point numbers get the same bits on all runs, by one order of operands "
           "(--float-sums native leaves them to the MPI library)";
  if (!forced.empty())
    return fmt::format(
        "sums of floating-point numbers stay native but where {} forces a plan, which may change their last "
        "digits",
        forced);
  return "sums of floating-point numbers stay native (--float-sums any lets plans serve them)";
}

}  // namespace

void ServingOptions::add_to(CLI::App& verb, const std::string& usage) {
  verb.add_option(
          "--table", table,
          "table of plans, as written by tutti tune, or a folder of tables; with it nothing is learnt; "
          "builtin stands for the plans and sizes that MPICH's authors published, which were not measured "
          "on this machine")
      ->type_name("FILE");
  auto* sums =
      verb.add_option("--float-sums", float_sums,
                      "reductions of floating-point numbers: native leaves them to the MPI library, "
                      "so that no digit changes; any lets plans serve them, which may change last "
                      "digits; reproducible gives the same bits on the same number of ranks, whatever "
                      "the plan and the hosts "
                      "(default: native)")
          ->type_name("HOW")
          ->check(CLI::IsMember({"any", "native", "reproducible"}));
  const std::string hidden;
  verb.add_flag("--learn", learn, "earlier word for --float-sums any")->excludes(sums)->group(hidden);
  verb.add_flag("--reproducible", reproducible, "earlier word for --float-sums reproducible")
      ->excludes(sums)
      ->group(hidden);
  verb.add_flag("--no-learn", no_learn,
                "try no plans in the program's calls, nor use what was learnt before; plans of a table are "
                "still compared with native");
  verb.add_option("--settings", settings,
                  "file of settings, a NAME=VALUE a line (default: the machine's, $TUTTI_HOME/settings or "
                  "/etc/tutti/settings); variables that are set, and options, override it")
      ->type_name("FILE");
  verb.add_flag("--elsewhere", elsewhere,
                "leave it to the ranks to check that the table is of their machine: they run on other hosts "
                "than this");
  launcher.add_to(verb, usage);
}

void ServingOptions::add_with_reports(CLI::App& verb, const std::string& usage) {
  verb.add_flag("--stats", stats, "print at the program's end which plans ran, how often and how long");
  verb.add_option("--profile", profile,
                  "file to write for tutti advise and report: the time that all ranks spent in each "
                  "collective operation, by size; no plans are tried meanwhile")
      ->type_name("FILE");
  add_to(verb, usage);
}

Serving serving(const ServingOptions& options, const Launcher& launcher) {
  const SettingsInForce settings(options.settings);
  Serving serving{.variables = settings.of_file(), .chosen = ""};
  auto& variables = serving.variables;
  const auto set = [&variables](const char* name, const std::string& value) { variables[name] = value; };
  // What options, the user's environment or a file have set so far, or nothing.
  const auto given = [&](const char* name) {
    if (const auto known = variables.find(name); known != variables.end()) return known->second;
    const auto said = settings.of(name);
    return said ? said->value : "";
  };
  // A profile is of what the program does by itself, without experiments.
  const bool profiles = !options.profile.empty() || !given(variable::profile).empty();
  if (const std::string library = launcher.preload(profiles); !library.empty()) {
    // Others' preloads stay; ours comes last, so that tools stack on top of it.
    const char* already = std::getenv("LD_PRELOAD");
    variables["LD_PRELOAD"] = already && *already ? fmt::format("{}:{}", already, library) : library;
  } else if (!launcher.mpi().simulated()) {
    throw Failure{fmt::format("the library for {} is not beside the command; build or install it",
                              launcher.mpi().library)};
  }
  if (options.table == builtin_table) {
    set(variable::table, options.table);
  } else if (!options.table.empty()) {
    set(variable::table, named_table(options.table, launcher, options.elsewhere));
  } else if (given(variable::table).empty()) {
    if (const std::string path = fitting_tables(system_folder(), launcher, options.elsewhere); !path.empty())
      set(variable::table, path);
  }
  serving.chosen = table_words(given(variable::table));
  const bool learns = options.learn || (options.table.empty() && !profiles && !options.no_learn);
  const std::string learning = given(variable::learn);
  if (learns && (learning.empty() || (options.learn && !learning.starts_with('1'))))
    set(variable::learn, "1");
  // The environment and files don't override what options ask for.
  const bool refused = !learns && (options.no_learn || !options.profile.empty());
  if (refused && learning.starts_with('1')) set(variable::learn, "guard" + learning.substr(1));
  if (given(variable::learn).starts_with('1'))
    serving.chosen += serving.chosen.empty() ? "what is learnt" : ", and what is learnt";
  if (const std::string sums = wanted_sums(options); !sums.empty()) set(variable::float_sums, sums);
  if (const std::string off = given(variable::off); !off.empty() && means_off(off))
    serving.chosen = fmt::format("the MPI library alone ({}={})", variable::off, off);
  else if (!serving.chosen.empty())
    serving.chosen += fmt::format("; {}", about_sums(given(variable::float_sums), forced_sums(given)));
  if (options.stats) set(variable::stats, "1");
  if (!options.profile.empty()) {
    value_or_fail(check_output(options.profile));
    set(variable::profile, fs::absolute(options.profile).string());
  }
  return serving;
}

}  // namespace tutti::tools
