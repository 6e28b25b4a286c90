#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "base/file.hpp"
#include "base/share.hpp"
#include "base/size.hpp"
#include "choose/evidence/measurement.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/verb.hpp"

namespace tutti::tools {
namespace {

struct ModelOptions {
  std::vector<std::string> measurements;
  OutputOption output;
  std::string model;
};

std::string range_text(double least, double most, const std::string& least_text,
                       const std::string& most_text) {
  return least == most ? least_text : fmt::format("{} .. {}", least_text, most_text);
}

void print(const RuntimeModel& model) {
  const auto bytes = [](double size) { return size_text(static_cast<std::size_t>(size)); };
  fmt::print("{:<14}{:<24}{:<44}{:<12}{:<16}{:<38}{:<44}{}\n", "operation", "plan", "groups", "ranks p",
             "bytes b", "seconds", "coefficients", "deviation (mean, most)");
  for (const auto& [collective, plan, seconds, kind, leaves] : model.entries)
    for (const auto& piece : seconds.pieces())
      fmt::print("{:<14}{:<24}{:<44}{:<12}{:<16}{:<38}{:<44}{}, {}\n", name(collective), plan, describe(kind),
                 range_text(piece.ranks_min, piece.ranks_max, fmt::format("{}", piece.ranks_min),
                            fmt::format("{}", piece.ranks_max)),
                 range_text(piece.bytes_min, piece.bytes_max, bytes(piece.bytes_min), bytes(piece.bytes_max)),
                 formula(piece.form), fmt::format("{:.4g}", fmt::join(piece.coefficients, " ")),
                 share_text(piece.mean_deviation, 1), share_text(piece.max_deviation, 1));
}

// One group by itself, where nothing else is said.
Situation situation_when(const Measurement& m) {
  return m.situation.value_or(Situation{.place = m.hosts == m.ranks ? Place::spread
                                                 : m.hosts == 1     ? Place::within
                                                                    : Place::packed});
}

// After which share of the longest time each rank is done.
std::vector<double> shares_of(std::vector<double> leaves_s) {
  const double last = *std::max_element(leaves_s.begin(), leaves_s.end());
  for (double& each : leaves_s) each = last > 0 ? each / last : 1;
  return leaves_s;
}

// Element by element; all of one length.
std::vector<double> mean_of(const std::vector<std::vector<double>>& lists) {
  std::vector<double> mean(lists.front().size());
  for (const auto& list : lists)
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += list[i] / static_cast<double>(lists.size());
  return mean;
}

void fit_model(const ModelOptions& options) {
  struct Measured {
    std::vector<Timing> timings;
    std::map<int, std::vector<std::vector<double>>> leaves;  // by ranks of a group: shares, of each size
  };
  std::map<std::tuple<Collective, std::string, Situation::Kind>, Measured> measured;
  for (const std::string& path : options.measurements)
    for (const Measurement& m : value_or_fail(parse_measurements(value_or_fail(read_file(path)), path)))
      if (m.seconds.middle > 0 && m.mode == Mode::blocking) {
        const Situation situation = situation_when(m);
        Measured& of_kind = measured[{m.collective, m.plan, situation.kind()}];
        of_kind.timings.push_back(
            {m.ranks, static_cast<double>(m.size), m.seconds.middle, situation.sharing});
        if (!m.leaves_s.empty()) of_kind.leaves[m.ranks].push_back(shares_of(m.leaves_s));
      }
  if (measured.empty()) throw Failure{"there is nothing to fit: no measurements"};
  RuntimeModel model;
  for (const auto& [key, of_kind] : measured) {
    const auto& [collective, plan, kind] = key;
    model.entries.push_back({collective, plan, fit(of_kind.timings), kind});
    for (const auto& [ranks, list] : of_kind.leaves) model.entries.back().leaves[ranks] = mean_of(list);
  }
  options.output.write(to_text(model));
  if (options.output.leaves_standard_output()) print(model);
}

void show_model(const ModelOptions& options) {
  print(read_runtime_model(options.model));
}

void declare_model(CLI::App* verb, const LauncherWords&) {
  auto options = std::make_shared<ModelOptions>();
  verb->require_subcommand(1);
  verb->footer("Example: tutti model fit bench.json -o model.json");
  CLI::App* fit = verb->add_subcommand("fit", "fit functions to measurements")->group(inner_verbs);
  fit->footer(
      "Example: tutti bench gather --sizes 1K,64K --plan linear --json -- mpirun -n 4 > bench.json\n"
      "         tutti model fit bench.json -o model.json");
  fit->add_option("measurements", options->measurements, "output of tutti bench --json, or tables")
      ->type_name("FILES")
      ->required();
  options->output.add_to(*fit, "file to write the model to");
  fit->callback([options] { fit_model(*options); });
  CLI::App* show = verb->add_subcommand("show", "print a model's functions")->group(inner_verbs);
  show->footer("Example: tutti model show model.json");
  show->add_option("model", options->model, "model, as written by tutti model fit")
      ->type_name("FILE")
      ->required();
  show->callback([options] { show_model(*options); });
}

}  // namespace

namespace verbs {

Verb model() {
  return {.name = "model",
          .summary = "fit run-time functions to measurements, and print them",
          .purpose = Purpose::tune,
          .declare = declare_model};
}

}  // namespace verbs

}  // namespace tutti::tools
