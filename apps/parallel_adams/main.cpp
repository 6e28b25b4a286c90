// Parallel Adams methods: their command line.

#include <CLI/CLI.hpp>

#include "parallel_adams/options.hpp"
#include "support/program.hpp"

int main(int argc, char** argv) {
  using namespace tutti::apps;
  Options options;
  CLI::App app("parallel Adams methods for ordinary differential equations", "parallel_adams");
  options.system.add_to(app);
  app.add_option("--method", options.method, "pab: explicit; pabm: with corrections")
      ->capture_default_str()
      ->check(CLI::IsMember({"pab", "pabm"}));
  app.add_option("--stages", options.stages, "of a step, K")->capture_default_str()->check(CLI::Range(3, 8));
  app.add_option("--corrections", options.corrections, "of a step of pabm, I")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--steps", options.steps, "all of one size")
      ->capture_default_str()
      ->check(CLI::Range(2, 100000000));
  app.add_option("--end", options.end, "of the time that is integrated over")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  options.solver.add_to(app);
  options.prediction.add_to(app);
  return run(app, argc, argv, [&](Report& report) { solve(options, report); });
}
