#include <fmt/format.h>

#include "choose/settings/variables.hpp"
#include "tools/cli/child.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/serving.hpp"
#include "tools/cli/verb.hpp"
#include "tools/doctor/program_file.hpp"

namespace tutti::tools {
namespace {

// Why nothing serves the program that a command starts, unless that starts another one in turn;
// empty where nothing speaks against it.
std::string why_it_runs_natively(const Launcher& launcher) {
  if (launcher.program().empty() || launcher.mpi().simulated()) return "";
  return look_at_program(launcher.program(), WantedLibraries::none).why_nothing_is_preloaded();
}

void run(const ServingOptions& options) {
  const Launcher launcher = options.launcher.recognise();
  const Serving served = serving(options, launcher);
  if (!served.chosen.empty()) fmt::print(stderr, "served by {}\n", served.chosen);
  if (const std::string why = why_it_runs_natively(launcher); !why.empty())
    fmt::print(stderr, "tutti: {}; its own calls run natively\n", why);
  if (const std::string doubt = launcher.doubt(); !doubt.empty()) fmt::print(stderr, "tutti: {}\n", doubt);
  std::map<std::string, std::string> environment;
  const auto command = launcher.command_with(served.variables, environment);
  throw Failure{become(command, environment).message};
}

// The library's variables for those who set them themselves: of one audience, or all.
std::string variables_help(std::optional<Audience> audience) {
  std::string text = "\nThe library reads these variables, from tutti run or from elsewhere:\n";
  for (const Variable& variable : variables()) {
    if (audience && variable.audience != *audience) continue;
    const std::string by_default = variable.default_value();
    text += help_entry(
        fmt::format("{}={}", variable.name, variable.kind.values),
        by_default.empty() ? variable.meaning : fmt::format("{} (default {})", variable.meaning, by_default));
  }
  if (audience) text += "tutti run --help-all shows more of them.\n";
  text.pop_back();  // CLI11 ends the last line
  return text;
}

void declare_run(CLI::App* verb, const LauncherWords& launcher) {
  auto options = std::make_shared<ServingOptions>();
  options->launcher.command = launcher.words;
  verb->footer("");  // in place of the command's; what follows is written when it is shown
  verb->footer([] {
    return "Without options programs begin with what others have learnt here, and with the machine's table,\n"
           "$TUTTI_HOME/*.json or /etc/tutti/*.json, if there is one. More plans are tried as they run.\n"
           "Sums of floating-point numbers stay native, unless the machine's settings say otherwise.\n"
           "A program without a launcher is one rank.\n"
           "Example: tutti run --stats -- mpirun -n 4 ./program arguments\n" +
           variables_help(Audience::user);
  });
  options->add_with_reports(*verb, "-- LAUNCHER PROGRAM");
  verb->add_flag_callback(
          "--help-all",
          [verb] {
            verb->footer([] { return variables_help(std::nullopt); });
            throw CLI::CallForHelp();
          },
          "show this help, with all variables")
      ->trigger_on_parse();
  verb->callback([options] { run(*options); });
}

}  // namespace

namespace verbs {

Verb run() {
  return {.name = "run",
          .summary = "run an unmodified program under Tutti",
          .purpose = Purpose::run,
          .declare = declare_run};
}

}  // namespace verbs

}  // namespace tutti::tools
