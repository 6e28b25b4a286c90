#include <fmt/format.h>

#include "base/duration.hpp"
#include "base/size.hpp"
#include "core/plan/plan_symmetry.hpp"
#include "core/synthesis/known_network.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/priced_network.hpp"
#include "tools/cli/verb.hpp"
#include "tools/report/drawing.hpp"

namespace tutti::tools {
namespace {

constexpr std::size_t most_operations = 200'000;  // more can't be seen

struct DrawOptions {
  OperationOption operation;
  std::string plan, size = "64K", network;
  int ranks = 8;
  Rank root = 0;
  HostsOption on;
  StencilOption stencil;
  OutputOption output;
};

void draw(const DrawOptions& options) {
  const Collective collective = options.operation.read();
  const Plan plan = value_or_fail(make_plan(collective, options.plan));
  const std::size_t size = value_or_fail(parse_size(options.size));
  if (options.root >= options.ranks)
    throw Failure{fmt::format("--root {}: there are {} ranks", options.root, options.ranks)};
  const auto network = options.network.empty()
                           ? std::nullopt
                           : std::optional<Network>(read_network(options.network, options.ranks));
  Hosts hosts = options.on.placed(options.ranks, options.ranks);
  if (network && !network->hosts.empty())
    for (Rank rank = 0; rank < options.ranks; ++rank)
      hosts[static_cast<std::size_t>(rank)] = network->host(rank);
  const auto known = network && plan.goes_by_network()
                         ? std::optional(KnownNetwork::of(*network, options.ranks))
                         : std::nullopt;
  const auto topology = options.stencil.topology(collective, options.ranks);
  const Setting setting{.ranks = options.ranks,
                        .hosts = &hosts,
                        .network = known ? &*known : nullptr,
                        .topology = topology ? &*topology : nullptr};
  if (const auto why = plan.refusal(setting)) throw Failure{*why};
  options.output.check();
  const std::size_t bytes = total_bytes(collective, setting, size);
  const Shape shape = shape_of(plan, setting, options.root, bytes);
  if (const std::size_t operations = estimated_operations(plan, shape); operations > most_operations)
    throw Failure{fmt::format("{} on {} ranks has about {} operations, too many to see; draw fewer ranks",
                              plan.text(), options.ranks, operations)};
  const Schedule schedule = generate(plan, shape);
  const Timetable timetable =
      network ? timetable_on(schedule, bytes, *network) : timetable_in_rounds(schedule);
  options.output.write(tools::draw(
      schedule, timetable,
      fmt::format("{} {} on {} ranks{}", name(collective), plan.text(), options.ranks,
                  network ? fmt::format(", {}: {}", size_text(size), time_text(timetable.end)) : "")));
}

void declare_draw(CLI::App* verb, const LauncherWords&) {
  auto options = std::make_shared<DrawOptions>();
  verb->footer(
      "Example: tutti draw bcast --plan binomial --ranks 8 -o binomial.svg\n"
      "Example: tutti draw allreduce --plan 'grid(node)[ring,ring]' --ranks 32 "
      "--ranks-per-host 8 \\\n           --size 64K --network network.json -o allreduce.svg");
  options->operation.add_to(*verb);
  verb->add_option("--plan", options->plan, "plan to draw")->type_name("PLAN")->required();
  verb->add_option("--ranks", options->ranks, "number of ranks, up to 4096")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  options->on.add_to(*verb);
  verb->add_option("--root", options->root, "root rank, of operations that have one")
      ->type_name("RANK")
      ->capture_default_str();
  verb->add_option("--size", options->size, "message size in bytes")
      ->type_name("SIZE")
      ->capture_default_str();
  verb->add_option("--network", options->network,
                   "network that gives times, as written by tutti probe (default: rounds instead of times)")
      ->type_name("FILE");
  options->stencil.add_to(*verb);
  options->output.add_to(*verb, "picture to write, as SVG");
  verb->callback([options] { draw(*options); });
}

}  // namespace

namespace verbs {

Verb draw() {
  return {.name = "draw",
          .summary = "draw the messages of a plan over time",
          .purpose = Purpose::understand,
          .declare = declare_draw};
}

}  // namespace verbs

}  // namespace tutti::tools
