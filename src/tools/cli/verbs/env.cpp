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
  if (options.launcher.command.empty()) {
    options.launcher.command = {usual_launcher()};
    fmt::print("# for {}; for another launcher: tutti env -- LAUNCHER\n", options.launcher.command[0]);
  }
  const Launcher launcher = options.launcher.recognise();
  const Serving served = serving(options, launcher);
  if (!served.chosen.empty()) fmt::print(stderr, "served by {}\n", served.chosen);
  if (const std::string doubt = launcher.doubt(); !doubt.empty()) fmt::print("# {}\n", doubt);
  for (const std::string& line : value_or_fail(launcher.shell_lines(served.variables)))
    fmt::print("{}\n", line);
}

void declare_env(CLI::App* verb, const LauncherWords& launcher) {
  auto options = std::make_shared<ServingOptions>();
  options->launcher.command = launcher.words;
  verb->footer(
      "Example: tutti env -- mpirun\n"
      "In a script: eval \"$(tutti env -- mpirun)\"; mpirun -n 4 ./program\n"
      "LAUNCHER is the command that the script starts programs with. Without it the lines are for\n"
      "mpirun, or, in a job of Slurm, for srun; the first line says which. Behind srun the MPI is that\n"
      "of the mpirun in PATH, unless --mpi names one.");
  options->add_with_reports(*verb, "[-- LAUNCHER]");
  verb->callback([options] { print_environment(*options); });
}

}  // namespace

namespace verbs {

Verb env() {
  return {.name = "env",
          .summary = "print shell lines for batch scripts whose commands can't change",
          .purpose = Purpose::run,
          .declare = declare_env};
}

}  // namespace verbs

}  // namespace tutti::tools
