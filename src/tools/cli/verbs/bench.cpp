#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/document.hpp"
#include "base/duration.hpp"
#include "base/json.hpp"
#include "base/size.hpp"
#include "choose/evidence/call_class.hpp"
#include "choose/evidence/osu_output.hpp"
#include "core/network/native_steps.hpp"
#include "core/plan/compositions/split.hpp"
#include "core/synthesis/known_network.hpp"
#include "tools/cli/interrupt.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/progress_bar.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/cli/tuning.hpp"
#include "tools/cli/verb.hpp"
#include "tools/cli/worker_client.hpp"

namespace tutti::tools {
namespace {

struct BenchOptions {
  OperationOption operation;
  std::vector<std::string> plans;
  std::string network;
  std::string sizes = "8,1K,10K,100K";
  std::vector<std::string> groups;
  int ranks = 0;
  int repetitions = 50;
  std::optional<double> seconds;
  StencilOption stencil;
  ArrivalOption arrival;
  BlocksOption blocks;
  enum class Format { text, osu } format = Format::text;
  bool json = false, overlap = false;
  LauncherOptions launcher;

  // In a simulation every plan runs once, however long that takes, unless the user bounds it.
  double seconds_for(const Site& site) const { return seconds.value_or(site.simulated ? 1e9 : 5); }
};

// "split(auto)" is in pieces of `piece` bytes.
std::vector<Plan> read_plans(Collective collective, const std::vector<std::string>& texts,
                             std::size_t piece) {
  if (texts == std::vector<std::string>{"all"}) return known_plans(collective);
  std::vector<Plan> plans{Plan::native(collective)};
  for (const std::string& text : texts) {
    Plan plan = value_or_fail(make_plan(collective, with_pieces(text, piece)));
    if (std::find(plans.begin(), plans.end(), plan) == plans.end()) plans.push_back(std::move(plan));
  }
  return plans;
}

// Keeps the plans that serve the setting; one that was asked for by name has to.
void keep_serving(std::vector<Plan>& plans, const Setting& setting, bool by_name) {
  if (by_name)
    for (const Plan& plan : plans)
      if (const auto why = plan.refusal(setting)) throw Failure{*why};
  std::erase_if(plans, [&setting](const Plan& plan) { return plan.refusal(setting).has_value(); });
}

// Keeps the plans that do not wait in the MPI library; one that was asked for by name has to.
void keep_nonblocking(std::vector<Plan>& plans, bool by_name) {
  const auto blocks = [](const Plan& plan) { return !plan.is_native() && plan.waits_in_library(); };
  if (const auto found = std::ranges::find_if(plans, blocks); by_name && found != plans.end())
    throw Failure{fmt::format("{} would block", found->text())};
  std::erase_if(plans, blocks);
}

// Prints a measurement, with a bar of its time over the slowest of its point.
void print(const Measurement& m, double slowest_s) {
  fmt::print("{:>10}  {:<40}{:>12}{:>25}{:>10}{:>18}{}\n", size_text(m.size), m.plan,
             time_text(m.seconds.middle),
             fmt::format("{} .. {}", time_text(m.seconds.low), time_text(m.seconds.high)),
             fmt::format("{:.3f}", m.ratio_to_native.middle),
             fmt::format("{:.3f} .. {:.3f}", m.ratio_to_native.low, m.ratio_to_native.high),
             bar(m.seconds.middle / slowest_s, m.ratio_to_native.high < 1));
}

// Nothing is left out in silence.
void print_left_out(const std::vector<Plan>& plans, const Measured& measured, std::size_t size) {
  if (!measured.left_out.empty()) fmt::print(stderr, "left out: {}\n", measured.left_out);
  if (measured.of_plans.empty() || measured.of_plans.size() == plans.size()) return;
  std::string missing;
  for (const Plan& plan : plans)
    if (std::none_of(measured.of_plans.begin(), measured.of_plans.end(),
                     [&](const Measurement& m) { return m.plan == plan.text(); }))
      missing += (missing.empty() ? "" : " ") + plan.text();
  fmt::print(stderr, "left out at {}, for the time was up (--seconds): {}\n", size_text(size), missing);
}

void print_header(Called called, std::string_view where, const Fingerprint& fingerprint) {
  fmt::print("{} on {}, {}; size: {}\n{:>10}  {:<40}{:>12}{:>25}{:>10}{:>18}\n", called.name(), where,
             fingerprint.mpi, describe_size(called.collective), "size", "plan", "median", "95 % interval",
             "ratio", "95 % interval");
}

// Measures and prints, or collects for --json.
class Benchmark {
 public:
  /// A benchmark of `points` points.
  Benchmark(const BenchOptions& options, WorkerClient& worker, std::size_t points)
      : options_(options), worker_(worker), points_(points) {}

  void on_first_ranks(const Point& point, const std::vector<Plan>& plans) {
    if (interrupted()) return;
    begin(point);
    report(worker_.measure(point, plans, effort()), point, plans, std::nullopt);
  }

  void beside(const NativeStep& stage, const std::vector<Plan>& plans) {
    if (interrupted()) return;
    const Point point{stage.collective, static_cast<int>(stage.groups.front().size()), stage.bytes};
    begin(point);
    report(worker_.measure_beside(stage.groups, point, plans, effort()), point, plans, stage.situation);
  }

  void print_collected() const {
    if (options_.json) fmt::print("{}\n", json_text(collected_, 1));
    for (const auto& [heading, rows] : osu_) fmt::print("\n{}{}", heading, rows);
  }

 private:
  void begin(const Point& point) {
    bar_.show_step(begun_++, points_, fmt::format("{} of {}", point.called().name(), size_text(point.size)));
  }

  Measurer::Effort effort() const {
    // In a simulation times repeat exactly, unless ranks come at times that are drawn.
    const bool repeats = worker_.site().simulated && options_.arrival.text.empty();
    return {.repetitions = repeats ? 1 : options_.repetitions,
            .seconds = options_.seconds_for(worker_.site()),
            .behind = options_.overlap ? Measurer::Behind::computing : Measurer::Behind::nothing};
  }

  void report(const Result<Measurer::Samples>& samples, const Point& point, const std::vector<Plan>& plans,
              const std::optional<Situation>& situation) {
    bar_.clear();
    if (!samples && interrupted()) return;
    if (options_.format == BenchOptions::Format::osu)
      return collect_osu(value_or_fail(samples), point, plans);
    Measured measured = summarize(point, plans, value_or_fail(samples));
    double slowest_s = 0;
    for (const Measurement& m : measured.of_plans) slowest_s = std::max(slowest_s, m.seconds.middle);
    for (Measurement& m : measured.of_plans) {
      m.situation = situation;
      if (options_.json)
        collected_.push_back(m);
      else
        print(m, slowest_s);
    }
    print_left_out(plans, measured, point.size);
  }

  // OSU's benchmarks print a table each, so of each plan one is printed when all sizes are there.
  void collect_osu(const Measurer::Samples& samples, const Point& point, const std::vector<Plan>& plans) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (samples.seconds[i].empty()) continue;
      const std::string heading = osu_heading(point.called(), plans[i].text());
      auto found = std::ranges::find(osu_, heading, &std::pair<std::string, std::string>::first);
      if (found == osu_.end()) found = osu_.insert(found, {heading, ""});
      found->second += osu_row(point.called(), point.size, samples.seconds[i]);
    }
    print_left_out(plans, summarize(point, plans, samples), point.size);
  }

  const BenchOptions& options_;
  WorkerClient& worker_;
  std::size_t points_, begun_ = 0;
  ProgressBar bar_;
  Json collected_ = Json::array();
  std::vector<std::pair<std::string, std::string>> osu_;  // heading and rows
};

// The phases of a grid: who works beside whom, and how much they pass on; after those of several
// groups the first one by itself.
std::vector<NativeStep> stages_of_grid(Collective collective, const std::string& extents,
                                       const Setting& setting, std::size_t size) {
  const Plan grid = value_or_fail(make_plan(collective, fmt::format("grid({})", extents)));
  if (const auto why = grid.refusal(setting)) throw Failure{*why};
  const std::size_t bytes = total_bytes(collective, setting, size);
  const Schedule schedule = generate(grid, shape_of(grid, setting, 0, bytes));
  std::vector<NativeStep> stages;
  for (NativeStep& stage :
       native_steps(schedule, match_native_phases(schedule), bytes, *setting.hosts).list) {
    for (const auto& group : stage.groups)
      if (group.size() != stage.groups.front().size())
        throw Failure{
            fmt::format("--groups {}: groups have {} and {} ranks; a grid's have to be alike to be "
                        "measured at once",
                        extents, stage.groups.front().size(), group.size())};
    stages.push_back(stage);
    if (stage.groups.size() == 1) continue;
    stage.groups.resize(1);
    stage.situation = situation_of(stage.groups, *setting.hosts);
    stages.push_back(std::move(stage));
  }
  return stages;
}

void bench_groups(const BenchOptions& options, Collective collective, const Setting& setting,
                  const std::vector<std::size_t>& sizes, WorkerClient& worker) {
  std::map<std::string, std::size_t> stages;
  std::size_t points = 0;
  for (const std::string& extents : options.groups) {
    stages[extents] = stages_of_grid(collective, extents, setting, sizes.front()).size();
    points += stages[extents] * sizes.size();
  }
  Benchmark benchmark(options, worker, points);
  for (const std::string& extents : options.groups)
    for (std::size_t number = 0; number < stages[extents]; ++number)
      for (const std::size_t size : sizes) {
        const NativeStep stage = stages_of_grid(collective, extents, setting, size)[number];
        const auto plans = read_plans(stage.collective, options.plans, 0);
        if (size == sizes.front() && !options.json)
          print_header({stage.collective},
                       fmt::format("{} ranks: phase of grid({}), {}", stage.groups.front().size(), extents,
                                   describe(stage.situation)),
                       worker.site().fingerprint);
        benchmark.beside(stage, plans);
      }
  benchmark.print_collected();
}

void bench(const BenchOptions& options) {
  const Called called = options.operation.read_called();
  const Collective collective = called.collective;
  refuse_persistent(called);
  options.blocks.check({called});
  const bool in_osu_format = options.format == BenchOptions::Format::osu;
  if (in_osu_format && called.mode != Mode::blocking)
    throw Failure{
        "--format osu has the columns of blocking operations; use --json for those that return at once"};
  if (options.overlap && called.mode == Mode::blocking)
    throw Failure{"--overlap is about operations that return at once, such as ibcast"};
  if (!options.groups.empty() && called.mode == Mode::nonblocking)
    throw Failure{"--groups measures blocking operations, of which grids are made"};
  const auto network =
      options.network.empty() ? std::nullopt : std::optional<Network>(read_network(options.network));
  auto plans = read_plans(collective, options.plans, network ? network->piece(collective) : 0);
  const auto sizes =
      collective == Collective::barrier ? std::vector<std::size_t>{0} : read_sizes(options.sizes);
  const Launcher launcher = options.launcher.recognise();
  const auto arrival = options.arrival.read();
  if (std::ranges::any_of(options.plans, names_library_algorithm)) let_library_listen();
  WorkerClient worker = value_or_fail(WorkerClient::start(launcher, options.launcher.start_limit_s()));
  worker.use_arrival(arrival);
  const int ranks = options.ranks == 0 ? worker.site().ranks : options.ranks;
  if (ranks > worker.site().ranks)
    throw Failure{fmt::format("--ranks {}: the launcher starts only {} ranks", ranks, worker.site().ranks)};
  std::optional<KnownNetwork> known;
  if (network) {
    const Network here = on_hosts_of(*network, "network " + options.network, worker);
    worker.use_network(here);
    known = KnownNetwork::of(here, ranks);
  }
  const auto topology = options.stencil.topology(collective, ranks);
  const Setting setting{.ranks = ranks,
                        .hosts = &worker.site().hosts,
                        .network = known ? &*known : nullptr,
                        .has_memory = !worker.site().simulated,
                        .topology = topology ? &*topology : nullptr};
  if (called.mode == Mode::nonblocking)
    keep_nonblocking(plans, options.plans != std::vector<std::string>{"all"});
  end_gently();
  if (!options.groups.empty()) return bench_groups(options, collective, setting, sizes, worker);
  keep_serving(plans, setting, options.plans != std::vector<std::string>{"all"});
  if (!options.json && !in_osu_format)
    print_header(called, fmt::format("{} ranks, {}", ranks, counted(count(worker.site().hosts), "host")),
                 worker.site().fingerprint);
  Benchmark benchmark(options, worker, sizes.size());
  for (const std::size_t size : sizes)
    benchmark.on_first_ranks(
        {collective, ranks, size, called.mode, options.stencil.points, options.blocks.lengths}, plans);
  benchmark.print_collected();
}

void declare_bench(CLI::App* verb, const LauncherWords& launcher) {
  auto options = std::make_shared<BenchOptions>();
  options->launcher.command = launcher.words;
  verb->footer("Example: tutti bench bcast --plan binomial --plan ring --sizes 1K,100K -- mpirun -n 4");
  options->operation.add_to(*verb, true);
  verb->add_option("--plan", options->plans, "plan to measure, or all; may be repeated")
      ->type_name("PLAN")
      ->required()
      ->allow_extra_args(false);
  verb->add_option("--sizes", options->sizes, "message sizes in bytes, such as 1K,64K")
      ->type_name("SIZES")
      ->capture_default_str();
  verb->add_option("--ranks", options->ranks,
                   "number of ranks to measure on, the first ones of the launcher's")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  verb->add_option("--repetitions", options->repetitions, "largest number of repetitions of each plan")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  verb->add_option("--seconds", options->seconds,
                   "longest time for each size; plans that are left out are named (default: 5, in a "
                   "simulation unbounded)")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  verb->add_option("--network", options->network,
                   "network for computed plans and for the pieces of split(auto), as written by tutti probe")
      ->type_name("FILE");
  verb->add_option("--groups", options->groups,
                   "grid, such as 8x12 or node, whose phases are measured, each with all its groups at once; "
                   "may be repeated")
      ->type_name("EXTENTS")
      ->excludes("--network");
  options->stencil.add_to(*verb);
  options->blocks.add_to(*verb)->excludes("--groups");
  CLI::Option* arrival = options->arrival.add_to(*verb);
  verb->add_flag("--overlap", options->overlap,
                 "measure how nonblocking operations overlap: between start and end the ranks compute for as "
                 "long as the blocking operation takes natively, and times are without that computation")
      ->excludes(arrival);
  static const std::map<std::string, BenchOptions::Format> formats{{"text", BenchOptions::Format::text},
                                                                   {"osu", BenchOptions::Format::osu}};
  CLI::Option* format =
      verb->add_option("--format", options->format,
                       "format of what is printed: text, or osu for a table of each plan as OSU "
                       "micro-benchmarks print them, in microseconds")
          ->type_name("FORMAT")
          ->transform(named_value(formats))
          ->excludes("--groups");
  verb->add_flag("--json", options->json,
                 "print a JSON array of operation, ranks, size, plan, median_s, low_s, high_s, mean_s and "
                 "ratio_to_native")
      ->excludes(format);
  options->launcher.add_to_measuring(*verb);
  verb->callback([options] { bench(*options); });
}

}  // namespace

namespace verbs {

Verb bench() {
  return {.name = "bench",
          .summary = "measure plans side by side with the native operation",
          .purpose = Purpose::tune,
          .declare = declare_bench};
}

}  // namespace verbs

}  // namespace tutti::tools
