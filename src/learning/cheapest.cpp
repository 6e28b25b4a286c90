// The plans that are worth a first trial in a program: found in a time that a program does not notice, so by
// closed forms where there are many ranks, and with one composition or two of all there are.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "learning/contenders.hpp"
#include "network/price.hpp"
#include "plan/frame.hpp"

namespace tutti {
namespace {

constexpr int most_priced_ranks = 16;
constexpr int most_walked_ranks = 512;  // beyond, parts are many, and long
constexpr std::size_t most_compositions = 2;
constexpr double as_good = 1.1;             // times the cheapest
constexpr double too_dear = 3;              // times the cheapest: not worth connections and a first call
constexpr double worth_connections = 0.75;  // of the cheapest that needs few
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int sampled_ranks = 8;
constexpr std::size_t unsized = 1024;  // bytes, where there is no size that all ranks know
constexpr Hockney unknown_link{1e-5, 1e-9};

class CheapestPlans {
 public:
  CheapestPlans(const CallClass& calls, const Setting& setting, const Network* network,
                const std::set<std::string>& tried)
      : tried_(tried),
        collective_(calls.collective),
        setting_(setting),
        size_(traits(collective_).size_means == SizeMeans::nothing && collective_ != Collective::barrier
                  ? unsized
                  : calls.typical_size()),
        alike_(!network                    ? Network::uniform(unknown_link)
               : calls.placement.hosts > 1 ? of_one(network->links.back())
                                           : of_one(network->links.front())),
        wire_(hockney_of(alike_.links.front())) {
    const bool in_memory = network && network->memory && calls.placement.hosts == 1;
    memory_ = in_memory ? hockney_of(*network->memory) : wire_;
    if (setting.ranks <= most_priced_ranks)
      network_ = network && setting.hosts ? network_on(*setting.hosts, *network) : alike_;
  }

  // The best of each algorithm and of two kinds of compositions, in the order of their prices.
  std::vector<Plan> run(std::size_t most) {
    double dear = infinity;
    const ByTime algorithms =
        of_each_algorithm(collective_, setting_, size_, [&](const Plan& plan, double seconds) {
          dear = std::min(dear, too_dear * seconds);
          return !tried_.contains(plan.text());
        });
    ByTime compositions = cheapest_compositions(std::min(most_compositions, most / 2));
    compositions.erase(compositions.upper_bound(dear), compositions.end());
    double cheapest_near = infinity;
    std::vector<bool> near;
    for (const auto& [seconds, plan] : algorithms) {
      near.push_back(stays_near(plan));
      if (near.back()) cheapest_near = std::min(cheapest_near, seconds);
    }
    ByTime chosen;
    std::size_t number = 0;
    for (const auto& [seconds, plan] : algorithms) {
      const bool worth = near[number++] || seconds < worth_connections * cheapest_near;
      if (worth && chosen.size() + compositions.size() < most && seconds <= dear)
        chosen.emplace(seconds, plan);
    }
    chosen.merge(compositions);
    std::vector<Plan> plans;
    for (auto& [seconds, plan] : chosen) plans.push_back(std::move(plan));
    return plans;
  }

 private:
  using ByTime = std::multimap<double, Plan>;

  static Network of_one(const Link& link) { return {.links = {link}}; }

  // What a plan takes, and how many messages: of all ranks where it is priced, else of the busiest.
  struct Expense {
    double seconds, messages;
  };

  // The best of each algorithm's plans that are wanted, which may go by what they take.
  template <typename Wanted>
  ByTime of_each_algorithm(Collective collective, const Setting& setting, std::size_t size,
                           Wanted&& wanted) const {
    struct Variant {
      Expense expense;
      Plan plan;
    };
    std::map<std::string_view, std::vector<Variant>> variants;
    for (Plan& plan : plans_here(collective, setting)) {
      const Expense expense = expense_of(plan, setting, size);
      if (wanted(plan, expense.seconds))
        variants[plan.algorithm()->name].push_back({expense, std::move(plan)});
    }
    // Of those that are as good as the cheapest the one with the fewest messages, for these cost processors
    // more than a short probe sees; and through memory where nothing tells which way is better.
    const auto preferred = [](const Variant& a, const Variant& b) {
      const auto key = [](const Variant& v) {
        return std::tuple(v.expense.messages, v.expense.seconds, !v.plan.is_through_memory());
      };
      return key(a) < key(b);
    };
    ByTime by_time;
    for (auto& [name, all] : variants) {
      double least = all.front().expense.seconds;
      for (const Variant& variant : all) least = std::min(least, variant.expense.seconds);
      std::erase_if(all, [&](const Variant& v) { return v.expense.seconds > as_good * least; });
      Variant& best = *std::min_element(all.begin(), all.end(), preferred);
      by_time.emplace(best.expense.seconds, std::move(best.plan));
    }
    return by_time;
  }

  // With pieces as the network likes them, too.
  std::vector<Plan> plans_here(Collective collective, const Setting& setting) const {
    auto plans = known_plans(collective, setting);
    if (setting.ranks > most_walked_ranks) {
      const auto none = [&](const Plan& plan) { return !closed_form(plan, setting.ranks); };
      if (!std::all_of(plans.begin(), plans.end(), none)) std::erase_if(plans, none);
    }
    const double half = wire_.beta > 0 ? wire_.alpha / wire_.beta : 1;
    for (Plan& plan :
         plans_for_network(collective, setting.ranks, static_cast<int>(std::clamp(half, 1.0, 1e9))))
      if (!plan.refusal(setting)) plans.push_back(std::move(plan));
    std::erase_if(plans, [&](const Plan& plan) {
      return plan.is_native() || plan.is_computed() ||
             (plan.has_native_phases() && setting.ranks > most_priced_ranks);
    });
    return plans;
  }

  Expense expense_of(const Plan& plan, const Setting& setting, std::size_t size) const {
    return setting.ranks <= most_priced_ranks ? price_of(plan, setting, size) : estimate(plan, setting, size);
  }

  Expense price_of(const Plan& plan, const Setting& setting, std::size_t size) const {
    const std::size_t bytes = total_bytes(plan.collective(), setting, size);
    const Schedule schedule = generate(plan, shape_of(plan, setting, 0, bytes));
    double messages = 0;
    for (const Part& part : schedule.parts) messages += messages_of(part);
    return {price(schedule, bytes, setting.ranks == setting_.ranks ? network_ : alike_).seconds, messages};
  }

  static double messages_of(const Part& part) {
    const auto operations = part.operations();
    return static_cast<double>(std::count_if(operations.begin(), operations.end(),
                                             [](const Operation& o) { return is_message(o.kind); }));
  }

  // A closed form; where there is none what the busiest of some ranks sends or gets, and how far it is to
  // them.
  Expense estimate(const Plan& plan, const Setting& setting, std::size_t size) const {
    const std::size_t bytes = total_bytes(plan.collective(), setting, size);
    const Hockney& link = plan.is_through_memory() ? memory_ : wire_;
    if (const auto form = closed_form(plan, setting.ranks))
      return {form->messages * link.alpha + form->volume * static_cast<double>(bytes) * link.beta,
              form->messages};
    const Shape shape = shape_of(plan, setting, 0, bytes);
    Expense busiest{0, 0};
    for (const Rank rank : {0, setting.ranks / 2, setting.ranks - 1}) {
      const Part part = generate(plan, shape, rank);
      busiest.seconds = std::max(busiest.seconds, port_time(part, shape, bytes));
      busiest.messages = std::max(busiest.messages, messages_of(part));
    }
    return {busiest.seconds + way(plan, shape, setting.ranks / 2, bytes), busiest.messages};
  }

  // Whether a plan needs few connections beside those that the algorithms with logarithmically many rounds
  // share: to ranks a power of two away. A connection lasts as long as the program, and libraries that look
  // at all of them whenever they wait get slower with each.
  bool stays_near(const Plan& plan) const {
    if (!setting_.hosts || count(*setting_.hosts) < 2 || has_all_connections()) return true;
    const Shape shape = shape_of(plan, setting_, 0, total_bytes(collective_, setting_, size_));
    const int ranks = setting_.ranks, step = std::max(1, ranks / sampled_ranks);
    int far = 0, looked_at = 0;
    for (Rank rank = std::min(1, ranks - 1); rank < ranks; rank += step, ++looked_at) {
      const Part part = generate(plan, shape, rank);
      std::set<Rank> peers;
      for (const Operation& operation : part.operations())
        if (is_message(operation.kind) && !is_near(rank, operation.peer)) peers.insert(operation.peer);
      far += static_cast<int>(peers.size());
    }
    return far <= looked_at;  // one each
  }

  bool is_near(Rank a, Rank b) const {
    const Hosts& hosts = *setting_.hosts;
    const auto distance = static_cast<unsigned>((b - a + setting_.ranks) % setting_.ranks),
               back = static_cast<unsigned>(setting_.ranks) - distance;
    return hosts[static_cast<std::size_t>(a)] == hosts[static_cast<std::size_t>(b)] ||
           std::has_single_bit(distance) || std::has_single_bit(back) ||
           std::has_single_bit(static_cast<unsigned>(a ^ b));
  }

  // Where everybody has something for everybody the MPI library itself connects them all.
  bool has_all_connections() const {
    const Collective regular = traits(collective_).regular;
    return regular == Collective::alltoall || traits(collective_).on_neighbors;
  }

  static std::optional<Cost> closed_form(const Plan& plan, int ranks) {
    const Algorithm* algorithm = plan.algorithm();
    return algorithm && algorithm->cost ? algorithm->cost(ranks, plan.arguments()) : std::nullopt;
  }

  double time_of(const Part& part, const Operation& message, const Shape& shape, std::size_t bytes) const {
    double blocks = 0;
    for (const BlockRange& range : part.ranges(message)) blocks += range.count;
    const Hockney& link = message.memory ? memory_ : wire_;
    return link.alpha + blocks / shape.blocks * static_cast<double>(bytes) * link.beta;
  }

  double port_time(const Part& part, const Shape& shape, std::size_t bytes) const {
    double sending = 0, getting = 0;
    for (const Operation& operation : part.operations()) {
      if (operation.kind == OperationKind::send) sending += time_of(part, operation, shape, bytes);
      if (operation.kind == OperationKind::recv) getting += time_of(part, operation, shape, bytes);
    }
    return std::max(sending, getting);
  }

  // What a first message takes from where it began to a rank, or a last one from there to where it ends. A
  // way that is longer than a tree is deep is taken for a chain.
  double way(const Plan& plan, const Shape& shape, Rank rank, std::size_t bytes) const {
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

  // The cheapest of each kind that needs few connections.
  ByTime cheapest_compositions(std::size_t most) {
    std::map<std::string_view, std::pair<double, Plan>> of_kind;
    for (const Frame& frame : frames_worth_a_look()) {
      const auto plan = filled(frame);
      if (!plan || tried_.contains(plan->text())) continue;
      const double time = expense_of(*plan, setting_, size_).seconds;
      const auto known = of_kind.find(frame.group);
      if ((known == of_kind.end() || time < known->second.first) && stays_near(*plan))
        of_kind.insert_or_assign(frame.group, std::pair(time, *plan));
    }
    ByTime by_time;
    for (auto& [kind, entry] : of_kind) by_time.insert(std::move(entry));
    while (by_time.size() > most) by_time.erase(std::prev(by_time.end()));
    return by_time;
  }

  // Those that can be priced; on many ranks one of each kind, which goes by hosts, where there are several
  // with several ranks each, or is nearest to a square.
  std::vector<Frame> frames_worth_a_look() const {
    std::vector<Frame> all = frames(collective_, setting_);
    std::erase_if(all, [](const Frame& frame) { return frame.slots.empty(); });
    if (setting_.ranks <= most_priced_ranks) return all;
    std::map<std::string_view, Frame> of_kind;
    for (const Frame& frame : all) {
      const auto [best, added] = of_kind.try_emplace(frame.group, frame);
      if (!added && (frame.by_hosts || longest_slot(frame) < longest_slot(best->second)))
        best->second = frame;
    }
    std::vector<Frame> one_each;
    for (auto& [kind, frame] : of_kind) one_each.push_back(std::move(frame));
    return one_each;
  }

  // With the cheapest algorithms in its phases.
  std::optional<Plan> filled(const Frame& frame) {
    std::vector<std::string> phases;
    for (const Frame::Slot& slot : frame.slots) {
      const std::size_t size = size_ / static_cast<std::size_t>(slot.shares);
      auto [known, added] = in_slots_.try_emplace({slot.collective, slot.ranks, size}, "native");
      if (added) {
        const auto by_time = of_each_algorithm(slot.collective, {.ranks = slot.ranks, .has_memory = false},
                                               size, [](const Plan&, double) { return true; });
        if (!by_time.empty()) known->second = by_time.begin()->second.text();
      }
      phases.push_back(known->second);
    }
    auto plan = make_plan(collective_, frame.text(phases));
    if (!plan || plan->refusal(setting_) || plan->has_native_phases()) return std::nullopt;
    return setting_.shares_memory() ? plan->through_memory() : std::move(*plan);
  }

  static int longest_slot(const Frame& frame) {
    int longest = 0;
    for (const Frame::Slot& slot : frame.slots) longest = std::max(longest, slot.ranks);
    return longest;
  }

  const std::set<std::string>& tried_;
  Collective collective_;
  Setting setting_;
  std::size_t size_;
  Network network_, alike_;  // with all ranks as far from each other
  Hockney wire_, memory_;    // what messages take; through memory, where all ranks share it
  std::map<std::tuple<Collective, int, std::size_t>, std::string> in_slots_;  // the cheapest
};

}  // namespace

std::vector<Plan> cheapest(const CallClass& calls, const Setting& setting, const Network* network,
                           std::size_t most, const std::set<std::string>& tried) {
  return CheapestPlans(calls, setting, network, tried).run(most);
}

}  // namespace tutti
