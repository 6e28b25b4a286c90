#include "choose/planner/quick_model.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "choose/evidence/knowledge.hpp"
#include "core/network/by_levels.hpp"
#include "core/network/hockney.hpp"
#include "core/network/quantised.hpp"
#include "core/plan/compositions/near.hpp"
#include "core/synthesis/known_network.hpp"

namespace tutti::inline choose {
namespace {

Network of_one(const Link& link) {
  return {.links = {link}};
}

// Links in a torus are what its hosts' ranks share, wherever they are.
bool knows_torus(const Setting& setting) {
  return levels_of_network(setting) && setting.network->network.torus;
}

}  // namespace

QuickModel::QuickModel(const Placement& placement, const Setting& setting, const Network* network)
    : ranks_(placement.ranks),
      alike_(!network              ? Network::uniform(planner::unknown_link)
             : placement.hosts > 1 ? of_one(network->links.back())
                                   : of_one(network->links.front())),
      wire_(hockney_of(alike_.links.front())),
      memory_(network && network->memory && placement.hosts == 1 ? hockney_of(*network->memory) : wire_) {
  if (network && setting.hosts) take_levels(setting, *network);
  if (prices(ranks_))
    network_ = knows_torus(setting)       ? setting.network->network
               : on_levels_               ? *on_levels_
               : network && setting.hosts ? network_on(*setting.hosts, *network)
                                          : alike_;
}

void QuickModel::take_levels(const Setting& setting, const Network& known) {
  const GroupLevels* const levels = levels_of(setting);
  if (!levels || !levels->tells_hosts_apart()) return;
  const auto places = levels->of_hosts();
  if (static_cast<int>(places.size()) > count_levels(known)) return;
  out_of_group_ = known.groups[places.size() - 1].out * ranks_ / count(*places.back());
  if (ranks_ > planner::most_ranks_on_levels) return;
  on_levels_ = network_on_levels(*setting.hosts, *levels, known);
  in_order_ = restricted(*on_levels_, levels->order);
  left_ = std::max(planner::operations_on_levels,
                   static_cast<std::size_t>(ranks_) * planner::operations_a_rank_on_levels);
}

// A plan on near ranks is the plan itself on ranks that lie in order, which are often alike.
std::optional<double> QuickModel::price_on_levels(const Plan& plan, const Setting& setting,
                                                  std::size_t bytes) {
  if (!on_levels_) return std::nullopt;
  const Plan& itself = without_near(plan);
  const bool near = &itself != &plan;
  const auto ranks = static_cast<std::size_t>(ranks_);
  Setting of_network = setting;
  if (near) {
    of_network.hosts = &in_order_->hosts;
    of_network.in_hosts = nullptr;
    of_network.levels = nullptr;
  }
  EventModel prices(near ? *in_order_ : *on_levels_,
                    {.operations_of_a_plan = std::max(planner::operations_of_a_plan_on_levels,
                                                      ranks * planner::operations_a_rank_of_a_plan_on_levels),
                     .operations = left_,
                     .by_symmetry = true,
                     .as_they_are = traits(plan.collective()).rooted ? unbounded  // which have none
                                                                     : planner::as_they_are_on_levels});
  const auto cost = prices.of(itself, of_network, bytes);
  left_ -= std::min(left_, prices.spent());
  return cost ? std::optional(cost->seconds) : std::nullopt;
}

std::optional<CostEstimate> QuickModel::of(const Plan& plan, const Setting& setting, std::size_t bytes) {
  if (!prices(setting.ranks)) {
    // On links that are all alike the order of ranks does not matter.
    const Plan& itself = without_near(plan);
    const auto [known, added] = estimates_.try_emplace({itself.id(), setting.ranks, bytes});
    if (added) known->second = estimate(itself, setting, bytes);
    return known->second;
  }
  return (setting.ranks == ranks_ ? on_network_ : on_alike_).of(plan, setting, bytes);
}

CostEstimate QuickModel::estimate(const Plan& plan, const Setting& setting, std::size_t bytes) const {
  const Hockney& link = plan.is_through_memory() ? memory_ : wire_;
  if (const auto form = closed_form(plan, setting.ranks))
    return {form->messages * link.alpha + form->volume * static_cast<double>(bytes) * link.beta,
            form->messages};
  const Shape shape = shape_of(plan, setting, 0, bytes);
  double seconds = 0, messages = 0;  // of the busiest rank
  for (const Rank rank : {0, setting.ranks / 2, setting.ranks - 1}) {
    const Part part = generate(plan, shape, rank);
    seconds = std::max(seconds, port_time(part, shape, bytes));
    messages = std::max(messages, messages_of(part));
  }
  return {seconds + way(plan, shape, setting.ranks / 2, bytes), messages};
}

double QuickModel::time_of(const Part& part, const Operation& message, const Shape& shape,
                           std::size_t bytes) const {
  double blocks = 0;
  for (const BlockRange& range : part.ranges(message)) blocks += range.count;
  const Hockney& link = message.memory ? memory_ : wire_;
  return link.alpha + blocks / shape.blocks * static_cast<double>(bytes) * link.beta;
}

double QuickModel::port_time(const Part& part, const Shape& shape, std::size_t bytes) const {
  double sending = 0, getting = 0;
  for (const Operation& operation : part.operations()) {
    if (operation.kind == OperationKind::send) sending += time_of(part, operation, shape, bytes);
    if (operation.kind == OperationKind::recv) getting += time_of(part, operation, shape, bytes);
  }
  return std::max(sending, getting);
}

// What a first message takes from where it began to a rank, or a last one from there to where it
// ends. A way that is longer than a tree is deep is taken for a chain.
double QuickModel::way(const Plan& plan, const Shape& shape, Rank rank, std::size_t bytes) const {
  double longest = 0;
  for (const OperationKind kind : {OperationKind::recv, OperationKind::send}) {
    double seconds = 0;
    Rank at = rank;
    const int deepest = 2 * static_cast<int>(std::bit_width(static_cast<unsigned>(shape.ranks)));
    for (int hops = 0; hops < deepest; ++hops) {
      const Part part = generate(plan, shape, at);
      std::vector<Operation> messages(part.operations().begin(), part.operations().end());
      std::erase_if(messages, [](const Operation& o) { return !is_message(o.kind); });
      if (messages.empty()) break;
      const Operation& next = kind == OperationKind::recv ? messages.front() : messages.back();
      if (next.kind != kind) break;
      seconds += time_of(part, next, shape, bytes);
      if (hops == deepest - 1) seconds *= static_cast<double>(shape.ranks) / deepest;
      at = next.peer;
    }
    longest = std::max(longest, seconds);
  }
  return longest;
}

}  // namespace tutti::inline choose
