#include <fmt/format.h>

#include "choose/settings/variables.hpp"
#include "tools/cli/child.hpp"
#include "tools/cli/serving.hpp"
#include "tools/cli/verb.hpp"

namespace tutti::tools {
namespace {

void run(const ServingOptions& options) {
  const Launcher launcher = options.launcher.recognise();
  const Serving served = serving(options, launcher);
  if (!served.chosen.empty()) fmt::print(stderr, "served by {}\n", served.chosen);
  std::map<std::string, std::string> environment;
  const auto command = launcher.command_with(served.variables, environment);
  throw Failure{become(command, environment).message};
}

// The library's variables, for those who set them themselves.
std::string variables_help() {
  std::string text = "\nThe library reads these variables, from tutti run or from elsewhere:\n";
  const auto add = [&text](std::string_view name, std::string_view values, std::string_view meaning) {
    text += fmt::format("  {:<38}{}\n", fmt::format("{}={}", name, values), meaning);
  };
  for (const Variable& variable : variables()) {
    const std::string by_default = variable.default_value();
    add(variable.name, variable.kind.values,
        by_default.empty() ? variable.meaning : fmt::format("{} (default {})", variable.meaning, by_default));
  }
  return text;
}

void declare_run(CLI::App* verb, const LauncherWords& launcher) {
  auto options = std::make_shared<ServingOptions>();
  options->launcher.command = launcher.words;
  verb->footer(
      "Without options: by the machine's table ($TUTTI_HOME/*.json or /etc/tutti/*.json), if there is one, "
      "and "
      "learning, with sums of floating-point numbers left native.\n"
      "Example: tutti run --stats -- mpirun -n 4 ./program arguments\n" +
      variables_help());
  options->add_to(*verb);
  verb->callback([options] { run(*options); });
}

}  // namespace

namespace verbs {

Verb run() {
  return {.name = "run",
          .summary = "run an unmodified program on tuned collectives",
          .purpose = Purpose::run,
          .declare = declare_run};
}

}  // namespace verbs

}  // namespace tutti::tools
