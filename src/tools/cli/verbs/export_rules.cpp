#include <fmt/format.h>

#include "base/file.hpp"
#include "base/shell.hpp"
#include "choose/libraries/elsewhere.hpp"
#include "choose/libraries/mpich.hpp"
#include "choose/libraries/open_mpi.hpp"
#include "tools/cli/child.hpp"
#include "tools/cli/launcher.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/verb.hpp"

namespace tutti::tools {
namespace {

enum class Format { ompi_rules, ompi_json, ompi_han, mpich_json, intel, ucc };
const std::map<std::string, Format> formats{
    {"ompi-rules", Format::ompi_rules}, {"ompi-json", Format::ompi_json}, {"ompi-han", Format::ompi_han},
    {"mpich-json", Format::mpich_json}, {"intel", Format::intel},         {"ucc", Format::ucc}};

struct ExportOptions {
  std::string table, library;
  Format format = Format::ompi_rules;
  OutputOption output;
};

// How a user makes the library read the file, and the one that hands calls over, where there is
// one.
std::string use_of(Format format, const std::string& path, const std::string& handing_over) {
  if (format == Format::mpich_json)
    return fmt::format(
        "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={}{}{}", path,
        handing_over.empty() ? "" : " MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE=", handing_over);
  const auto of_han = [](const std::string& file) {
    return fmt::format(
        "OMPI_MCA_coll_han_use_dynamic_file_rules=1 OMPI_MCA_coll_han_dynamic_rules_filename={}", file);
  };
  if (format == Format::ompi_han) return of_han(path);
  const std::string variables = fmt::format(
      "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename={}", path);
  return handing_over.empty() ? variables : variables + " " + of_han(handing_over);
}

// Where coll/han serves calls that rules are for, it has to hand them over: a second file, by whose
// name. Where others do, nothing but their priority helps.
std::string hand_over(const ExportOptions& options, const std::vector<LibraryRules>& rules,
                      const Table& table) {
  for (const LibraryComponent& component : table.components)
    if (component.name != tuned_component && component.name != han_component &&
        !served_by(component.name, rules, table).empty())
      fmt::print(stderr,
                 "coll/{} stands above coll/tuned, which reads the file: set OMPI_MCA_coll_tuned_priority={} "
                 "with it, and coll/tuned serves all operations\n",
                 component.name, component.priority + 1);
  const auto of_han = served_by(han_component, rules, table);
  if (of_han.empty()) return "";
  if (!options.output.leaves_standard_output()) {
    fmt::print(stderr, "between hosts coll/han serves: write to a file (-o), and it is told as well\n");
    return "";
  }
  const OutputOption second{options.output.path + ".han"};
  second.write(open_mpi_han_rules(of_han));
  return second.path;
}

// MPICH itself, of which a file completes the decisions.
std::string mpich_library(const ExportOptions& options) {
  return options.library.empty() ? value_or_fail(library_of("mpich")) : options.library;
}

// MPICH's device comes before the algorithms, and has to hand calls to them as they are: a second
// file, by whose name.
std::string hand_over_by_device(const ExportOptions& options, const std::vector<LibraryRules>& rules) {
  const auto own = mpich_device_tree(value_or_fail(read_file(mpich_library(options))));
  if (!own) return "";
  if (!options.output.leaves_standard_output()) {
    fmt::print(
        stderr,
        "MPICH's device comes before the file's algorithms: write to a file (-o), and it is told as well\n");
    return "";
  }
  const OutputOption second{options.output.path + ".ch4"};
  second.write(value_or_fail(mpich_device_json(rules, *own)));
  return second.path;
}

std::string text_of(const ExportOptions& options, const std::vector<LibraryRules>& rules) {
  if (options.format == Format::ompi_rules) return open_mpi_rules(rules);
  if (options.format == Format::ompi_json) return open_mpi_json(rules);
  const std::string library = mpich_library(options);
  return value_or_fail(
      mpich_json(rules, value_or_fail(mpich_own_tree(value_or_fail(read_file(library)), library))));
}

// Writes shell lines that set variables, for libraries that can't be told by a file.
void write_variables(const ExportOptions& options, const Table& table) {
  const bool intel = options.format == Format::intel;
  const std::string& mpi = table.fingerprint.mpi;
  if (intel && mpi != "any" && !mpi.starts_with("Intel MPI"))
    throw Failure{fmt::format("table {} is of {}, which does not read such variables", options.table, mpi)};
  const ToldElsewhere told = intel ? intel_adjust(table) : ucc_tune(table);
  for (const std::string& what : told.without)
    fmt::print(stderr, "left to the library, which documents no such algorithm: {}\n", what);
  if (told.variables.empty())
    fmt::print(stderr, "no decision of the table has a counterpart there: the file changes nothing\n");
  std::string text =
      "# What gained as a plan of Tutti's need not gain as the library's own: compare before use.\n";
  for (const std::string& variable : told.variables) {
    const auto equals = variable.find('=') + 1;
    text += fmt::format("export {}{}\n", variable.substr(0, equals), shell_quoted(variable.substr(equals)));
  }
  options.output.write(text);
}

// What Open MPI may be told; says what it may not.
std::vector<LibraryRules> for_open_mpi(const OpenMpiRules& rules) {
  for (const std::string& what : rules.left_out()) fmt::print(stderr, "left to the library: {}\n", what);
  return rules.all();
}

// Writes which calls coll/han is to hand over.
void write_han_rules(const ExportOptions& options, const Table& table) {
  const auto of_han = for_open_mpi(served_by(han_component, best_of_library(table), table));
  if (of_han.empty())
    throw Failure{fmt::format(
        "table {}: coll/han serves no call for which another algorithm surely takes less; use ompi-rules",
        options.table)};
  options.output.write(open_mpi_han_rules(of_han));
  if (options.output.leaves_standard_output())
    fmt::print("run programs with {}\n", use_of(options.format, options.output.path, ""));
}

void write_rules(const ExportOptions& options) {
  const Table table = value_or_fail(parse_table(value_or_fail(read_file(options.table)), options.table));
  if (options.format == Format::intel || options.format == Format::ucc)
    return write_variables(options, table);
  if (table.library.empty())
    throw Failure{fmt::format(
        "table {} has no measurements of the library's own algorithms: tune with --library", options.table)};
  const bool is_mpich = table.fingerprint.is_of_mpich();
  if (is_mpich != (options.format == Format::mpich_json))
    throw Failure{fmt::format("table {} is of {}, which does not read such a file", options.table,
                              table.fingerprint.mpi)};
  if (options.format == Format::ompi_han) return write_han_rules(options, table);
  const auto rules = is_mpich ? best_of_library(table) : for_open_mpi(best_of_library(table));
  const std::string text = text_of(options, rules);
  if (rules.empty())
    fmt::print(
        stderr,
        "none of the library's algorithms surely takes less than its own choice: the file changes nothing\n");
  options.output.write(text);
  const std::string second =
      is_mpich ? hand_over_by_device(options, rules) : hand_over(options, rules, table);
  if (options.output.leaves_standard_output())
    fmt::print("run programs with {}\n", use_of(options.format, options.output.path, second));
}

void declare_export_rules(CLI::App* verb, const LauncherWords&) {
  auto options = std::make_shared<ExportOptions>();
  verb->footer("Example: tutti export table.json --format ompi-rules -o rules.conf");
  verb->add_option("table", options->table, "table to write rules of, as written by tutti tune --library")
      ->type_name("FILE")
      ->required();
  verb->add_option(
          "--format", options->format,
          "format of the file: ompi-rules for Open MPI's dynamic rules, ompi-json for the same from "
          "Open MPI 5.1 on, ompi-han for the calls that its component coll/han leaves to these rules, "
          "mpich-json for MPICH's selection "
          "of collectives; intel or ucc for shell lines that tell Intel MPI or UCC the table's plans "
          "by their own algorithms")
      ->type_name("FORMAT")
      ->required()
      ->transform(named_value(formats));
  verb->add_option("--library", options->library,
                   "shared library of MPICH whose own decisions complete the file (default: the one that "
                   "Tutti's programs are linked with)")
      ->type_name("FILE");
  options->output.add_to(*verb, "rules file to write");
  verb->callback([options] { write_rules(*options); });
}

}  // namespace

namespace verbs {

Verb export_rules() {
  return {.name = "export",
          .summary = "write rules that the MPI library itself reads",
          .purpose = Purpose::share,
          .declare = declare_export_rules};
}

}  // namespace verbs

}  // namespace tutti::tools
