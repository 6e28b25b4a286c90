// Iterated Runge–Kutta methods: their command line.

#include <CLI/CLI.hpp>

#include "iterated_runge_kutta/options.hpp"
#include "support/program.hpp"

int main(int argc, char** argv) {
  using namespace tutti::apps;
  Options options;
  CLI::App app("iterated Runge-Kutta methods for ordinary differential equations", "iterated_runge_kutta");
  options.system.add_to(app);
  app.add_option("--method", options.method, "radau: IIA(7); lobatto: IIIC(6); four stages each")
      ->capture_default_str()
      ->check(CLI::IsMember({"radau", "lobatto"}));
  options.solver.add_to(app, {"diagonally-implicit"},
                        "; diagonally-implicit: that, for stiff systems, with Newton's method");
  app.add_option("--iterations", options.iterations, "for the stages (default: the method's order less 1)")
      ->check(CLI::PositiveNumber);
  options.integration.add_to(app);
  return run(app, argc, argv, [&](Report& report) { solve(options, report); });
}
