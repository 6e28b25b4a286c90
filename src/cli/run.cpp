#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "cli/launcher.hpp"
#include "cli/process.hpp"
#include "cli/verb.hpp"
#include "settings/variables.hpp"
#include "text/file.hpp"
#include "tuning/builtin.hpp"

namespace tutti::cli {
namespace {

struct RunOptions {
  std::string table;
  bool stats = false;
  bool learn = false;
  bool reproducible = false;
  bool elsewhere = false;
  std::string profile;
  LauncherOptions launcher;
};

// A table serves only where it was made. The ranks look themselves; but what can be seen from here is said at
// once.
void check_table(const std::string& path, const Launcher& launcher, bool elsewhere) {
  const Table table = value_or_fail(parse_table(value_or_fail(read_file(path)), path));
  const bool machine_unknown = elsewhere || launcher.mpi().simulated();
  const Fingerprint here{launcher.mpi_version(), machine_unknown ? "" : local_machine()};
  if (const auto why = foreign(table.fingerprint, here))
    throw Failure{fmt::format(
        "table {} {}; tune here with tutti tune{}", path, *why,
        machine_unknown ? "" : ", or say --elsewhere if the program runs on other hosts than this")};
}

void run(const RunOptions& options) {
  const Launcher launcher = options.launcher.recognise();
  std::map<std::string, std::string> for_program, environment;
  if (const std::string library = launcher.preload(!options.profile.empty()); !library.empty()) {
    // Others' preloads stay; ours comes last, so that tools stack on top of it.
    const char* already = std::getenv("LD_PRELOAD");
    for_program["LD_PRELOAD"] = already && *already ? fmt::format("{}:{}", already, library) : library;
  } else if (!launcher.mpi().simulated()) {
    throw Failure{fmt::format("the library for {} is not beside the command; build or install it",
                              launcher.mpi().name)};
  }
  if (options.table == builtin_table) {
    for_program[std::string(var_table.name)] = options.table;
  } else if (!options.table.empty()) {
    const std::string path = std::filesystem::absolute(options.table).string();
    check_table(path, launcher, options.elsewhere);
    for_program[std::string(var_table.name)] = path;
  }
  if (options.learn) for_program[std::string(var_learn.name)] = "1";
  if (options.stats) for_program[std::string(var_stats.name)] = "1";
  if (options.reproducible) for_program[std::string(var_reproducible.name)] = "1";
  if (!options.profile.empty()) {
    value_or_fail(check_output(options.profile));
    for_program[std::string(var_profile.name)] = std::filesystem::absolute(options.profile).string();
  }
  const auto command = launcher.command_with(for_program, environment);
  throw Failure{become(command, environment).message};
}

// The library's variables, for those who set them themselves.
std::string variables_help() {
  std::string text = "\nThe library reads these variables, from tutti run or from elsewhere:\n";
  const auto add = [&text](std::string_view name, std::string_view values, std::string_view meaning) {
    text += fmt::format("  {:<36}{}\n", fmt::format("{}={}", name, values), meaning);
  };
  for_each_called([&](Called called) {
    add(called.variable(), "PLAN", fmt::format("the plan of every {}", called.mpi_name()));
  });
  for (const Variable& variable : variables) add(variable.name, variable.values, variable.meaning);
  return text;
}

}  // namespace

void add_run(CLI::App& app, const LauncherWords& launcher) {
  auto options = std::make_shared<RunOptions>();
  options->launcher.command = launcher.words;
  CLI::App* verb = app.add_subcommand("run", "run an unmodified program on tuned collectives");
  verb->footer("Example: tutti run --learn --stats -- mpirun -n 4 ./program arguments\n" + variables_help());
  verb->add_option("--table", options->table,
                   "the table to use, as written by tutti tune; builtin: the cut-offs of MPICH's authors");
  verb->add_flag(
      "--learn", options->learn,
      "let plans take turns in the program's own calls, keep what surely gains, and remember it for "
      "all programs on this machine; sums of floating-point numbers may change their last bits when "
      "plans change (--reproducible prevents that)");
  verb->add_flag("--stats", options->stats, "print at the end what ran how often, and how long");
  verb->add_option(
      "--profile", options->profile,
      "write at the end what all ranks spent in which collective calls, for tutti advise and report");
  verb->add_flag("--reproducible", options->reproducible,
                 "floating-point reductions give the same bits whatever the size, the plan and the hosts");
  verb->add_flag("--elsewhere", options->elsewhere,
                 "the program runs on other hosts than this: let them check the table's machine");
  options->launcher.add_to(*verb);
  verb->callback([options] { run(*options); });
}

}  // namespace tutti::cli
