#include <fmt/format.h>

#include <algorithm>

#include "base/document.hpp"
#include "base/duration.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/size.hpp"
#include "choose/evidence/builtin.hpp"
#include "choose/evidence/knowledge_table.hpp"
#include "choose/evidence/statistics.hpp"
#include "choose/evidence/table_network.hpp"
#include "choose/planner/interpolation.hpp"
#include "core/network/hockney.hpp"
#include "core/plan/compose.hpp"
#include "core/plan/plan_symmetry.hpp"
#include "core/schedule/by_place.hpp"
#include "core/schedule/render.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/plan_bounds.hpp"
#include "tools/cli/priced_network.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/cli/verb.hpp"

namespace tutti::tools {
namespace {

constexpr int drawn_ranks = 8;                    // most ranks whose steps are shown
constexpr int drawn_points = 9;                   // neighbours are those of a stencil of this size
constexpr std::size_t most_counted = 10'000'000;  // operations

struct ExplainOptions {
  OperationOption operation;
  int ranks = 0;
  HostsOption on;
  std::string size;
  std::string table;
  std::string plan;
  std::string network;
  bool knowledge = false;
  KnowledgeOption known;
  bool json = false;
};

// Who makes the call, and over what.
struct Caller {
  Hosts hosts;                     // by rank
  std::optional<Network> network;  // that was named

  int ranks() const { return static_cast<int>(hosts.size()); }
  Placement placement() const { return {ranks(), count(hosts)}; }
  // Hosts are those of a network, where it knows ranks.
  void go_by(const Network& known) {
    if (known.known_ranks() == 0) return;
    for (Rank rank = 0; rank < ranks(); ++rank) hosts[static_cast<std::size_t>(rank)] = known.host(rank);
    hosts = numbered(hosts);
  }
};

Caller caller_of(const ExplainOptions& options) {
  Caller caller{options.on.placed(options.ranks, options.ranks), {}};
  if (options.network.empty()) return caller;
  caller.network = read_network(options.network, options.ranks);
  if (caller.network->known_ranks() == 0) caller.network->hosts = caller.hosts;
  caller.go_by(*caller.network);
  return caller;
}

struct Explanation {
  Plan plan;
  std::string why;
  std::vector<Measurement> figures;  // behind the decision: at the tuned size nearest to the one asked for
  std::optional<Hockney> link;       // the table's
  std::string native_by = {};        // what carries the call out natively, where the table says
  std::optional<Network> network = {};
  std::string network_of = {};                 // what people call it
  BlockLengths lengths = BlockLengths::equal;  // of the calls that the table was measured with
};

// The measurements for that communicator at the size nearest to `size`, the fastest first.
std::vector<Measurement> figures_near(const Table& table, Collective collective, Placement placement,
                                      std::size_t size) {
  std::vector<Measurement> all;
  for (const Measurement& m : table.measurements)
    if (m.collective == collective && Placement{m.ranks, m.hosts} == placement) all.push_back(m);
  if (all.empty()) return all;
  const std::size_t nearest =
      std::min_element(all.begin(), all.end(), [size](const Measurement& a, const Measurement& b) {
        return doublings_between(a.size, size) < doublings_between(b.size, size);
      })->size;
  std::erase_if(all, [nearest](const Measurement& m) { return m.size != nearest; });
  std::sort(all.begin(), all.end(),
            [](const Measurement& a, const Measurement& b) { return a.seconds.middle < b.seconds.middle; });
  return all;
}

std::string why(const Rule& rule, const std::string& table) {
  return fmt::format("rule for {} to {} bytes of {}", rule.size_min,
                     rule.size_max == unlimited ? "any number of" : fmt::format("{}", rule.size_max), table);
}

Explanation explain_table(const ExplainOptions& options, const Caller& caller, Collective collective,
                          std::size_t size) {
  const Table table = value_or_fail(parse_table(value_or_fail(read_file(options.table)), options.table));
  const Placement placement = caller.placement();
  Explanation explanation{Plan::native(collective), "", figures_near(table, collective, placement, size),
                          table.network.beta > 0 ? std::optional(table.network) : std::nullopt};
  explanation.network = network_of(table, caller.hosts);
  explanation.network_of = "the table's network";
  if (const auto* native = serving(table.components, collective, placement.hosts))
    explanation.native_by = fmt::format("coll/{} of {} serves the call", native->name, table.fingerprint.mpi);
  const auto groups = groups_of(table, placement);
  const auto levels = groups ? std::optional(GroupLevels::of(*groups, options.ranks)) : std::nullopt;
  const RuleSet* set = table.find(collective, placement);
  const auto between = set || table.exact
                           ? std::nullopt
                           : Interpolation::find(table, collective, placement,
                                                 {.ranks = options.ranks,
                                                  .hosts = groups ? &groups->hosts : &caller.hosts,
                                                  .levels = levels ? &*levels : nullptr,
                                                  .groups = groups ? &*groups : nullptr});
  if (!set && !between) {
    explanation.why = fmt::format(
        "the table has no rules for {} ranks on {} (policy \"{}\"): such communicators stay native",
        options.ranks, counted(placement.hosts, "host"), table.exact ? "exact" : "between");
    return explanation;
  }
  const std::string arrival = table.origin ? table.origin->arrival : "";
  std::string measured =
      arrival.empty() ? "" : fmt::format(", measured while ranks came to calls as {} has it", arrival);
  if (table.origin) explanation.lengths = table.origin->lengths;
  if (explanation.lengths != BlockLengths::equal && has_lengths(collective))
    measured += fmt::format(", measured with {} blocks", name(explanation.lengths));
  if (between) {
    explanation.figures = figures_near(table, collective, between->below(), size);
    for (Measurement& m : figures_near(table, collective, between->above(), size))
      if (between->above() != between->below()) explanation.figures.push_back(std::move(m));
    auto [plan, why] = between->choose(size);
    explanation.plan = std::move(plan);
    explanation.why = fmt::format("table {}, {}: {}{}", options.table, between->text(), why, measured);
    return explanation;
  }
  const Rule* rule = set->find(size);
  if (!rule) {
    explanation.why = fmt::format("no rule of table {} covers this size", options.table);
    return explanation;
  }
  explanation.plan = rule->plan;
  explanation.why = why(*rule, "table " + options.table) + measured;
  if (has_own_sizes(collective) && set->goes_by_size())
    explanation.why += ", where ranks take a call to have that size by those before it";
  return explanation;
}

Explanation explain_builtin(const ExplainOptions& options, Collective collective, std::size_t size) {
  const auto rules = builtin_rules(collective, options.ranks, true);
  if (const Rule* rule = find_rule(rules, size))
    return {rule->plan, why(*rule, "the built-in table"), {}, std::nullopt};
  return {Plan::native(collective), "the built-in table says nothing of it", {}, std::nullopt};
}

// What programs have learnt of such calls, with the MPI in which they made most of them.
Explanation explain_knowledge(const ExplainOptions& options, const Caller& caller, Collective collective,
                              std::size_t size) {
  const bool sized = collective != Collective::barrier;
  const CallClass calls{collective, caller.placement(), SizeClass::of(sized ? size : 0)};
  const CallClass of_any_size{collective, calls.placement, {}};  // as tables have it
  Explanation explanation{Plan::native(collective), "", {}, std::nullopt};
  if (traits(collective).on_neighbors) {
    explanation.why =
        "what is known of such calls depends on who is whose neighbour; tutti knowledge shows it";
    return explanation;
  }
  double most = 0;
  for (const Knowledge& knowledge : options.known.read())
    for (const auto& [key, plans] : knowledge.classes) {
      const bool asked_for = key.calls == calls || (has_own_sizes(collective) && key.calls == of_any_size);
      if (!asked_for || !options.known.means(key.mpi, key.transport)) continue;
      double measured = 0;
      for (const auto& [plan, evidence] : plans) measured += evidence.calls;
      if (measured <= most) continue;
      most = measured;
      Knowledge one{.machine = knowledge.machine, .classes = {{key, plans}}, .networks = knowledge.networks};
      const Fingerprint place{.mpi = key.mpi,
                              .machine = knowledge.machine,
                              .transport = calls.placement.hosts > 1 ? "" : key.transport,
                              .fabric = calls.placement.hosts > 1 ? key.transport : ""};
      const Table table = table_of(one, place);
      explanation = {table.rule_sets.front().rules.front().plan,
                     fmt::format("learnt from {:.0f} calls with {} on {}", measured, stack_text(place),
                                 knowledge.machine),
                     table.measurements,
                     table.network.beta > 0 ? std::optional(table.network) : std::nullopt};
      if (const Knowledge seen = one.seen_from(place); !seen.networks.empty()) {
        explanation.network = network_on(caller.hosts, seen.networks.begin()->second);
        explanation.network_of = "the network as learnt";
      }
    }
  if (most == 0) explanation.why = "nothing is known of such calls; programs under tutti run find out";
  std::sort(explanation.figures.begin(), explanation.figures.end(),
            [](const Measurement& a, const Measurement& b) { return a.seconds.middle < b.seconds.middle; });
  return explanation;
}

Explanation explain_plan(const ExplainOptions& options, const Caller& caller, Collective collective,
                         std::size_t size) {
  if (options.knowledge) return explain_knowledge(options, caller, collective, size);
  if (options.table == builtin_table) return explain_builtin(options, collective, size);
  if (!options.table.empty()) return explain_table(options, caller, collective, size);
  if (!options.plan.empty())
    return {value_or_fail(make_plan(collective, options.plan)), "asked for with --plan", {}, std::nullopt};
  return {Plan::native(collective),
          "no plan was asked for: --table, --knowledge or --plan says by what to choose one",
          {},
          std::nullopt};
}

// The literature's closed form, and what it comes to on the table's network (which says nothing
// about gamma).
void print_cost(const Plan& plan, int ranks, std::size_t size, const std::optional<Hockney>& link) {
  if (!plan.algorithm()) return;
  const Algorithm& algorithm = *plan.algorithm();
  const auto cost = algorithm.cost ? algorithm.cost(ranks, plan.arguments()) : std::nullopt;
  if (!cost) return;
  const auto n = static_cast<double>(total_bytes(plan.collective(), ranks, size));
  fmt::print("closed form: {:.3g} alpha + {:.3g} n beta + {:.3g} n gamma, n = {} bytes", cost->messages,
             cost->volume, cost->reduced, n);
  if (link)
    fmt::print("; without the reduction {}",
               time_text(cost->messages * link->alpha + cost->volume * n * link->beta));
  fmt::print("\n");
}

// A plan on ranks that are placed so, on a network that may be known.
class Placed {
 public:
  Placed(const Plan& plan, Hosts hosts, std::size_t size, const Network* network = nullptr,
         BlockLengths lengths = BlockLengths::equal)
      : plan_(plan),
        hosts_(std::move(hosts)),
        topology_(StencilOption{.points = drawn_points}.topology(plan.collective(), ranks())),
        network_(network),
        known_(network ? known_network(*network, ranks(), plan.goes_by_network()) : std::nullopt),
        setting_{.ranks = ranks(),
                 .hosts = &hosts_,
                 .network = known_ ? &*known_ : nullptr,
                 .topology = topology_ ? &*topology_ : nullptr,
                 .lengths = lengths} {
    if (plan.is_native()) return;
    if (const auto why = plan.refusal(setting_)) throw Failure{*why};
    shape_ = shape_of(plan, setting_, 0, total_bytes(plan.collective(), setting_, size));
  }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;

  int ranks() const { return static_cast<int>(hosts_.size()); }
  int blocks() const { return shape_.blocks; }
  std::size_t operations() const { return estimated_operations(plan_, shape_); }
  Schedule schedule() const {
    Schedule schedule = generate(plan_, shape_);
    schedule.shape.hosts = nullptr;  // they may end before it
    schedule.shape.topology = nullptr;
    return schedule;
  }
  PlanBounds bounds(std::size_t size) const {
    return bounds_of(plan_, setting_, size, *network_, known_ ? &*known_ : nullptr);
  }

 private:
  const Plan& plan_;
  Hosts hosts_;
  std::optional<Topology> topology_;
  const Network* network_;
  std::optional<KnownNetwork> known_;
  Setting setting_;
  Shape shape_;
};

// Nothing where there are too many operations to count them.
std::optional<int> steps_of(const Placed& placed) {
  return placed.operations() > most_counted ? std::nullopt : std::optional(steps(placed.schedule()));
}

// Drawn on fewer ranks where there are many, if the plan allows it.
void print_steps(const Plan& plan, const Placed& placed, const Hosts& hosts, std::size_t size) {
  if (const auto steps = steps_of(placed))
    fmt::print("{} steps on {} ranks, {} blocks", *steps, placed.ranks(), placed.blocks());
  else
    fmt::print("on {} ranks about {:.0f} million operations, too many to count their steps; {} blocks",
               placed.ranks(), static_cast<double>(placed.operations()) / 1e6, placed.blocks());
  const int drawn = std::min(placed.ranks(), drawn_ranks);
  if (plan.refusal({.ranks = drawn}))
    fmt::print("\n");
  else
    fmt::print("; on {} ranks:\n{}", drawn,
               render(Placed(plan, {hosts.begin(), hosts.begin() + drawn}, size).schedule()));
}

void print(const Composition& composition) {
  fmt::print("{}:\n", composition.kind().summary);
  for (const Plan& phase : composition.plans())
    fmt::print("  {}: {}\n", name(phase.collective()), phase.text());
  fmt::print("source: {}\n", composition.kind().source);
}

void print(const Caller& caller, const Explanation& explanation, const Placed& placed,
           const std::optional<PlanBounds>& bounds, std::size_t size) {
  const Plan& plan = explanation.plan;
  fmt::print("{} of {} bytes on {} ranks: {}\n", name(plan.collective()), size, caller.ranks(), plan.text());
  fmt::print("why: {}\n", explanation.why);
  if (!explanation.figures.empty()) {
    fmt::print("measured at {} bytes:\n", explanation.figures.front().size);
    double slowest_s = 0;
    for (const Measurement& m : explanation.figures) slowest_s = std::max(slowest_s, m.seconds.middle);
    for (const Measurement& m : explanation.figures)
      fmt::print("  {:<40}{:>12}   {:.3f} of native ({:.3f} .. {:.3f}, {} repetitions{}{}){}\n", m.plan,
                 time_text(m.seconds.middle), m.ratio_to_native.middle, m.ratio_to_native.low,
                 m.ratio_to_native.high, m.repetitions, m.two_modes ? ", two modes" : "",
                 m.unstable ? ", unstable" : "",
                 bar(m.seconds.middle / slowest_s, m.ratio_to_native.high < 1));
  }
  if (bounds)
    fmt::print("limit of the network: {}\n", limits_text(bounds->limits));
  else if (explanation.link)
    fmt::print("limit of the network: {}\n",
               time_text(lower_bound(plan.collective(), caller.ranks(), size, *explanation.link)));
  if (plan.is_native()) {
    fmt::print("what the MPI library does is its own affair{}\n",
               explanation.native_by.empty() ? "" : ": " + explanation.native_by);
    return;
  }
  if (plan.is_left_to_library()) {
    fmt::print("one of the MPI library's own algorithms, by its name there\n");
    return;
  }
  if (const Algorithm* algorithm = plan.algorithm())
    fmt::print("{}: {}\nwins: {}\nsource: {}\n", algorithm->name, algorithm->summary, algorithm->wins,
               citation(*algorithm));
  else
    print(*plan.composition());
  if (plan.algorithm() && plan.algorithm()->in_memory)
    fmt::print("memory: it works in memory that the ranks of the host share, without messages\n");
  else if (plan.uses_memory())
    fmt::print("memory: {} go through memory that the ranks of a host share; messages between hosts do not\n",
               plan.is_through_memory() ? "its messages" : "messages of a phase");
  print_cost(plan, caller.ranks(), size, explanation.link);
  if (bounds) fmt::print("{}", bounds_text(*bounds, explanation.network_of));
  print_steps(plan, placed, caller.hosts, size);
}

void explain(const ExplainOptions& options) {
  const Collective collective = options.operation.read();
  const std::size_t size = value_or_fail(parse_size(options.size));
  Caller caller = caller_of(options);
  Explanation explanation = explain_plan(options, caller, collective, size);
  if (caller.network) {
    explanation.network = caller.network;
    explanation.network_of = options.network;
  } else if (explanation.network) {
    caller.go_by(*explanation.network);  // as many, but as ranks were on them there
  }
  const Network* network = explanation.network ? &*explanation.network : nullptr;
  const Placed placed(explanation.plan, caller.hosts, size, network, explanation.lengths);
  const auto bounds = network ? std::optional(placed.bounds(size)) : std::nullopt;
  if (!options.json) return print(caller, explanation, placed, bounds, size);
  Json json{{"operation", name(collective)},      {"ranks", caller.ranks()},
            {"hosts", count(caller.hosts)},       {"size", size},
            {"plan", explanation.plan.text()},    {"why", explanation.why},
            {"measurements", explanation.figures}};
  if (!explanation.native_by.empty()) json["native_by"] = explanation.native_by;
  if (bounds)
    add_to(json, *bounds);
  else if (explanation.link)
    json["limit_s"] = lower_bound(collective, caller.ranks(), size, *explanation.link);
  if (!explanation.plan.is_native())
    if (const auto steps = steps_of(placed)) json["steps"] = *steps;
  fmt::print("{}\n", json_text(json, 1));
}

void declare_explain(CLI::App* verb, const LauncherWords&) {
  auto options = std::make_shared<ExplainOptions>();
  verb->footer("Example: tutti explain bcast --ranks 4 --size 64K --table table.json");
  options->operation.add_to(*verb);
  verb->add_option("--ranks", options->ranks, "number of ranks of the communicator, up to 1048576")
      ->type_name("N")
      ->required()
      ->check(CLI::Range(1, 1 << 20));
  options->on.add_to(*verb);
  verb->add_option("--size", options->size, "message size in bytes")->type_name("SIZE")->required();
  auto* table =
      verb->add_option("--table", options->table, "table that decides, as written by tutti tune, or builtin")
          ->type_name("FILE");
  auto* plan = verb->add_option("--plan", options->plan, "plan to explain, whatever would be chosen")
                   ->type_name("PLAN")
                   ->excludes(table);
  verb->add_flag("--knowledge", options->knowledge,
                 "explain by what programs have learnt here, instead of a table")
      ->excludes(table)
      ->excludes(plan);
  options->known.add_to(*verb);
  verb->add_option("--network", options->network,
                   "network to price the plan on, as written by tutti probe (default: the table's, or what "
                   "was learnt)")
      ->type_name("FILE");
  verb->add_flag("--json", options->json, "print a JSON object");
  verb->callback([options] { explain(*options); });
}

}  // namespace

namespace verbs {

Verb explain() {
  return {.name = "explain",
          .summary = "explain the plan of a call: its choice, its reasons, its steps",
          .purpose = Purpose::understand,
          .declare = declare_explain};
}

}  // namespace verbs

}  // namespace tutti::tools
