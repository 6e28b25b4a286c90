#include <fmt/format.h>

#include "base/file.hpp"
#include "choose/libraries/mpich.hpp"
#include "choose/libraries/open_mpi.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/verb.hpp"

namespace tutti::tools {
namespace {

struct ImportOptions {
  std::string file, ranks, mpi = "any", machine = "any";
  OutputOption table;
};

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

void read_rules(const ImportOptions& options) {
  options.table.check();
  const std::string text = value_or_fail(read_file(options.file));
  const bool mpich = is_mpich(text);
  if (mpich && options.ranks.empty())
    throw Failure{
        "--ranks is missing: MPICH's files decide by conditions, which are looked up for these numbers of "
        "ranks"};
  const auto rules =
      value_or_fail(mpich ? parse_mpich_json(text, read_numbers(options.ranks, "ranks"), options.file)
                          : parse_open_mpi_rules(text, options.file));
  const std::string family = mpich ? "mpich" : "openmpi";
  say_what_is_missing(rules, family);
  options.table.write(to_text(table_of(rules, family, {options.mpi, options.machine})));
}

void declare_import_rules(CLI::App* verb, const LauncherWords&) {
  auto options = std::make_shared<ImportOptions>();
  verb->footer("Example: tutti import rules.conf -o table.json");
  verb->add_option("file", options->file,
                   "rules: Open MPI's dynamic rules, as numbers or JSON, or MPICH's selection of collectives")
      ->type_name("FILE")
      ->required();
  verb->add_option("--ranks", options->ranks,
                   "numbers of ranks to look up in MPICH's selection, such as 16,32")
      ->type_name("NUMBERS");
  verb->add_option("--mpi", options->mpi, "MPI library that the table is for, such as 'Open MPI 4.1.4'")
      ->type_name("MPI")
      ->capture_default_str();
  verb->add_option("--machine", options->machine, "machine that the table is for, as tables name it")
      ->type_name("NAME")
      ->capture_default_str();
  options->table.add_to(*verb, "table to write");
  verb->callback([options] { read_rules(*options); });
}

}  // namespace

namespace verbs {

Verb import_rules() {
  return {.name = "import",
          .summary = "make a table from a rules file of Open MPI or MPICH",
          .purpose = Purpose::share,
          .declare = declare_import_rules};
}

}  // namespace verbs

}  // namespace tutti::tools
