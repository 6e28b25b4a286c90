#include "ode/options.hpp"

#include <CLI/CLI.hpp>

namespace tutti::apps {

void ChosenSystem::add_to(CLI::App& app) {
  app.add_option("--system", name, "brusselator: sparse; spectral: dense; oscillators: with a known solution")
      ->capture_default_str()
      ->check(CLI::IsMember({"brusselator", "spectral", "oscillators"}));
  app.add_option("--size", size,
                 "of the system: points a side of the Brusselator's grid (2 size^2 equations), modes of "
                 "the spectral one, "
                 "or oscillators")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
}

void Integration::add_to(CLI::App& app) {
  app.add_option("--end", end, "of the time that is integrated over")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  auto* step_count = app.add_option("--steps", steps, "so many of one size")->check(CLI::PositiveNumber);
  app.add_option("--tolerance", tolerance, "for the error of a step, by which its size is chosen")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->excludes(step_count);
}

void SolverOptions::add_to(CLI::App& app, const std::vector<std::string>& further,
                           const std::string& meaning) {
  std::vector<std::string> variants{"data-parallel", "orthogonal-data-parallel", "task-parallel",
                                    "orthogonal-task-parallel"};
  variants.insert(variants.end(), further.begin(), further.end());
  app.add_option("--variant", variant,
                 "data-parallel: one stage after the other; orthogonal-data-parallel: its allgather by hand, "
                 "on a grid; task-parallel: a group of processes for each stage; orthogonal-task-parallel: "
                 "these exchange in orthogonal groups" +
                     meaning)
      ->capture_default_str()
      ->check(CLI::IsMember(variants));
  app.add_flag("--check", check, "compare with what one process finds");
  app.add_flag("--order", order,
               "halve fixed steps, and compare the order of convergence with that of the method");
}

}  // namespace tutti::apps
