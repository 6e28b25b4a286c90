#include <fmt/format.h>

#include "base/document.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "choose/evidence/osu_output.hpp"
#include "choose/evidence/pico_results.hpp"
#include "choose/libraries/mpich.hpp"
#include "choose/libraries/open_mpi.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/verb.hpp"

namespace tutti::tools {
namespace {

struct ImportOptions {
  std::vector<std::string> files;
  std::string ranks, mpi = "any", machine = "any", operation, plan = "native";
  int hosts = 0;
  OutputOption output;
};

bool is_osu(const std::string& text) {
  return text.find("# OSU MPI") != text.npos;
}

bool is_mpich(const std::string& text) {
  return text.find("collective=") != text.npos;
}

// What of it has no plan of ours.
void say_what_is_missing(const std::vector<LibraryRules>& rules, const std::string& family) {
  std::set<std::string> missing;
  for (const LibraryRules& of : rules)
    for (const LibraryRule& rule : of.rules)
      if (!rule.algorithm.name.empty() && !counterpart(family, of.collective, rule.algorithm))
        missing.insert(fmt::format("{} of {}", rule.algorithm.text(), name(of.collective)));
  for (const std::string& algorithm : missing)
    fmt::print(stderr, "native, for Tutti has no such plan: {}\n", algorithm);
}

void read_rules(const ImportOptions& options, const std::string& text, const std::string& file) {
  const bool mpich = is_mpich(text);
  if (mpich && options.ranks.empty())
    throw Failure{
        "--ranks is missing: MPICH's files decide by conditions, which are looked up for these numbers of "
        "ranks"};
  const auto rules = value_or_fail(mpich ? parse_mpich_json(text, read_numbers(options.ranks, "ranks"), file)
                                         : parse_open_mpi_rules(text, file));
  const std::string family = mpich ? "mpich" : "openmpi";
  say_what_is_missing(rules, family);
  options.output.write(to_text(table_of(rules, family, {options.mpi, options.machine})));
}

// What the user says of a benchmark's output.
ImportedFrom told(const ImportOptions& options, const std::string& file) {
  ImportedFrom where{
      .source = file, .hosts = options.hosts, .plan = options.plan, .operation = options.operation};
  const auto ranks = options.ranks.empty() ? std::vector<int>{} : read_numbers(options.ranks, "ranks");
  if (ranks.size() > 1)
    throw Failure{"--ranks: a benchmark ran on one number of ranks; import its outputs one by one"};
  if (!ranks.empty()) where.ranks = ranks.front();
  return where;
}

Imported read_benchmark(const ImportOptions& options, const std::string& text, const std::string& file) {
  const ImportedFrom where = told(options, file);
  if (!is_osu(text)) return value_or_fail(parse_pico(text, where));
  if (where.ranks == 0 || where.hosts == 0)
    throw Failure{fmt::format(
        "{}: OSU's output does not say where it ran: name the ranks and hosts with --ranks and --hosts",
        file)};
  return value_or_fail(parse_osu(text, where));
}

void write_measurements(const ImportOptions& options, Imported&& all) {
  compare_with_native(all);
  for (const std::string& what : all.left_out) fmt::print(stderr, "left out: {}\n", what);
  if (all.measurements.empty())
    throw Failure{"nothing was imported: the files hold no times of collective operations"};
  options.output.write(json_text(Json(all.measurements), 1) + "\n");
}

void import_files(const ImportOptions& options) {
  options.output.check();
  if (!options.operation.empty()) read_collective(options.operation);
  Imported all;
  for (const std::string& file : options.files) {
    const std::string text = value_or_fail(read_file(file));
    if (is_osu(text) || is_pico(text))
      all.add(read_benchmark(options, text, file));
    else if (options.files.size() == 1)
      return read_rules(options, text, file);
    else
      throw Failure{
          fmt::format("{} is no output of OSU's or PICO's; rules are imported one file at a time", file)};
  }
  write_measurements(options, std::move(all));
}

void declare_import_rules(CLI::App* verb, const LauncherWords&) {
  auto options = std::make_shared<ImportOptions>();
  verb->footer(
      "Example: tutti import rules.conf -o table.json\n"
      "         tutti import osu_*.txt --ranks 96 --hosts 2 -o measured.json");
  verb->add_option(
          "files", options->files,
          "rules: Open MPI's dynamic rules, as numbers or JSON, or MPICH's selection of collectives; or "
          "any number of outputs of OSU micro-benchmarks and of PICO's result files")
      ->type_name("FILE")
      ->required();
  verb->add_option(
          "--ranks", options->ranks,
          "numbers of ranks to look up in MPICH's selection, such as 16,32; of a benchmark the number "
          "that it ran on")
      ->type_name("NUMBERS");
  verb->add_option("--hosts", options->hosts, "number of hosts that a benchmark ran on")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  verb->add_option("--op", options->operation, "operation that one of PICO's runs measured")->type_name("OP");
  verb->add_option("--plan", options->plan,
                   "plan that OSU's benchmark ran by, unless a line '# Plan: NAME' in the output says it")
      ->type_name("PLAN")
      ->capture_default_str();
  verb->add_option("--mpi", options->mpi, "MPI library that the table is for, such as 'Open MPI 4.1.4'")
      ->type_name("MPI")
      ->capture_default_str();
  verb->add_option("--machine", options->machine, "machine that the table is for, as tables name it")
      ->type_name("NAME")
      ->capture_default_str();
  options->output.add_to(*verb, "table to write; of benchmarks, measurements as bench --json prints them");
  verb->callback([options] { import_files(*options); });
}

}  // namespace

namespace verbs {

Verb import_rules() {
  return {.name = "import",
          .summary = "make tables of rules files, and measurements of OSU's and PICO's files",
          .purpose = Purpose::share,
          .declare = declare_import_rules};
}

}  // namespace verbs

}  // namespace tutti::tools
