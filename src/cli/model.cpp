#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>

#include "cli/verb.hpp"
#include "text/file.hpp"
#include "text/size.hpp"
#include "tuning/measurement.hpp"

namespace tutti::cli {
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
  fmt::print("{:<14}{:<24}{:<12}{:<16}{:<38}{:<44}{}\n", "operation", "plan", "ranks p", "bytes b", "seconds",
             "coefficients", "deviation (mean, most)");
  for (const auto& [collective, plan, seconds] : model.entries)
    for (const auto& piece : seconds.pieces())
      fmt::print("{:<14}{:<24}{:<12}{:<16}{:<38}{:<44}{:.1f} %, {:.1f} %\n", name(collective), plan,
                 range_text(piece.ranks_min, piece.ranks_max, fmt::format("{}", piece.ranks_min),
                            fmt::format("{}", piece.ranks_max)),
                 range_text(piece.bytes_min, piece.bytes_max, bytes(piece.bytes_min), bytes(piece.bytes_max)),
                 formula(piece.form), fmt::format("{:.4g}", fmt::join(piece.coefficients, " ")),
                 piece.mean_deviation * 100, piece.max_deviation * 100);
}

void fit_model(const ModelOptions& options) {
  std::map<std::pair<Collective, std::string>, std::vector<Timing>> timings;
  for (const std::string& path : options.measurements)
    for (const Measurement& m : value_or_fail(parse_measurements(value_or_fail(read_file(path)), path)))
      if (m.seconds.middle > 0)
        timings[{m.collective, m.plan}].push_back({m.ranks, static_cast<double>(m.size), m.seconds.middle});
  if (timings.empty()) throw Failure{"there is nothing to fit: no measurements"};
  RuntimeModel model;
  for (const auto& [key, list] : timings) model.entries.push_back({key.first, key.second, fit(list)});
  options.output.write(to_text(model));
  if (options.output.leaves_standard_output()) print(model);
}

void show_model(const ModelOptions& options) {
  print(read_runtime_model(options.model));
}

}  // namespace

void add_model(CLI::App& app) {
  auto options = std::make_shared<ModelOptions>();
  CLI::App* verb = app.add_subcommand("model", "runtime functions: what operations take by ranks and bytes");
  verb->require_subcommand(1);
  CLI::App* fit = verb->add_subcommand("fit", "fit functions to measurements");
  fit->footer(
      "Example: tutti bench gather --sizes 1K,64K --plan linear --json -- mpirun -n 4 > bench.json\n"
      "         tutti model fit bench.json -o model.json");
  fit->add_option("measurements", options->measurements, "what tutti bench --json printed, or tables")
      ->required();
  options->output.add_to(*fit, "the file to write");
  fit->callback([options] { fit_model(*options); });
  CLI::App* show = verb->add_subcommand("show", "print a model's functions");
  show->footer("Example: tutti model show model.json");
  show->add_option("model", options->model, "a model, as written by tutti model fit")->required();
  show->callback([options] { show_model(*options); });
}

}  // namespace tutti::cli
