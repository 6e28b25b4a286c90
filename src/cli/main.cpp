// tutti: the command.

#include <fmt/format.h>

#include "cli/verb.hpp"
#include "tutti/version.hpp"

int main(int argc, char** argv) {
  using namespace tutti::cli;
  CLI::App app("Tutti: tuned collective operations for unmodified MPI programs", "tutti");
  app.set_version_flag("--version", fmt::format("tutti {}", TUTTI_VERSION));
  app.require_subcommand(1);
  app.footer("tutti VERB --help says more, with an example.");
  add_list(app);
  add_verify(app);
  add_bench(app);
  add_tune(app);
  add_run(app);
  add_explain(app);
  add_price(app);
  add_probe(app);
  add_model(app);
  add_pools(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    fmt::print(stderr, "tutti: {}; see tutti --help\n", error.what());
    return 2;
  } catch (const Failure& failure) {
    fmt::print(stderr, "tutti: {}\n", failure.message);
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "tutti: unexpected: {}\n", error.what());
    return 1;
  }
  return 0;
}
