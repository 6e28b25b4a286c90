// A stream of satellite images: its command line.

#include <CLI/CLI.hpp>

#include "satellite/options.hpp"
#include "support/program.hpp"

int main(int argc, char** argv) {
  using namespace tutti::apps;
  Options options;
  CLI::App app("satellite images in a stream, scattered, sharpened and gathered", "satellite");
  app.add_option("--size", options.side, "rows and columns of an image")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 14));
  app.add_option("--frames", options.frames, "images")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--variant", options.variant,
                 "mpi: MPI_Scatter and MPI_Gather; hmpi: HMPI's, which split what would stall")
      ->capture_default_str()
      ->check(CLI::IsMember({"mpi", "hmpi"}));
  app.add_flag("--check", options.check, "compare every image with what one process makes of it");
  return run(app, argc, argv, [&](Report& report) { stream(options, report); });
}
