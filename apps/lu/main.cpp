// LU decomposition by orthogonal processor groups: its command line.

#include <CLI/CLI.hpp>

#include "lu/options.hpp"
#include "support/program.hpp"

int main(int argc, char** argv) {
  using namespace tutti::apps;
  Options options;
  CLI::App app("LU decomposition with partial pivoting of a dense matrix", "lu");
  app.add_option("--size", options.size, "rows and columns of the matrix")
      ->capture_default_str()
      ->check(CLI::Range(1, 30000));
  app.add_option(
         "--variant", options.variant,
         "orthogonal: rows and columns dealt out over a grid; row-cyclic, column-cyclic: over all processes")
      ->capture_default_str()
      ->check(CLI::IsMember({"orthogonal", "row-cyclic", "column-cyclic"}));
  app.add_option("--columns", options.columns,
                 "of the orthogonal variant's grid (default: as square as can be)")
      ->check(CLI::PositiveNumber);
  app.add_flag("--check", options.check, "multiply the factors on one process and compare with the matrix");
  return run(app, argc, argv, [&](Report& report) { decompose(options, report); });
}
