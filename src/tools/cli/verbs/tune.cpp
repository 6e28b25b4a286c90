#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "base/document.hpp"
#include "base/duration.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/size.hpp"
#include "choose/evidence/call_class.hpp"
#include "choose/evidence/table_network.hpp"
#include "choose/offline/guidelines.hpp"
#include "choose/offline/journal.hpp"
#include "choose/offline/own_algorithms.hpp"
#include "choose/profile/advice.hpp"
#include "core/network/network_file.hpp"
#include "tools/cli/interrupt.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/progress_bar.hpp"
#include "tools/cli/settings_in_force.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/cli/tuning.hpp"
#include "tools/cli/validating.hpp"
#include "tools/cli/verb.hpp"
#include "tools/cli/worker_client.hpp"
#include "tutti/version.hpp"

namespace tutti::tools {
namespace {

struct TuneOptions {
  OperationsOption operations;
  std::string sizes = "8,128,1K,8K,64K,512K";
  std::string ranks, hosts, ranks_per_host;
  std::string budget = "60s";
  bool budget_is_given = false;
  std::string validated;
  bool repair = false;
  OutputOption table;
  bool system = false;
  std::string network, profile;
  StencilOption stencil;
  ArrivalOption arrival;
  BlocksOption blocks;
  bool exhaustive = false;
  bool reproducible = false;
  bool exact = false;
  bool library = false;
  bool json = false;
  LauncherOptions launcher;
  std::string typed;  // the command
};

// The table that serves all programs on this machine under that MPI.
std::string system_path(const Launcher& launcher) {
  const std::filesystem::path folder = system_folder();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Failure{
        fmt::format("{}: {}; be its administrator, or set TUTTI_HOME", folder.string(), error.message())};
  return (folder / (launcher.mpi().name + ".json")).string();
}

// Numbers of ranks that programs like: powers of two and thrice those, whole hosts, all.
std::vector<int> likely_ranks(const Site& site) {
  std::set<int> likely{site.ranks};
  const auto add = [&](int ranks) {
    if (ranks >= 2 && ranks <= site.ranks) likely.insert(ranks);
  };
  for (int power = 2; power <= site.ranks; power *= 2) {
    add(power);
    add(power / 2 * 3);
  }
  const auto a_host = static_cast<int>(std::count(site.hosts.begin(), site.hosts.end(), site.hosts.front()));
  for (int hosts = 1; hosts * a_host <= site.ranks; hosts *= 2) add(hosts * a_host);
  return {likely.begin(), likely.end()};
}

// Each of the named numbers of hosts with each of ranks on a host; none where nobody names any. Of
// what is not named there is as much as the launcher starts.
std::vector<HostShape> shapes_for(const TuneOptions& options, const Site& site) {
  if (options.hosts.empty() && options.ranks_per_host.empty()) return {};
  const int all = count(site.hosts);
  std::vector<int> on_host(static_cast<std::size_t>(all));
  for (const int host : site.hosts) ++on_host[static_cast<std::size_t>(host)];
  auto shapes =
      shapes_of(options.hosts.empty() ? std::vector{all} : read_numbers(options.hosts, "hosts"),
                options.ranks_per_host.empty() ? std::vector{*std::ranges::min_element(on_host)}
                                               : read_numbers(options.ranks_per_host, "ranks on a host"));
  if (shapes.empty()) throw Failure{"one rank has nothing to tune; name more hosts, or more ranks on a host"};
  for (const HostShape& shape : shapes) value_or_fail(ranks_of(shape, site.hosts));
  return shapes;
}

// Where a program spends its time in operations, most of it first, on as many ranks as there are.
// What takes next to nothing is left.
std::vector<Point> points_for(const Profile& profile, const std::vector<Called>& operations, int stencil,
                              BlockLengths lengths, int most_ranks) {
  constexpr double worth_it = 0.001;  // of the run
  std::vector<Point> points;
  for (const CallGroup& group : groups_of(profile)) {
    const int ranks = group.placement.ranks;
    const double seconds = group.seconds / std::max(1, profile.profiled_ranks);
    if (ranks < 2 || ranks > most_ranks || group.placement.hosts == 0 ||
        seconds < worth_it * profile.seconds ||
        std::ranges::find(operations, group.collective, &Called::collective) == operations.end())
      continue;
    const std::size_t size = group.size_of_call();
    const Point point{group.collective,
                      ranks,
                      group.collective == Collective::barrier ? 0
                      : size < 16                             ? std::max<std::size_t>(size, 1)
                                                              : size / 8 * 8,
                      Mode::blocking,
                      stencil,
                      lengths};
    if (std::ranges::find(points, point) == points.end()) points.push_back(point);
  }
  if (points.empty())
    throw Failure{fmt::format(
        "the program spends too little time in collectives of up to {} ranks for tuning to matter",
        most_ranks)};
  return points;
}

// How far a time is from the limit. Where ranks outnumber cores they leave the barrier before a
// measurement one after another, and the late ones find their data there: times below the limit
// mean nothing.
std::string distance_text(double seconds, double limit) {
  return limit > 0 && seconds >= limit ? fmt::format("{:.2f}", seconds / limit) : "-";
}

constexpr double share_of_library = 0.4;  // of what the start and the links leave of the budget

// The MPI library's own algorithms at all points that were tuned, in the time that is left.
std::vector<Measurement> measured_library(const Table& tuned, WorkerClient& worker, double until_s,
                                          const std::function<double()>& clock, ProgressBar& bar) {
  std::set<Point> points;
  for (const Measurement& m : tuned.measurements)
    if (m.mode == Mode::blocking && !traits(m.collective).on_neighbors)
      points.insert({m.collective, m.ranks, m.size});
  std::vector<Measurement> all;
  std::set<std::string> said;
  auto left = static_cast<double>(points.size());
  for (const Point& point : points) {
    constexpr int most_repetitions = 1000;
    constexpr double hanging = 10;
    const double share = std::max(0.0, until_s - clock()) / left--;
    bar.show(clock() / until_s, "the library's own algorithms",
             fmt::format(": {} on {} ranks, {}", name(point.collective), point.ranks, size_text(point.size)));
    const auto samples = worker.measure_library(
        point, {.repetitions = most_repetitions, .seconds = share, .latest_s = share + hanging});
    if (!samples) {
      fmt::print(stderr, "left out: {} of the library: {}\n", name(point.collective),
                 samples.error().message);
      continue;
    }
    for (const LibraryComponent& above : samples->above)
      if (said.insert(above.name).second)
        fmt::print(stderr,
                   "left out: coll/{} (priority {}) serves in place of coll/tuned, whose algorithms are not "
                   "asked; OMPI_MCA_coll_tuned_priority={}, here and for programs, puts them first\n",
                   above.name, above.priority, above.priority + 1);
    for (Measurement& measured : summarize(point, *samples)) all.push_back(std::move(measured));
  }
  bar.clear();
  return all;
}

constexpr double most_drawn = 8;  // a speed-up whose bar is full

// What a point gained: native against the plan that the rules give there.
void print_points(const Table& table, const RuleSet& set, std::vector<double>& speedups) {
  fmt::print("\n{} on {} ranks, {}; size: {}\n", set.called().name(), set.placement.ranks,
             counted(set.placement.hosts, "host"), describe_size(set.collective));
  fmt::print("{:>10}{:>14}{:>14}{:>10}{:>16}  {}\n", "size", "native", "tuned", "speed-up", "time / limit",
             "plan");
  const TableLimit table_limit(table, set.placement);
  for (const Measurement& native : table.measurements) {
    if (native.plan != "native" || native.called() != set.called() ||
        Placement{native.ranks, native.hosts} != set.placement)
      continue;
    const Rule* rule = set.find(native.size);
    const Measurement& tuned =
        *std::find_if(table.measurements.begin(), table.measurements.end(), [&](const Measurement& m) {
          return m.called() == native.called() && m.ranks == native.ranks && m.size == native.size &&
                 m.hosts == native.hosts && m.plan == rule->plan.text();
        });
    const double limit = table_limit.of(set.collective, native.size);
    speedups.push_back(native.seconds.middle / tuned.seconds.middle);
    fmt::print("{:>10}{:>14}{:>14}{:>10.2f}{:>16}  {:<44}{}\n", size_text(native.size),
               time_text(native.seconds.middle), time_text(tuned.seconds.middle), speedups.back(),
               distance_text(tuned.seconds.middle, limit),
               tuned.plan + (native.unstable ? " (unstable)" : ""),
               bar(speedups.back() / most_drawn, speedups.back() > 1));
  }
}

void print(const Table& table) {
  std::vector<double> speedups;
  for (const RuleSet& set : table.rule_sets) print_points(table, set, speedups);
  double logarithms = 0;
  for (const double speedup : speedups) logarithms += std::log(speedup);
  const bool groups_count = std::ranges::any_of(
      table.rule_sets, [&](const RuleSet& set) { return TableLimit(table, set.placement).knows_groups(); });
  fmt::print("\ngeometric mean of the speed-up over {}: {:.2f}; limit from alpha {} and beta {}/MB{}\n",
             counted(speedups.size(), "point"), std::exp(logarithms / static_cast<double>(speedups.size())),
             time_text(table.network.alpha), time_text(table.network.beta * 1e6),
             groups_count ? ", and from what groups let through" : "");
}

// For the makers of the MPI library.
void print_guidelines(const Table& table) {
  const auto violated = violated_guidelines(table);
  if (violated.empty()) return;
  fmt::print("\nperformance guidelines that {} violates:\n", table.fingerprint.mpi);
  for (const auto& [native, mended] : violated)
    fmt::print("  {} of {} on {} ranks takes {}, {} {} ({:.2f} of it)\n", traits(native.collective).mpi_name,
               size_text(native.size), native.ranks, time_text(native.seconds.middle), mended.plan,
               time_text(mended.seconds.middle), mended.ratio_to_native.middle);
}

// Measures again what a table decided, and mends what has drifted where that is asked for.
void validate_table(const TuneOptions& options, const Launcher& launcher) {
  if (const auto table = read_file(options.validated); table && names_library_algorithm(*table))
    let_library_listen();
  std::vector<Called> only;
  if (!options.operations.words.empty()) only = options.operations.read_called();
  validate({.table = options.validated,
            .output = options.table,
            .operations = only,
            .budget_s = options.budget_is_given ? std::optional(read_seconds(options.budget)) : std::nullopt,
            .network = options.network,
            .stencil = options.stencil.points,
            .exhaustive = options.exhaustive,
            .fixed_order = options.reproducible,
            .repair = options.repair,
            .json = options.json},
           value_or_fail(WorkerClient::start(launcher, options.launcher.start_limit_s())));
}

// A profile and a network count by what they say, for their files may be others by now, and on
// whatever hosts tuning goes on.
TuningTerms terms_of(const TuneOptions& options) {
  std::error_code none;
  const std::string& arrival = options.arrival.text;
  return {.fixed_order = options.reproducible,
          .exhaustive = options.exhaustive,
          .arrival =
              std::filesystem::is_regular_file(arrival, none) ? value_or_fail(read_file(arrival)) : arrival,
          .lengths = options.blocks.lengths,
          .network = options.network.empty() ? "" : to_text(read_network(options.network))};
}

void tune(TuneOptions options) {
  const auto clock = budget_clock(), watch = stopwatch();
  TuningRequest request{.operations = options.operations.read_called(),
                        .ranks = {},
                        .sizes = read_sizes(options.sizes),
                        .budget_s = read_seconds(options.budget),
                        .network = {},
                        .exhaustive = options.exhaustive,
                        .fixed_order = options.reproducible,
                        .stencil = options.stencil.points,
                        .lengths = options.blocks.lengths};
  options.blocks.check(request.operations);
  for (const Called& called : request.operations) {
    refuse_persistent(called);
    if (!options.profile.empty() && called.mode != Mode::blocking)
      throw Failure{"--for tunes for blocking calls; name bcast, for example, in place of ibcast"};
  }
  // Neighbours are a program's own: they are tuned for where somebody names them.
  if (options.operations.words.empty())
    std::erase_if(request.operations,
                  [](const Called& called) { return traits(called.collective).on_neighbors; });
  const Launcher launcher = options.launcher.recognise();
  if (!options.validated.empty()) {
    if (!options.repair && !options.table.path.empty())
      throw Failure{"--validate writes a table with --repair only; add it, or leave -o out"};
    return validate_table(options, launcher);
  }
  if (options.system) options.table.path = system_path(launcher);
  if (options.table.path.empty())
    throw Failure{"-o is missing: the table to write; or --system, for all programs on this machine"};
  options.table.check();
  const auto arrival = options.arrival.read();
  const double until_s = request.budget_s;
  if (options.library) let_library_listen();
  WorkerClient worker = value_or_fail(WorkerClient::start(launcher, options.launcher.start_limit_s()));
  worker.use_arrival(arrival);
  const Site& site = worker.site();
  request.ranks = options.ranks.empty()     ? std::vector<int>{site.ranks}
                  : options.ranks == "auto" ? likely_ranks(site)
                                            : read_numbers(options.ranks, "ranks");
  if (request.ranks.back() > site.ranks)
    throw Failure{
        fmt::format("--ranks {}: the launcher starts only {} ranks", request.ranks.back(), site.ranks)};
  if (site.ranks < 2) throw Failure{"one rank has nothing to tune; start at least two"};

  if (!options.profile.empty())
    request.points = points_for(read_profile(options.profile), options.operations.read_called(),
                                options.stencil.points, options.blocks.lengths, site.ranks);

  const auto shapes = shapes_for(options, site);
  ProgressBar bar;
  request.network = network_of(options.network, worker, request.budget_s, clock, bar);
  worker.use_network(request.network);
  if (options.library) request.budget_s -= share_of_library * std::max(0.0, until_s - clock());

  const TuningTerms terms = terms_of(options);
  end_gently();
  std::vector<Journal> journals;
  auto result = shapes.empty()
                    ? tune_on(request, worker, journals.emplace_back(options.table.path, terms), clock, bar)
                    : tune_shapes(request, shapes, worker, options.table.path, terms, clock, bar, journals);
  bar.clear();
  if (!result) throw Failure{result.error().message};
  result->table.exact = options.exact;
  if (options.library) {
    result->table.library = measured_library(result->table, worker, until_s, clock, bar);
    if (result->table.library.empty())
      fmt::print(stderr,
                 "the library has no switches of its algorithms that Tutti knows; nothing can be exported\n");
    decide_on_own_algorithms(result->table, site, options.reproducible);
  }
  result->table.origin = {options.typed, date_text(today()),   watch(),
                          TUTTI_VERSION, options.arrival.text, options.blocks.lengths};
  options.table.write(to_text(result->table));

  if (options.table.leaves_standard_output()) {
    if (options.json) {
      fmt::print("{}\n", json_text(Json(result->table.measurements), 1));
    } else {
      print(result->table);
      print_guidelines(result->table);
    }
  }
  for (const std::string& why : result->left_out) fmt::print(stderr, "left out: {}\n", why);
  if (result->unmeasured == 0)
    for (const Journal& journal : journals) journal.remove();
  else
    fmt::print(
        stderr,
        "the budget left {} unmeasured, which means native: the same command again goes on from there\n",
        counted(result->unmeasured, "point"));
}

void declare_tune(CLI::App* verb, const LauncherWords& launcher) {
  auto options = std::make_shared<TuneOptions>();
  options->launcher.command = launcher.words;
  options->typed = launcher.typed;
  verb->footer(
      "Example: tutti tune bcast allreduce --budget 60s -o table.json -- mpirun -n 4\n"
      "Example: tutti tune --hosts 2,4,8 --ranks-per-host 1,8,48 -o table.json -- srun -N 8 -n 384\n"
      "Example: tutti tune --validate table.json --repair -- mpirun -n 4\n"
      "A run that was interrupted goes on where it was when the same command is given again.");
  options->operations.add_to(*verb);
  verb->add_option("--sizes", options->sizes,
                   "message sizes in bytes; sizes between them are measured where neighbours disagree")
      ->type_name("SIZES")
      ->capture_default_str();
  verb->add_option(
          "--ranks", options->ranks,
          "numbers of ranks of communicators to tune for, such as 16,64 (default: all ranks of the "
          "launcher); auto for powers of two, numbers between them that programs often have, and whole hosts")
      ->type_name("NUMBERS");
  for (auto* option :
       {verb->add_option(
            "--hosts", options->hosts,
            "numbers of hosts, such as 2,4,8, each tuned with each of --ranks-per-host, in one job and "
            "into one table (default: all hosts)"),
        verb->add_option(
            "--ranks-per-host", options->ranks_per_host,
            "numbers of ranks on each host, such as 1,8,48 (default: as many as all hosts have)")})
    option->type_name("NUMBERS")->excludes("--ranks");
  auto* budget = verb->add_option("--budget", options->budget, "time for everything")
                     ->type_name("TIME")
                     ->capture_default_str();
  options->table.add_to(*verb, "table to write", false);
  verb->add_flag("--system", options->system,
                 "write the table where tutti run looks by itself: to $TUTTI_HOME, or /etc/tutti")
      ->excludes("--output");
  verb->add_option("--for", options->profile,
                   "profile of the program to tune for, as written by tutti run --profile; its most "
                   "important calls come first")
      ->type_name("FILE")
      ->excludes("--sizes")
      ->excludes("--ranks")
      ->excludes("--hosts")
      ->excludes("--ranks-per-host");
  auto* validated =
      verb->add_option(
              "--validate", options->validated,
              "table whose decisions are measured again, each against native and the runner-up, in a "
              "tenth of the time that it took to tune (of --budget, where that is given)")
          ->type_name("FILE")
          ->excludes("--sizes")
          ->excludes("--ranks")
          ->excludes("--hosts")
          ->excludes("--ranks-per-host")
          ->excludes("--for")
          ->excludes("--system");
  verb->add_flag("--repair", options->repair,
                 "tune anew what --validate finds drifted, and write the table: to -o, or in its place")
      ->needs(validated);
  options->stencil.add_to(*verb);
  CLI::Option* blocks = options->blocks.add_to(*verb)->excludes(validated);
  CLI::Option* arrival = options->arrival.add_to(*verb)->excludes(validated);
  verb->add_option("--network", options->network,
                   "network, as written by tutti probe (default: a short probe)")
      ->type_name("FILE");
  verb->add_flag("--exhaustive", options->exhaustive,
                 "measure all plans, not only those that the network's model finds fast");
  verb->add_flag(
      "--reproducible", options->reproducible,
      "tune for programs under --float-sums reproducible, with plans of one fixed order for reductions");
  verb->add_flag("--exact", options->exact,
                 "let the table serve only communicators of these very numbers of ranks and hosts")
      ->excludes(validated);
  verb->add_flag("--library", options->library,
                 "measure also the MPI library's own algorithms, by its own switches: as plans of the table, "
                 "and for tutti export")
      ->excludes(validated)
      ->excludes(arrival)
      ->excludes(blocks)
      ->excludes("--hosts")
      ->excludes("--ranks-per-host");
  verb->add_flag("--json", options->json,
                 "print a JSON array of all measurements: operation, ranks, size, plan, median_s, low_s, "
                 "high_s, ratio_to_native");
  options->launcher.add_to_measuring(*verb);
  verb->callback([options, budget] {
    options->budget_is_given = budget->count() > 0;
    tune(*options);
  });
}

}  // namespace

namespace verbs {

Verb tune() {
  return {.name = "tune",
          .summary = "find the best plan for each operation and size, write a table",
          .purpose = Purpose::tune,
          .declare = declare_tune};
}

}  // namespace verbs

}  // namespace tutti::tools
