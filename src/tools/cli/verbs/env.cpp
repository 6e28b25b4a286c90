#include <fmt/format.h>

#include <cstdlib>

#include "tools/cli/serving.hpp"
#include "tools/cli/verb.hpp"

namespace tutti::tools {
namespace {

// Within a batch job of Slurm its own, else what is usual.
std::string usual_launcher() {
  return std::getenv("SLURM_JOB_ID") ? "srun" : "mpirun";
}

void print_environment(ServingOptions options) {
  if (options.launcher.command.empty()) options.launcher.command = {usual_launcher()};
  const Launcher launcher = options.launcher.recognise();
  const Serving served = serving(options, launcher);
  if (!served.chosen.empty()) fmt::print("# by {}\n", served.chosen);
  for (const std::string& line : value_or_fail(launcher.shell_lines(served.variables)))
    fmt::print("{}\n", line);
}

void declare_env(CLI::App* verb, const LauncherWords& launcher) {
  auto options = std::make_shared<ServingOptions>();
  options->launcher.command = launcher.words;
  verb->footer(
      "Example: tutti env -- mpirun\n"
      "In a script: eval \"$(tutti env)\"; mpirun -n 4 ./program\n"
      "The launcher is mpirun, in a job of Slurm srun, or what follows \"--\".");
  options->add_to(*verb);
  verb->callback([options] { print_environment(*options); });
}

}  // namespace

namespace verbs {

Verb env() {
  return {.name = "env",
          .summary =
              "print what lets a launcher start programs under Tutti, for batch scripts whose commands can't "
              "be changed",
          .purpose = Purpose::run,
          .declare = declare_env};
}

}  // namespace verbs

}  // namespace tutti::tools
