// Iterated Runge–Kutta methods with step-size control for systems of ordinary differential
// equations: data-parallel, with a group of processes for each stage, and with orthogonal groups
// besides. Source: Rauber, Reilein, Rünger, ORT - A Communication Library for Orthogonal Processor
// Groups, 2001.

#include "iterated_runge_kutta/options.hpp"

#include "ode/chosen_system.hpp"
#include "ode/diagonally_implicit.hpp"
#include "ode/integration.hpp"

namespace tutti::apps {
namespace {

RungeKuttaMethod method_of(const Options& options) {
  return options.method == "radau" ? radau_iia(4) : lobatto_iiic(4);
}

// Number of iterations: what the order needs, unless told otherwise.
int iterations_of(const Options& options) {
  return options.iterations > 0 ? options.iterations : method_of(options).order - 1;
}

int order_of(const Options& options) {
  return std::min(method_of(options).order, iterations_of(options) + 1);
}

Integrated integrate(const Options& options, const std::string& variant, MPI_Comm comm, const System& system,
                     const Integration& integration) {
  const RungeKuttaMethod method = method_of(options);
  const auto go = [&](IteratedRungeKutta& solver, const Distribution& distribution) {
    return integrate(system, distribution, integration, order_of(options), comm,
                     [&](double t, double h, Vector& y) { return solver.step(t, h, y); });
  };
  if (variant == "diagonally-implicit") {
    TaskParallel distribution(system.size(), method.stages(), true, comm, true);
    DiagonallyImplicitIteration solver(system, method, iterations_of(options), distribution);
    return go(solver, distribution);
  }
  const auto distribution = distribution_named(variant, system.size(), method.stages(), comm);
  FixedPointIteration solver(system, method, iterations_of(options), *distribution);
  return go(solver, *distribution);
}

}  // namespace

void solve(const Options& options, Report& report) {
  const auto system = system_of(options.system);
  const auto with = [&](const Integration& integration) {
    return integrate(options, options.solver.variant, MPI_COMM_WORLD, *system, integration);
  };
  const Integrated result = with(options.integration);
  report.tell("variant", options.solver.variant);
  report.tell("method", method_of(options).name);
  report.tell("equations", system->size());
  report.tell("steps", result.steps);
  report.tell("rejected_steps", result.rejected);
  report.tell("seconds", result.seconds);
  report.tell("seconds_per_step", result.seconds / (result.steps + result.rejected));
  if (options.solver.check) {
    const auto alone = [&](const Integration& integration) {
      return integrate(options, "data-parallel", MPI_COMM_SELF, *system, integration).y;
    };
    // The diagonally implicit variant can't be had on one process: it is compared with a far more
    // precise explicit solution.
    if (options.solver.variant == "diagonally-implicit")
      report.judge("error", distance(result.y, alone({.end = options.integration.end, .tolerance = 1e-10})),
                   100 * options.integration.tolerance);
    else
      report.judge("difference", distance(result.y, alone(options.integration)), 1e-11);
  }
  if (options.solver.order)
    judge_order(report, options.integration.steps > 0 ? options.integration.steps : 32, order_of(options),
                [&](int steps) { return with(options.integration.with_steps(steps)).y; });
}

}  // namespace tutti::apps
