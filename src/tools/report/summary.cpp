#include "tools/report/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/document.hpp"
#include "base/duration.hpp"
#include "base/json.hpp"
#include "base/share.hpp"
#include "base/size.hpp"
#include "tools/report/before_after_text.hpp"

namespace tutti::tools {
namespace {

constexpr std::size_t most_lines = 20;  // of a table

std::string where(const Json& campaign) {
  const auto mpi = campaign["mpi"].get<std::string>(), machine = campaign["machine"].get<std::string>();
  return mpi.empty() ? "of what MPI and machine it is, the file does not say"
                     : fmt::format("{} on {}", mpi, machine);
}

std::string headline(const Json& headline) {
  if (headline["points"] == 0) return "No point was measured both natively and with a plan.";
  std::string text = fmt::format(
      "**{:.2f} times as fast as native**, geometric mean of {} points; {} of them stay native.",
      headline["geometric_mean"].get<double>(), headline["points"].get<int>(), headline["native"].get<int>());
  if (headline.contains("largest")) {
    const Json& best = headline["largest"];
    text += fmt::format(" Largest gain: {:.2f} times, {} of {} bytes on {} ranks by `{}`.",
                        best["gain"].get<double>(), best["operation"].get<std::string>(),
                        size_text(best["size"]), best["ranks"].get<int>(), best["plan"].get<std::string>());
  }
  return text;
}

// What a plan took at a size, natively and as it was chosen.
struct Gain {
  std::string operation, plan;
  int ranks, hosts;
  std::size_t size;
  double native_s, chosen_s;
  // Of times that the clock did not see nothing is said.
  double factor() const { return native_s > 0 && chosen_s > 0 ? native_s / chosen_s : 1; }
};

double seconds_of(const Json& curve, const Json& plan, const Json& size) {
  for (const Json& series : curve["series"])
    if (series["plan"] == plan)
      for (const Json& point : series["points"])
        if (point[0] == size) return point[1];
  return 0;
}

std::vector<Gain> gains_of(const Json& campaign) {
  std::vector<Gain> gains;
  for (const Json& curve : campaign["curves"])
    for (const Json& chosen : curve["chosen"])
      if (chosen[1] != "native")
        gains.push_back({curve["operation"], chosen[1], curve["ranks"], curve["hosts"], chosen[0],
                         seconds_of(curve, "native", chosen[0]), seconds_of(curve, chosen[1], chosen[0])});
  std::ranges::stable_sort(gains, std::greater(), &Gain::factor);
  return gains;
}

std::string gains_table(const std::vector<Gain>& gains) {
  std::string text =
      "\n| operation | ranks | hosts | bytes | native | chosen | gain | plan "
      "|\n|---|--:|--:|--:|--:|--:|--:|---|\n";
  for (std::size_t i = 0; i < std::min(gains.size(), most_lines); ++i) {
    const Gain& gain = gains[i];
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {:.2f} | `{}` |\n", gain.operation, gain.ranks,
                        gain.hosts, size_text(gain.size), time_text(gain.native_s), time_text(gain.chosen_s),
                        gain.factor(), gain.plan);
  }
  if (gains.size() > most_lines) text += fmt::format("\nand {} more.\n", gains.size() - most_lines);
  return text;
}

std::string guidelines(const Json& campaign) {
  if (campaign["guidelines"].empty()) return "";
  std::string text =
      fmt::format("\nPerformance guidelines that {} violates:\n\n", campaign["mpi"].get<std::string>());
  for (const Json& one : campaign["guidelines"])
    text +=
        fmt::format("- {} of {} bytes on {} ranks takes {}, `{}` {}\n", one["operation"].get<std::string>(),
                    size_text(one["size"]), one["ranks"].get<int>(), time_text(one["native_s"]),
                    one["plan"].get<std::string>(), time_text(one["mended_s"]));
  return text;
}

std::string origin(const Json& campaign) {
  if (!campaign.contains("origin")) return "";
  const Json& origin = campaign["origin"];
  const auto arrival = origin["arrival"].get<std::string>(), blocks = origin["blocks"].get<std::string>();
  return fmt::format(
      "\nMade on {} in {:.0f} s by Tutti {}: `{}`\n{}{}", origin["date"].get<std::string>(),
      origin["seconds"].get<double>(), origin["version"].get<std::string>(),
      origin["command"].get<std::string>(),
      arrival.empty() ? "" : fmt::format("\nMeasured while ranks came to calls as {} has it.\n", arrival),
      blocks == name(BlockLengths::equal)
          ? ""
          : fmt::format("\nMeasured with {} blocks where the operation has some.\n", blocks));
}

std::string number(const Json& value) {
  return value.is_null() ? "" : json_text(value);
}

std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

void add_lines(std::string& text, const Json& group, const std::string& file) {
  for (const Json& curve : group["curves"])
    for (const Json& series : curve["series"])
      for (const Json& point : series["points"]) {
        const bool priced = point.size() == 2;
        const Json none;
        text += fmt::format("{},{},{},{},{},{}", csv_quoted(file), curve["operation"].get<std::string>(),
                            curve["ranks"].get<int>(), curve.contains("hosts") ? number(curve["hosts"]) : "",
                            number(point[0]), csv_quoted(series["plan"].get<std::string>()));
        for (std::size_t i = 1; i <= 7; ++i) text += fmt::format(",{}", priced ? "" : number(point[i]));
        text += fmt::format(",{}\n", number(priced ? point[1] : point[8] == 0.0 ? none : point[8]));
      }
}

}  // namespace

std::string to_markdown(const Json& document) {
  std::string text = fmt::format("# What Tutti gains\n\nReport of {}, Tutti {}.\n",
                                 document["date"].get<std::string>(), document["version"].get<std::string>());
  if (document.contains("comparison"))
    text += "\n## Before and after\n\n" + comparison_markdown(document["comparison"]);
  for (const Json& campaign : document["campaigns"]) {
    text += fmt::format("\n## {}: {}\n\n{}\n", campaign["file"].get<std::string>(), where(campaign),
                        headline(campaign["headline"]));
    if (const auto gains = gains_of(campaign); !gains.empty()) text += gains_table(gains);
    text += guidelines(campaign) + origin(campaign);
  }
  for (const Json& network : document["networks"])
    text += fmt::format("\n## {}: a network of {} ranks on {}\n", network["file"].get<std::string>(),
                        network["ranks"].get<int>(), counted(network["hosts"].get<int>(), "host"));
  for (const Json& profile : document["profiles"]) {
    text += fmt::format("\n## {}: a program on {} ranks of {}\n\n{} of {} in collective calls, {}.\n",
                        profile["file"].get<std::string>(), profile["ranks"].get<int>(),
                        counted(profile["hosts"].get<int>(), "host"), time_text(profile["collective_s"]),
                        time_text(profile["seconds"]),
                        share_text(profile["collective_s"].get<double>() /
                                   std::max(profile["seconds"].get<double>(), 1e-30)));
    if (!profile["late"].empty()) text += "\nRanks that others wait for:\n\n";
    for (const Json& late : profile["late"]) text += fmt::format("- {}\n", late["text"].get<std::string>());
  }
  if (!document["problems"].empty()) text += "\n## What could not be read\n\n";
  for (const Json& problem : document["problems"])
    text += fmt::format("- {}\n", problem["message"].get<std::string>());
  return text;
}

std::string to_csv(const Json& document) {
  std::string text =
      "file,operation,ranks,hosts,size,plan,seconds,low_s,high_s,ratio,ratio_low,ratio_high,repetitions,"
      "price_s\n";
  for (const Json& campaign : document["campaigns"])
    add_lines(text, campaign, campaign["file"].get<std::string>());
  for (const Json& prices : document["prices"]) add_lines(text, prices, prices["file"].get<std::string>());
  return text;
}

}  // namespace tutti::tools
