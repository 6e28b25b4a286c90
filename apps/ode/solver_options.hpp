#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tutti::apps {

/// What all solvers of differential equations are asked for alike.
struct SolverOptions {
  std::string variant = "data-parallel";
  bool check = false, order = false;

  /// `further` are variants besides those that every method has, and what is said of them.
  void add_to(CLI::App& app, const std::vector<std::string>& further = {}, const std::string& meaning = "") {
    std::vector<std::string> variants{"data-parallel", "orthogonal-data-parallel", "task-parallel",
                                      "orthogonal-task-parallel"};
    variants.insert(variants.end(), further.begin(), further.end());
    app.add_option(
           "--variant", variant,
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
};

}  // namespace tutti::apps
