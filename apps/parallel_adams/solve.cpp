// Parallel Adams methods for systems of ordinary differential equations, explicit (PAB) and with a
// corrector (PABM): data-parallel or with a group of processes for each stage, either also with
// orthogonal groups. Source: Kühnemann, Rauber, Rünger, Optimizing MPI Collective Communication by
// Orthogonal Structures, 2006, section 5.2.

#include "parallel_adams/options.hpp"

#include "ode/chosen_system.hpp"
#include "ode/integration.hpp"
#include "ode/parallel_adams.hpp"

namespace tutti::apps {
namespace {

int corrections_of(const Options& options) {
  return options.method == "pab" ? 0 : options.corrections;
}

// Exact for polynomials of degree K, and K + 1 with corrections.
int order_of(const Options& options) {
  return options.stages + (corrections_of(options) > 0);
}

// The starting procedure is not timed, nor the first step: what is slow only once.
Integrated integrate(const Options& options, const std::string& variant, MPI_Comm comm, const System& system,
                     int steps) {
  const auto distribution = distribution_named(variant, system.size(), options.stages, comm);
  Integrated result{.y = system.initial(), .steps = steps};
  if (distribution->is_idle()) {
    result.seconds = seconds_of(comm, [] {});
  } else {
    ParallelAdams solver(system, parallel_adams(options.stages), corrections_of(options), *distribution,
                         options.end / steps);
    solver.step();
    result.seconds = seconds_of(comm, [&] {
      for (int step = 1; step < steps; ++step) solver.step();
    });
    result.y = solver.result();
  }
  MPI_Bcast(result.y.data(), system.size(), MPI_DOUBLE, 0, comm);  // for those that were idle
  return result;
}

double predicted_seconds(const Options& options, const System& system) {
  const Machine machine = options.prediction.machine();
  const int ranks = size_of(MPI_COMM_WORLD), corrections = corrections_of(options);
  const double evaluation_s = system.operations() * machine.operation_s;
  if (corrections == 0)
    return parallel_adams_bashforth(machine, ranks, system.size(), options.stages, evaluation_s);
  return parallel_adams_moulton(machine, ranks, system.size(), options.stages, corrections, evaluation_s);
}

}  // namespace

void solve(const Options& options, Report& report) {
  if (options.prediction.is_wanted() && options.solver.variant != "data-parallel")
    throw Refusal("--predict: there is a formula for the data-parallel variant only");
  const auto system = system_of(options.system);
  const Integrated result =
      integrate(options, options.solver.variant, MPI_COMM_WORLD, *system, options.steps);
  report.tell("variant", options.solver.variant);
  report.tell("method", options.method);
  report.tell("stages", options.stages);
  report.tell("equations", system->size());
  report.tell("seconds", result.seconds);
  report.tell("seconds_per_step", result.seconds / (options.steps - 1));
  if (options.prediction.is_wanted())
    report.tell("predicted_seconds_per_step", predicted_seconds(options, *system));
  if (options.solver.check) {
    const Integrated alone = integrate(options, "data-parallel", MPI_COMM_SELF, *system, options.steps);
    report.judge("difference", distance(result.y, alone.y), 1e-11);
  }
  if (options.solver.order)
    judge_order(report, options.steps, order_of(options), [&](int steps) {
      return integrate(options, options.solver.variant, MPI_COMM_WORLD, *system, steps).y;
    });
}

}  // namespace tutti::apps
