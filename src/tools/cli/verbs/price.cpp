#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/document.hpp"
#include "base/duration.hpp"
#include "base/json.hpp"
#include "base/share.hpp"
#include "base/size.hpp"
#include "choose/evidence/table.hpp"
#include "core/network/price.hpp"
#include "core/network/time_limits.hpp"
#include "core/plan/plan_symmetry.hpp"
#include "core/plan/sampled_price.hpp"
#include "core/schedule/render.hpp"
#include "core/synthesis/known_network.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/priced_network.hpp"
#include "tools/cli/verb.hpp"

namespace tutti::tools {
namespace {

struct PriceOptions {
  OperationOption operation;
  std::string sizes, network, model;
  std::vector<std::string> plans;
  int ranks = 0;
  StencilOption stencil;
  BlocksOption blocks;
  bool json = false, messages = false, exact = false;
};

// A plan with what it costs.
struct PricedPlan {
  std::string plan;
  std::size_t size;
  Schedule schedule;
  Price price;
  double limit;  // seconds
  std::vector<Price::Step> steps = {};
  std::optional<SampledPrice> sampled = {};  // where it was not simulated on all ranks
};

constexpr std::size_t most_steps = 20;  // printed of a critical path
// Ranks: where nobody asks for them by name, schedules are not computed for more in one site, where
// there is little to gain.
constexpr int most_computed_ranks = 256;

std::vector<Plan> plans_of(const PriceOptions& options, Collective collective, const Setting& setting,
                           bool memory_is_known) {
  std::vector<Plan> plans;
  if (options.plans.empty()) {
    Setting priced = setting;
    priced.has_memory = memory_is_known;
    if (setting.network && setting.network->sites.size() <= 1 && setting.ranks > most_computed_ranks)
      priced.network = nullptr;
    for (Plan& plan : known_plans(collective, priced))
      if (!plan.is_native()) plans.push_back(std::move(plan));
    return plans;
  }
  for (const std::string& text : options.plans) {
    Plan plan = value_or_fail(make_plan(collective, text));
    if (plan.is_left_to_library() && (!plan.is_native() || options.model.empty()))
      throw Failure{fmt::format("what {} does is the MPI library's own affair{}", plan.text(),
                                plan.is_native() ? "; --model says what it takes" : "")};
    if (const auto why = plan.refusal(setting)) throw Failure{*why};
    plans.push_back(std::move(plan));
  }
  return plans;
}

bool goes_by_network(const std::string& plan, Collective collective) {
  const auto made = make_plan(collective, plan);
  return made && made->goes_by_network();
}

NativeTime native_time(const PriceOptions& options, const Network& network) {
  if (options.model.empty()) return limit_of(network);
  return native_time_of(read_runtime_model(options.model), limit_of(network));
}

// About what a price takes.
std::string effort_text(std::size_t operations) {
  const auto millions = static_cast<double>(operations) / 1e6;
  return fmt::format("about {:.0f} million operations, {} and {}", millions, time_text(millions),
                     size_text(static_cast<std::size_t>(millions * 250) << 20));
}

Situation situation_of_all(const Setting& setting) {
  std::vector<Rank> all(static_cast<std::size_t>(setting.ranks));
  std::iota(all.begin(), all.end(), 0);
  return situation_of({all}, *setting.hosts);
}

// Nothing where a plan that nobody asked for by name takes too long.
std::optional<PricedPlan> priced(const Plan& plan, const Setting& setting, std::size_t size,
                                 const Network& network, const NativeTime& native, double limit,
                                 const PriceOptions& options) {
  if (plan.is_native())
    return PricedPlan{
        plan.text(),
        size,
        {},
        {.seconds = native({plan.collective(), setting.ranks, size, situation_of_all(setting)})},
        limit};
  const std::size_t bytes = total_bytes(plan.collective(), setting, size);
  const Shape shape = shape_of(plan, setting, 0, bytes);
  Outline needed(plan, shape, bytes, network);
  if (needed.operations() > many_operations) {
    if (!options.exact && !options.messages && shape.lengths == BlockLengths::equal)
      if (auto sampled = sampled_price(plan, setting.ranks, size, network))
        return PricedPlan{plan.text(),       size, {}, {.seconds = sampled->seconds}, limit, {},
                          std::move(sampled)};
    const bool by_name = !options.plans.empty();
    fmt::print(stderr, "tutti: {} of {} takes {}{}\n", plan.text(), size_text(size),
               effort_text(needed.operations()), by_name ? "" : "; --plan has it priced all the same");
    if (!by_name) return std::nullopt;
  }
  if (options.messages) needed.unfold();  // all of them are wanted
  Schedule schedule = needed.schedule();
  std::vector<Price::Step> steps;
  Price price = tutti::price(schedule, bytes, network, native, options.messages ? &steps : nullptr);
  return PricedPlan{plan.text(), size, std::move(schedule), std::move(price), limit, std::move(steps)};
}

void print(const std::vector<PricedPlan>& list) {
  fmt::print("{:>10}  {:<40}{:>12}{:>12}{:>10}{:>14}{:>12}\n", "size", "plan", "time", "limit", "of limit",
             "busiest rank", "busy");
  for (const PricedPlan& one : list)
    fmt::print("{:>10}  {:<40}{:>12}{:>12}{:>10.2f}{}\n", size_text(one.size), one.plan,
               time_text(one.price.seconds), time_text(one.limit),
               one.limit > 0 ? one.price.seconds / one.limit : 1.0,
               one.sampled
                   ? fmt::format("  within {}, told from {} .. {} ranks", share_text(one.sampled->error, 1),
                                 one.sampled->ranks.front(), one.sampled->ranks.back())
                   : fmt::format("{:>14}{:>12}", one.price.busiest, time_text(one.price.busy)));
}

std::string text_of(const PricedPlan& one, OperationRef what) {
  const Part& part = one.schedule.parts[static_cast<std::size_t>(what.rank)];
  return fmt::format("rank {}: {}", what.rank, describe(part, part[what.id]));
}

std::string text_of(const PricedPlan& one, const Price::PathStep& step) {
  return text_of(one, step.what) + (step.hands_over ? ", handed over" : "");
}

void print_critical_path(const PricedPlan& one) {
  const auto& path = one.price.critical_path;
  fmt::print("critical path:\n");
  for (std::size_t i = 0; i < std::min(most_steps, path.size()); ++i)
    fmt::print("  {:>12} .. {:<12} {}\n", time_text(path[i].start), time_text(path[i].end),
               text_of(one, path[i]));
  if (path.size() > most_steps) fmt::print("  and {}\n", counted(path.size() - most_steps, "more step"));
  if (const Price::Way& way = one.price.busy_way; !way.name.empty())
    fmt::print("busiest way that messages share: {}, {}\n", way.name, time_text(way.seconds));
}

// From, to, start and end of each.
Json messages_of(const PricedPlan& one) {
  auto list = Json::array();
  for (const auto& [what, start, end] : one.steps)
    if (const Operation& operation = one.schedule.parts[static_cast<std::size_t>(what.rank)][what.id];
        operation.kind == OperationKind::send)
      list.push_back({what.rank, operation.peer, start, end});
  return list;
}

Json to_json(const PriceOptions& options, Collective collective, const PricedPlan& one) {
  Json json{{"operation", name(collective)}, {"ranks", options.ranks}, {"plan", one.plan}, {"size", one.size},
            {"seconds", one.price.seconds},  {"limit_s", one.limit}};
  if (one.sampled) {
    json["error"] = one.sampled->error;
    json["sampled_ranks"] = one.sampled->ranks;
    return json;
  }
  json["busiest_rank"] = one.price.busiest;
  json["busy_s"] = one.price.busy;
  if (const Price::Way& way = one.price.busy_way; !way.name.empty())
    json["busiest_way"] = {{"name", way.name}, {"busy_s", way.seconds}};
  json["critical_path"] = Json::array();
  for (const Price::PathStep& step : one.price.critical_path)
    json["critical_path"].push_back(
        {{"start_s", step.start}, {"end_s", step.end}, {"what", text_of(one, step)}});
  return json;
}

void price(const PriceOptions& options) {
  const Collective collective = options.operation.read();
  options.blocks.check({{collective}});
  const Network network = read_network(options.network, options.ranks);
  Hosts hosts;
  for (Rank rank = 0; rank < options.ranks; ++rank) hosts.push_back(network.host(rank));
  const auto known =
      known_network(network, options.ranks, std::ranges::any_of(options.plans, [&](const std::string& text) {
                      return goes_by_network(text, collective);
                    }));
  const auto topology = options.stencil.topology(collective, options.ranks);
  const Setting setting{.ranks = options.ranks,
                        .hosts = &hosts,
                        .network = known ? &*known : nullptr,
                        .topology = topology ? &*topology : nullptr,
                        .lengths = options.blocks.lengths};
  const NativeTime native = native_time(options, network);
  std::vector<PricedPlan> list;
  const std::vector<Plan> plans = plans_of(options, collective, setting, network.memory.has_value());
  for (const std::size_t size : read_sizes(options.sizes)) {
    const double limit =
        limits_of(collective, size, network, options.ranks, known ? known->sites : Sites{}).all();
    for (const Plan& plan : plans)
      if (auto one = priced(plan, setting, size, network, native, limit, options))
        list.push_back(std::move(*one));
  }
  if (options.json) {
    auto json = Json::array();
    for (const PricedPlan& one : list) {
      json.push_back(to_json(options, collective, one));
      if (options.messages) json.back()["messages"] = messages_of(one);
    }
    fmt::print("{}\n", json_text(json));
    return;
  }
  print(list);
  if (list.size() == 1 && !list.front().sampled) print_critical_path(list.front());
}

void declare_price(CLI::App* verb, const LauncherWords&) {
  auto options = std::make_shared<PriceOptions>();
  verb->footer("Example: tutti price allgather --plan ring --ranks 96 --size 64K --network network.json");
  options->operation.add_to(*verb);
  verb->add_option("--plan", options->plans, "plan to price; may be repeated (default: all algorithms)")
      ->type_name("PLAN");
  verb->add_option("--ranks", options->ranks, "number of ranks of the communicator, up to 1048576")
      ->type_name("N")
      ->required()
      ->check(CLI::Range(1, 1 << 20));
  verb->add_option("--size,--sizes", options->sizes, "message sizes in bytes, such as 1K,64K")
      ->type_name("SIZES")
      ->required();
  verb->add_option("--network", options->network, "network, as written by tutti probe")
      ->type_name("FILE")
      ->required();
  options->stencil.add_to(*verb);
  options->blocks.add_to(*verb);
  verb->add_option("--model", options->model,
                   "model of native phases, as written by tutti model fit (default: the network's limit)")
      ->type_name("FILE");
  verb->add_flag("--exact", options->exact,
                 "carry out schedules that take long, too; without it their prices are extrapolated from "
                 "fewer ranks, and the error is said");
  verb->add_flag("--json", options->json, "print a JSON array, with critical paths");
  verb->add_flag("--messages", options->messages,
                 "add all messages to the JSON array: from, to, start_s, end_s");
  verb->callback([options] { price(*options); });
}

}  // namespace

namespace verbs {

Verb price() {
  return {.name = "price",
          .summary = "predict the time of plans on a network, by its model",
          .purpose = Purpose::understand,
          .declare = declare_price};
}

}  // namespace verbs

}  // namespace tutti::tools
