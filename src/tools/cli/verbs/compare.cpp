#include <fmt/format.h>

#include "base/document.hpp"
#include "base/duration.hpp"
#include "base/json.hpp"
#include "base/size.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/verb.hpp"
#include "tools/report/before_after_text.hpp"

namespace tutti::tools {
namespace {

constexpr std::size_t shown_calls = 20;
constexpr int became_slower = 3;  // the exit status

struct CompareOptions {
  std::string before, after;
  double threshold = accepted_ratio;
  bool markdown = false, json = false;
};

void print_alone(const ComparedSide& side) {
  if (side.alone.empty()) return;
  fmt::print("only in {}, not compared: {} of calls, such as {}\n", side.file,
             counted(side.alone.size(), "kind"), side.alone.front());
}

void print(const BeforeAfter& comparison) {
  fmt::print("before  {}\nafter   {}\n", side_text(comparison.before), side_text(comparison.after));
  for (const std::string& place : different_places(comparison)) fmt::print("differs: {}\n", place);
  if (comparison.before.run_s && comparison.after.run_s)
    fmt::print("the run: {}, then {}\n", time_text(*comparison.before.run_s),
               time_text(*comparison.after.run_s));
  print_alone(comparison.before);
  print_alone(comparison.after);
  fmt::print("\n{:<16}{:>24}{:>10}{:>12}{:>12}  {}\n", "change", "ratio", "of run", "before", "after",
             "calls");
  std::size_t lines = 0;
  for (const ComparedCalls& one : comparison.calls) {
    if (lines++ == shown_calls) {
      fmt::print("and {} of calls (--json has all)\n",
                 counted(comparison.calls.size() - shown_calls, "more kind"));
      break;
    }
    fmt::print("{:<16}{:>24}{:>10}{:>12}{:>12}  {}\n", name(one.change), change_text(one.ratio),
               one.of_run ? fmt::format("{:+.1f} %", 100 * *one.of_run) : "-", time_text(one.before.middle),
               time_text(one.after.middle), named(one));
  }
  fmt::print("\nverdict: {}\n", verdict_text(comparison));
}

void compare(const CompareOptions& options) {
  const BeforeAfter comparison =
      value_or_fail(tools::compare(options.before, options.after, options.threshold));
  if (options.json)
    fmt::print("{}\n", json_text(to_json(comparison), 1));
  else if (options.markdown)
    fmt::print("{}", comparison_markdown(to_json(comparison)));
  else
    print(comparison);
  if (!comparison.too_slow().empty()) throw Ended{became_slower};
}

void declare_compare(CLI::App* verb, const LauncherWords&) {
  auto options = std::make_shared<CompareOptions>();
  verb->footer(
      "Example: tutti compare before.json after.json\n"
      "Example: tutti compare before.json after.json --markdown >> comment.md\n"
      "The exit status is 3 where calls surely became slower by more than the threshold. A change is\n"
      "sure where the intervals of both sides do not meet.");
  verb->add_option("before", options->before,
                   "profile, table, knowledge, or output of tutti bench --json, from before a change")
      ->type_name("BEFORE")
      ->required();
  verb->add_option("after", options->after, "file of the same kind as BEFORE, from after the change")
      ->type_name("AFTER")
      ->required();
  verb->add_option(
          "--threshold", options->threshold,
          "ratio of times, after over before, that is still accepted; a smaller change is alike unless it "
          "is sure")
      ->type_name("RATIO")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 1000.0));
  auto* markdown =
      verb->add_flag("--markdown", options->markdown, "print Markdown, such as for a merge request");
  verb->add_flag("--json", options->json,
                 "print a JSON object of verdict, sides and calls; times in seconds, each with its bounds")
      ->excludes(markdown);
  verb->callback([options] { compare(*options); });
}

}  // namespace

namespace verbs {

Verb compare() {
  return {.name = "compare",
          .summary = "compare two profiles, tables or sets of measurements: what became slower",
          .purpose = Purpose::understand,
          .declare = declare_compare};
}

}  // namespace verbs

}  // namespace tutti::tools
