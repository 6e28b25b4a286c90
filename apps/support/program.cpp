#include "support/program.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "support/life.hpp"

namespace tutti::apps {

int run(CLI::App& options, int argc, char** argv, const std::function<void(Report&)>& body) {
  bool as_json = false;
  options.add_flag("--json", as_json, "print the report as a JSON object");
  begin_mpi(argc, argv);
  int status = 0;
  try {
    options.parse(argc, argv);
    Report report;
    body(report);
    const bool is_wrong = is_true_anywhere(report.is_wrong());
    if (report.is_judged()) report.tell("verdict", std::string(is_wrong ? "WRONG" : "all right"));
    if (speaks()) report.print(as_json);
    status = is_wrong;
  } catch (const CLI::ParseError& error) {
    const int code = speaks() ? options.exit(error) : error.get_exit_code();
    status = code == 0 ? 0 : 2;
  } catch (const Refusal& refusal) {
    if (speaks()) std::fprintf(stderr, "%s\n", refusal.what());
    status = 2;
  }
  end_mpi();
  return status;
}

}  // namespace tutti::apps
