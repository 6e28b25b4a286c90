#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/document.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "choose/libraries/mpich.hpp"
#include "choose/libraries/open_mpi.hpp"
#include "core/plan/closed_form.hpp"
#include "core/plan/composition_template.hpp"
#include "core/synthesis/known_network.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/verb.hpp"
#include "tools/report/drawing.hpp"

namespace tutti::tools {
namespace {

Json to_json(Collective collective, const Algorithm& algorithm) {
  Json parameters = Json::array();
  for (const Parameter& parameter : algorithm.parameters)
    parameters.push_back({{"name", parameter.name},
                          {"meaning", parameter.meaning},
                          {"values", parameter.values},
                          {"default", parameter.values.front()}});
  return {{"operation", name(collective)},
          {"name", algorithm.name},
          {"summary", algorithm.summary},
          {"wins", algorithm.wins},
          {"commutative_only", algorithm.commutative_only},
          {"even_ranks_only", algorithm.even_ranks_only},
          {"reproducible", algorithm.keeps_fixed_order == on_any_ranks       ? "always"
                           : algorithm.keeps_fixed_order == on_powers_of_two ? "powers of two"
                                                                             : "never"},
          {"closed_form", closed_form(algorithm)},
          {"parameters", parameters},
          {"source", citation(algorithm)}};
}

// "only for operations that commute", "reproducible"; empty if there is nothing to say.
std::string_view restriction(const Algorithm& algorithm) {
  return algorithm.commutative_only                        ? "only for operations that commute"
         : algorithm.even_ranks_only                       ? "only for even numbers of ranks"
         : algorithm.keeps_fixed_order == on_any_ranks     ? "reproducible"
         : algorithm.keeps_fixed_order == on_powers_of_two ? "reproducible on powers of two"
                                                           : "";
}

void print(const Algorithm& algorithm, bool is_long) {
  fmt::print("  {:<24}{}\n", algorithm.name, algorithm.summary);
  if (!is_long) return;
  fmt::print("  {:<24}wins: {}\n", "", algorithm.wins);
  for (const Parameter& parameter : algorithm.parameters)
    fmt::print("  {:<24}{}: {} ({}; default {})\n", "", parameter.name, parameter.meaning,
               fmt::join(parameter.values, ", "), parameter.values.front());
  if (!restriction(algorithm).empty()) fmt::print("  {:<24}{}\n", "", restriction(algorithm));
  if (const std::string form = closed_form(algorithm); !form.empty())
    fmt::print("  {:<24}time: {}\n", "", form);
  fmt::print("  {:<24}{}\n", "", citation(algorithm));
}

// What a plan can name of the MPI library's own; the one that runs may have others.
void print_librarys(Collective collective) {
  if (!make_plan(collective, "native(any)")) return;
  std::vector<std::string> by_library;
  for (const auto& [library, names] : {std::pair("Open MPI", open_mpi_algorithms(collective)),
                                       std::pair("MPICH", mpich_algorithms(collective))})
    if (!names.empty()) by_library.push_back(fmt::format("with {}: {}", library, fmt::join(names, ", ")));
  if (by_library.empty()) return;
  fmt::print("  {:<24}the MPI library's own algorithm of that name, {}\n", "native(NAME)",
             fmt::join(by_library, "; "));
}

constexpr int sample_ranks = 8;

// On few ranks, in rounds, and where some block is longer, in a few pieces; nothing of what is
// computed for a network, and of what has no messages.
std::optional<std::string> picture_of(Collective collective, const Algorithm& algorithm) {
  const Plan plan = Plan::of(collective, algorithm.name);
  const auto topology = StencilOption{.points = 9}.topology(collective, sample_ranks);
  const Setting setting{
      .ranks = sample_ranks, .topology = topology ? &*topology : nullptr, .longer = 8 << 10};
  if (plan.is_computed() || plan.refusal(setting)) return std::nullopt;
  constexpr std::size_t bytes = 64 << 10;
  const Schedule schedule = generate(plan, shape_of(plan, setting, 0, bytes));
  const Timetable timetable = timetable_in_rounds(schedule);
  if (timetable.end == 0) return std::nullopt;
  return draw(schedule, timetable,
              fmt::format("{} {} on {} ranks", name(collective), plan.text(), sample_ranks), {.small = true});
}

std::string picture_name(Collective collective, const Algorithm& algorithm) {
  return fmt::format("{}-{}.svg", name(collective), algorithm.name);
}

void draw_all(const std::vector<Collective>& wanted, const std::string& folder) {
  for (const Collective collective : wanted)
    for (const Algorithm& algorithm : all_algorithms())
      if (!is_irregular(collective) && serves(algorithm, collective))
        if (const auto picture = picture_of(collective, algorithm))
          value_or_fail(
              write_file(fmt::format("{}/{}", folder, picture_name(collective, algorithm)), *picture));
}

// The catalogue's page of the documentation.
void print_markdown(const std::vector<Collective>& wanted) {
  fmt::print(
      "# Algorithms\n\n"
      "`tutti list --markdown` writes this page. The column *time* is the [closed\n"
      "form](glossary.md#closed-form) of the literature for n bytes on p ranks: n is the vector, or all\n"
      "ranks' blocks together; α is the latency of a message, β the time a byte takes on a link, γ the time\n"
      "to combine a byte. A form with parameters is that of their first values; where none stands, none is\n"
      "declared. `tutti price` gives times on a network that was measured.\n");
  for (const Collective collective : wanted) {
    if (is_irregular(collective)) continue;  // told with the regular one
    std::string title;
    for (const CollectiveTraits& served : collectives)
      if (served.regular == collective) title += (title.empty() ? "" : ", ") + std::string(served.name);
    fmt::print(
        "\n## {}\n\n| plan | on {} ranks | what it does | when it wins | time | source |\n| --- | --- | --- "
        "| "
        "--- | --- | --- |\n",
        title, sample_ranks);
    for (const Algorithm& algorithm : all_algorithms()) {
      if (!serves(algorithm, collective)) continue;
      std::string parameters;
      for (const Parameter& parameter : algorithm.parameters)
        parameters += fmt::format("; `{}`: {} ({})", parameter.name, parameter.meaning,
                                  fmt::join(parameter.values, ", "));
      const std::string picture =
          picture_of(collective, algorithm)
              ? fmt::format("![{} {} on {} ranks](pictures/algorithms/{})", name(collective), algorithm.name,
                            sample_ranks, picture_name(collective, algorithm))
              : "";
      fmt::print("| `{}` | {} | {}{}{}{} | {} | {} | {} |\n", algorithm.name, picture, algorithm.summary,
                 parameters, restriction(algorithm).empty() ? "" : "; ", restriction(algorithm),
                 algorithm.wins, closed_form(algorithm), citation(algorithm));
    }
  }
}

// Plans that serve `ranks` ranks, as neighbours on a stencil where the operation is between
// neighbours.
std::vector<Plan> plans_on(Collective collective, int ranks) {
  const auto topology = StencilOption{.points = 9}.topology(collective, ranks);
  return known_plans(collective, {.ranks = ranks, .topology = topology ? &*topology : nullptr});
}

void print_plans(const std::vector<Collective>& wanted, std::optional<int> ranks) {
  for (const Collective collective : wanted)
    for (const Plan& plan : ranks ? plans_on(collective, *ranks) : known_plans(collective))
      fmt::print("{} {}\n", name(collective), plan.text());
}

// Prints the plans that are computed for a network.
void print_computed(const std::vector<Collective>& wanted, const Network& network, int ranks) {
  const KnownNetwork known = KnownNetwork::of(network, ranks);
  for (const Collective collective : wanted)
    for (const Plan& plan : known_plans(collective, {.ranks = ranks, .network = &known}))
      if (plan.is_computed()) fmt::print("{} {}\n", name(collective), plan.text());
}

// Prints each composition with the MPI library's phases, and with algorithms.
void print_composed(const std::vector<Collective>& wanted, int ranks) {
  for (const Collective collective : wanted)
    for (const CompositionTemplate& composition : templates(collective, {.ranks = ranks}, {64, 1024})) {
      std::vector<Plan> algorithms;
      for (const CompositionTemplate::Slot& slot : composition.slots)
        algorithms.push_back(known_plans(slot.collective, {.ranks = slot.ranks, .has_memory = false}).back());
      for (const Plan& plan : {composition.head, composition.filled(algorithms)})
        if (!plan.refusal({.ranks = ranks})) fmt::print("{} {}\n", name(collective), plan.text());
    }
}

void declare_list(CLI::App* verb, const LauncherWords&) {
  struct Options {
    OperationsOption operations;
    bool plans = false;
    std::optional<int> ranks;
    bool composed = false;
    std::string network;
    bool markdown = false;
    std::string pictures;
    bool is_long = false;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  verb->footer("Example: tutti list allreduce");
  options->operations.add_to(*verb);
  auto* plans = verb->add_flag("--plans", options->plans,
                               "print only the texts of all plans, one a line after its operation");
  verb->add_option("--ranks", options->ranks, "number of ranks that the plans have to serve")
      ->type_name("N")
      ->needs(plans)
      ->check(CLI::PositiveNumber);
  verb->add_flag("--composed", options->composed,
                 "print compositions only: grids, lanes, ways by other collectives, series of pieces")
      ->needs(plans)
      ->needs("--ranks");
  verb->add_option("--network", options->network,
                   "network whose computed plans are to be printed, as written by tutti probe")
      ->type_name("FILE")
      ->needs(plans)
      ->needs("--ranks")
      ->excludes("--composed");
  auto* markdown =
      verb->add_flag("--markdown", options->markdown, "print the page docs/algorithms.md")->excludes(plans);
  verb->add_option("--pictures", options->pictures,
                   "folder to draw all plans into that can be drawn on 8 ranks")
      ->type_name("FOLDER")
      ->excludes(plans)
      ->excludes(markdown);
  verb->add_flag("--long", options->is_long,
                 "print parameters, closed forms, restrictions and sources of all operations, as for "
                 "operations that are named")
      ->excludes(plans)
      ->excludes(markdown);
  verb->add_flag("--json", options->json, "print a JSON array")->excludes(plans)->excludes(markdown);
  verb->callback([options] {
    const auto wanted = options->operations.read();
    if (options->composed) return print_composed(wanted, *options->ranks);
    if (!options->network.empty())
      return print_computed(wanted, read_network(options->network), *options->ranks);
    if (options->plans) return print_plans(wanted, options->ranks);
    if (options->markdown) return print_markdown(wanted);
    if (!options->pictures.empty()) return draw_all(wanted, options->pictures);
    const bool is_long = options->is_long || !options->operations.words.empty();
    Json array = Json::array();
    for (const Collective collective : wanted) {
      if (!options->json) fmt::print("{}\n", name(collective));
      for (const Algorithm& algorithm : all_algorithms()) {
        if (!serves(algorithm, collective)) continue;
        if (options->json)
          array.push_back(to_json(collective, algorithm));
        else
          print(algorithm, is_long);
      }
      if (is_long && !options->json) print_librarys(collective);
    }
    if (options->json) fmt::print("{}\n", json_text(array, 1));
  });
}

}  // namespace

namespace verbs {

Verb list() {
  return {.name = "list",
          .summary = "list the algorithms of every operation",
          .purpose = Purpose::understand,
          .declare = declare_list};
}

}  // namespace verbs

}  // namespace tutti::tools
