#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tutti::apps {

/// The system of equations that a user chooses: --system and --size.
struct ChosenSystem {
  std::string name = "brusselator";
  int size = 16;

  void add_to(CLI::App& app);
};

/// How far to go, and in what steps.
struct Integration {
  double end = 0.5, tolerance = 1e-6;
  int steps = 0;  ///< of one size, if above 0

  void add_to(CLI::App& app);

  Integration with_steps(int count) const {
    Integration other = *this;
    other.steps = count;
    return other;
  }
};

/// What all solvers of differential equations are asked for alike.
struct SolverOptions {
  std::string variant = "data-parallel";
  bool check = false, order = false;

  /// `further` are variants besides those that every method has, and what is said of them.
  void add_to(CLI::App& app, const std::vector<std::string>& further = {}, const std::string& meaning = "");
};

}  // namespace tutti::apps
