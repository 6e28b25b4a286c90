// Conjugate gradients: their command line.

#include <CLI/CLI.hpp>

#include "conjugate_gradients/options.hpp"
#include "support/program.hpp"

int main(int argc, char** argv) {
  using namespace tutti::apps;
  Options options;
  CLI::App app("Conjugate gradients on a square, pipelined", "conjugate_gradients");
  app.add_option("--size", options.size, "rows and columns of the square")
      ->capture_default_str()
      ->check(CLI::Range(1, 20000));
  app.add_option("--iterations", options.iterations)->capture_default_str()->check(CLI::Range(2, 1000000));
  app.add_option("--variant", options.variant,
                 "pipelined: a sum under way behind the product; known: two sums that everybody waits for")
      ->capture_default_str()
      ->check(CLI::IsMember({"pipelined", "known"}));
  app.add_option("--halo", options.halo, "how neighbours' rows come: by MPI_Ialltoallv, or in messages")
      ->capture_default_str()
      ->check(CLI::IsMember({"alltoallv", "messages"}));
  app.add_flag("--check", options.check, "compare with the solution, which is known");
  return run(app, argc, argv, [&](Report& report) { solve(options, report); });
}
