#include "tuning/between.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "network/price.hpp"
#include "plan/alike.hpp"

namespace tutti {
namespace {

// A communicator's first call must not wait for prices.
constexpr std::size_t most_operations = 5000;

bool is_on_one_host(Placement placement) {
  return placement.hosts == 1;
}

double distance(int a, int b) {
  return std::abs(std::log(static_cast<double>(a) / b));
}

// The tuned communicators next to the wanted one: fewer ranks and more, the hosts' number as near as can be.
struct Neighbours {
  const RuleSet *below = nullptr, *above = nullptr;
};
Neighbours neighbours(const Table& table, Collective collective, Placement wanted) {
  Neighbours found;
  const auto nearer = [wanted](const RuleSet* known, const RuleSet& other) {
    if (!known) return true;
    const int a = std::abs(other.placement.ranks - wanted.ranks),
              b = std::abs(known->placement.ranks - wanted.ranks);
    return a != b ? a < b
                  : distance(other.placement.hosts, wanted.hosts) <
                        distance(known->placement.hosts, wanted.hosts);
  };
  for (const RuleSet& set : table.rule_sets) {
    if (set.collective != collective || set.placement.hosts == RuleSet::any_hosts ||
        is_on_one_host(set.placement) != is_on_one_host(wanted))
      continue;
    if (set.placement.ranks <= wanted.ranks && nearer(found.below, set)) found.below = &set;
    if (set.placement.ranks >= wanted.ranks && nearer(found.above, set)) found.above = &set;
  }
  return found;
}

class Decision {
 public:
  Decision(const Table& table, const Setting& setting, const Neighbours& of)
      : network_(Network::uniform(table.network)), setting_(setting), of_(of) {}

  Plan between(const Rule& below, const Rule& above, std::size_t size) const {
    const Plan native = Plan::native(below.plan.collective());
    if (below.plan.is_native() || above.plan.is_native()) return native;
    const auto low = suited(below.plan, setting_), high = suited(above.plan, setting_);
    if (!low || !high) return low ? *low : high ? *high : native;
    if (*low == *high) return *low;
    const auto low_s = seconds(*low, size), high_s = seconds(*high, size);
    if (low_s && high_s && *low_s != *high_s) return *low_s < *high_s ? *low : *high;
    return distance(of_.below->placement.ranks, setting_.ranks) <=
                   distance(of_.above->placement.ranks, setting_.ranks)
               ? *low
               : *high;
  }

 private:
  std::optional<double> seconds(const Plan& plan, std::size_t size) const {
    if (plan.is_computed()) return std::nullopt;
    const std::size_t bytes = total_bytes(plan.collective(), setting_.ranks, size);
    const Shape shape = shape_of(plan, {.ranks = setting_.ranks}, 0, bytes);
    if (estimated_operations(plan, shape) > most_operations) return std::nullopt;
    return price(generate(plan, shape), bytes, network_).seconds;
  }

  Network network_;
  const Setting& setting_;
  const Neighbours& of_;
};

std::vector<int> divisors(int number) {
  std::vector<int> all;
  for (int divisor = 2; divisor < number; ++divisor)
    if (number % divisor == 0) all.push_back(divisor);
  return all;
}

}  // namespace

std::optional<Plan> suited(const Plan& plan, const Setting& setting) {
  const int ranks = setting.ranks;
  static const std::regex grid(R"(((?:memory\()?(?:grid|lanes)\()(\d+)x(\d+)(\).*))");
  std::smatch parts;
  if (!std::regex_match(plan.text(), parts, grid))
    return plan.refusal(setting) ? std::nullopt : std::optional(plan);
  const double ratio = std::stod(parts[2]) / std::stod(parts[3]), columns = std::stod(parts[3]);
  // Of two that miss as much the one that keeps the second extent, often the ranks of a host.
  const auto miss = [&](int rows) {
    const double by = std::abs(std::log(static_cast<double>(rows) * rows / ranks / ratio));
    return std::pair(std::lround(by * 1e6), rows * columns != ranks);
  };
  const auto rows = divisors(ranks);
  const auto best =
      std::min_element(rows.begin(), rows.end(), [&](int a, int b) { return miss(a) < miss(b); });
  if (best == rows.end()) return std::nullopt;
  auto like = make_plan(plan.collective(),
                        fmt::format("{}{}x{}{}", parts[1].str(), *best, ranks / *best, parts[4].str()));
  if (!like || like->refusal(setting)) return std::nullopt;
  return std::move(*like);
}

std::string between_text(const Between& between) {
  const auto& [below, above, rules] = between;
  return below.ranks == above.ranks ? fmt::format("like {} ranks on {} host{}", below.ranks, below.hosts,
                                                  below.hosts == 1 ? "" : "s")
                                    : fmt::format("between {} and {} ranks", below.ranks, above.ranks);
}

std::optional<Between> rules_between(const Table& table, Collective collective, Placement placement,
                                     const Setting& setting) {
  const Neighbours of = neighbours(table, collective, placement);
  if (!of.below || !of.above) return std::nullopt;
  std::set<std::size_t> ends;
  for (const RuleSet* set : {of.below, of.above})
    for (const Rule& rule : set->rules) {
      ends.insert(rule.size_max);
      if (rule.size_min > 0) ends.insert(rule.size_min - 1);
    }
  Between between{of.below->placement, of.above->placement, {}};
  const Decision decision(table, setting, of);
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const Rule *low = of.below->find(end), *high = of.above->find(end);
    // A size that stands for them all.
    const std::size_t middle = end == unlimited ? begin * 2 : begin + (end - begin) / 2;
    if (low && high) {
      Plan plan = decision.between(*low, *high, middle);
      if (!between.rules.empty() && between.rules.back().plan == plan &&
          between.rules.back().size_max + 1 == begin)
        between.rules.back().size_max = end;
      else
        between.rules.push_back({begin, end, std::move(plan)});
    }
    begin = end + 1;
  }
  return between;
}

}  // namespace tutti
