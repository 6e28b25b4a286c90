// The Jacobi iteration: its command line.

#include <CLI/CLI.hpp>

#include "jacobi/options.hpp"
#include "support/program.hpp"

int main(int argc, char** argv) {
  using namespace tutti::apps;
  Options options;
  CLI::App app("Jacobi iteration on a dense system of linear equations", "jacobi");
  app.add_option("--size", options.size, "equations")->capture_default_str()->check(CLI::Range(1, 30000));
  app.add_option("--iterations", options.iterations)->capture_default_str()->check(CLI::Range(2, 1000000));
  app.add_option("--variant", options.variant,
                 "rows: allgather; columns-allreduce: allreduce and allgather; columns-scatter: reduce, "
                 "scatter and allgather; "
                 "columns-reduce: reduce and bcast")
      ->capture_default_str()
      ->check(CLI::IsMember({"rows", "columns-allreduce", "columns-scatter", "columns-reduce"}));
  app.add_flag("--check", options.check, "compare with the solution, which is known");
  options.prediction.add_to(app);
  return run(app, argc, argv, [&](Report& report) { solve(options, report); });
}
