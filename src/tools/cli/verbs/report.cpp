#include <fmt/format.h>

#include <map>

#include "base/document.hpp"
#include "base/json.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/verb.hpp"
#include "tools/report/document.hpp"
#include "tools/report/page.hpp"
#include "tools/report/summary.hpp"
#include "tutti/version.hpp"

namespace tutti::tools {
namespace {

enum class PageFormat { html, markdown, csv, json };

struct ReportOptions {
  std::vector<std::string> files;
  PageFormat format = PageFormat::html;
  bool compare = false;
  OutputOption output;
};

std::string text_of(const Json& document, PageFormat format) {
  switch (format) {
    case PageFormat::html:
      return to_page(document);
    case PageFormat::markdown:
      return to_markdown(document);
    case PageFormat::csv:
      return to_csv(document);
    case PageFormat::json:
      break;
  }
  return json_text(document, 1) + "\n";
}

void report(const ReportOptions& options) {
  if (options.format == PageFormat::html && options.output.path.empty())
    throw Failure{"-o is required: the page to write; or --format md, csv or json to standard output"};
  if (!options.output.path.empty()) options.output.check();
  if (options.compare && options.files.size() != 2)
    throw Failure{"--compare is of two files: the one from before, and the one from after"};
  Findings findings;
  for (const std::string& file : options.files) add_file(findings, file);
  if (findings.problems.size() == options.files.size()) throw Failure{findings.problems.front().message};
  for (const Problem& problem : findings.problems) fmt::print(stderr, "tutti: {}\n", problem.message);
  std::optional<BeforeAfter> comparison;
  if (options.compare)
    comparison = value_or_fail(compare(options.files[0], options.files[1], accepted_ratio));
  const std::string text =
      text_of(report_document(findings, date_text(today()), TUTTI_VERSION, comparison), options.format);
  if (options.output.path.empty())
    fmt::print("{}", text);
  else
    options.output.write(text);
}

void declare_report(CLI::App* verb, const LauncherWords&) {
  auto options = std::make_shared<ReportOptions>();
  verb->footer(
      "Example: tutti report table.json network.json -o report.html\n"
      "Example: tutti report table.json --format md\n"
      "Example: tutti report before.json after.json --compare -o report.html");
  verb->add_option("files", options->files,
                   "tables, knowledge, networks, profiles, and output of tutti bench --json and "
                   "tutti price --json")
      ->type_name("FILES")
      ->required();
  verb->add_option("--format", options->format, "format of the report: html, md, csv or json (default: html)")
      ->type_name("FORMAT")
      ->transform(named_value(std::map<std::string, PageFormat>{{"html", PageFormat::html},
                                                                {"md", PageFormat::markdown},
                                                                {"csv", PageFormat::csv},
                                                                {"json", PageFormat::json}}));
  verb->add_flag("--compare", options->compare,
                 "compare two files of one kind: which calls became slower or faster, side by side");
  options->output.add_to(*verb, "file to write the report to (default: standard output; required for html)",
                         false);
  verb->callback([options] { report(*options); });
}

}  // namespace

namespace verbs {

Verb report() {
  return {.name = "report",
          .summary = "write a page of what was gained, and why",
          .purpose = Purpose::share,
          .declare = declare_report};
}

}  // namespace verbs

}  // namespace tutti::tools
