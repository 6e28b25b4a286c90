#include "tools/report/before_after_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/duration.hpp"
#include "base/json.hpp"
#include "base/size.hpp"
#include "choose/evidence/statistics.hpp"

namespace tutti::tools {
namespace {

std::size_t count_of(const BeforeAfter& comparison, Change change) {
  return static_cast<std::size_t>(std::ranges::count(comparison.calls, change, &ComparedCalls::change));
}

// The mean of the ratios of all calls that have one.
double mean_ratio(const BeforeAfter& comparison) {
  std::vector<double> ratios;
  for (const ComparedCalls& one : comparison.calls)
    if (one.ratio.middle > 0 && std::isfinite(one.ratio.middle)) ratios.push_back(one.ratio.middle);
  return geometric_mean(ratios);
}

Json number_of(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json interval_to_json(const Interval& interval) {
  return {number_of(interval.low), number_of(interval.middle), number_of(interval.high)};
}

Json side_to_json(const ComparedSide& side) {
  Json json{{"file", side.file},
            {"mpi", stack_text(side.fingerprint)},
            {"machine", side.fingerprint.machine},
            {"about", side.about},
            {"alone", side.alone}};
  if (side.run_s) json["run_s"] = *side.run_s;
  return json;
}

Json calls_to_json(const ComparedCalls& calls) {
  Json json{{"calls", calls.calls},
            {"change", name(calls.change)},
            {"before_s", interval_to_json(calls.before)},
            {"after_s", interval_to_json(calls.after)},
            {"ratio", interval_to_json(calls.ratio)},
            {"before_plan", calls.before_plan},
            {"after_plan", calls.after_plan}};
  if (calls.of_run) json["of_run"] = *calls.of_run;
  return json;
}

Interval interval_from_json(const Json& json) {
  const auto bound = [&](std::size_t i) {
    return json[i].is_null() ? std::numeric_limits<double>::infinity() : json[i].get<double>();
  };
  return {bound(0), bound(1), bound(2)};
}

std::string plans_in_turn(const std::string& before, const std::string& after) {
  return before == after ? before : fmt::format("{}, then {}", before, after);
}

// A field of a table; a bar would end it.
std::string in_table(std::string text) {
  for (std::size_t at = text.find('|'); at != text.npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

std::string side_line(const char* when, const Json& side) {
  std::string text = fmt::format("- {}: `{}`", when, side["file"].get<std::string>());
  if (side["mpi"] != "")
    text += fmt::format(", {} on {}", side["mpi"].get<std::string>(), side["machine"].get<std::string>());
  if (side["about"] != "") text += ", " + side["about"].get<std::string>();
  if (side.contains("run_s")) text += fmt::format("; the run took {}", time_text(side["run_s"]));
  if (!side["alone"].empty())
    text += fmt::format("; {} of calls only here, such as {}", counted(side["alone"].size(), "kind"),
                        side["alone"].front().get<std::string>());
  return text + "\n";
}

std::string calls_line(const Json& one) {
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} | {} |\n", in_table(one["calls"]), one["change"].get<std::string>(),
      change_text(interval_from_json(one["ratio"])),
      one.contains("of_run") ? fmt::format("{:+.1f} %", 100 * one["of_run"].get<double>()) : "",
      time_text(interval_from_json(one["before_s"]).middle),
      time_text(interval_from_json(one["after_s"]).middle),
      in_table(plans_in_turn(one["before_plan"], one["after_plan"])));
}

}  // namespace

std::string side_text(const ComparedSide& side) {
  const std::string mpi = stack_text(side.fingerprint);
  return fmt::format("{}{}{}", side.file,
                     mpi.empty() ? "" : fmt::format(": {} on {}", mpi, side.fingerprint.machine),
                     side.about.empty() ? "" : ", " + side.about);
}

std::string change_text(const Interval& ratio) {
  if (!std::isfinite(ratio.middle)) return "not known";
  return std::isfinite(ratio.high)
             ? fmt::format("{:.2f} ({:.2f} .. {:.2f})", ratio.middle, ratio.low, ratio.high)
             : fmt::format("{:.2f}", ratio.middle);
}

std::vector<std::string> different_places(const BeforeAfter& comparison) {
  std::vector<std::string> all;
  for (const FingerprintField& field : fingerprint_fields) {
    const std::string &before = comparison.before.fingerprint.*field.value,
                      &after = comparison.after.fingerprint.*field.value;
    if (!before.empty() && !after.empty() && before != after)
      all.push_back(fmt::format("{}: {} / {}", field.name, before, after));
  }
  return all;
}

std::string named(const ComparedCalls& calls) {
  const std::string plans = plans_in_turn(calls.before_plan, calls.after_plan);
  return plans.empty() ? calls.calls : fmt::format("{} ({})", calls.calls, plans);
}

std::string verdict_text(const BeforeAfter& comparison) {
  const auto slow = comparison.too_slow();
  std::string text =
      slow.empty() ? fmt::format("nothing surely takes more than {:.4g} times as long", comparison.threshold)
                   : fmt::format(
                         "SLOWER: {} of {} kinds of calls surely take more than {:.4g} times as long, "
                         "the first of them {}: {:.2f}",
                         slow.size(), comparison.calls.size(), comparison.threshold, named(*slow.front()),
                         slow.front()->ratio.middle);
  text += fmt::format("; of {} compared ", comparison.calls.size());
  std::vector<std::string> counts;
  for (const Change change : {Change::surely_slower, Change::perhaps_slower, Change::alike,
                              Change::perhaps_faster, Change::surely_faster})
    if (const std::size_t count = count_of(comparison, change); count > 0)
      counts.push_back(fmt::format("{} {}", count, name(change)));
  return text + fmt::format("{}; geometric mean of the ratios {:.2f}", fmt::join(counts, ", "),
                            mean_ratio(comparison));
}

Json to_json(const BeforeAfter& comparison) {
  Json json{{"kind", comparison.kind},
            {"threshold", comparison.threshold},
            {"verdict", verdict_text(comparison)},
            {"too_slow", comparison.too_slow().size()},
            {"geometric_mean", mean_ratio(comparison)},
            {"differs", different_places(comparison)},
            {"before", side_to_json(comparison.before)},
            {"after", side_to_json(comparison.after)},
            {"calls", Json::array()}};
  for (const ComparedCalls& one : comparison.calls) json["calls"].push_back(calls_to_json(one));
  return json;
}

std::string comparison_markdown(const Json& comparison) {
  constexpr std::size_t most_lines = 20;
  std::string text = fmt::format("**{}**\n\n", comparison["verdict"].get<std::string>());
  for (const char* when : {"before", "after"}) text += side_line(when, comparison[when]);
  for (const Json& place : comparison["differs"])
    text += fmt::format("- differs: {}\n", place.get<std::string>());
  std::vector<const Json*> changed;
  for (const Json& one : comparison["calls"])
    if (one["change"] != name(Change::alike)) changed.push_back(&one);
  if (changed.empty()) return text;
  text +=
      "\n| calls | change | ratio | of the run | before | after | plan |\n"
      "|---|---|--:|--:|--:|--:|---|\n";
  for (std::size_t i = 0; i < std::min(changed.size(), most_lines); ++i) text += calls_line(*changed[i]);
  if (changed.size() > most_lines) text += fmt::format("\nand {} more.\n", changed.size() - most_lines);
  return text;
}

}  // namespace tutti::tools
