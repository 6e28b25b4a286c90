#include "choose/settings/forced_plans.hpp"

#include <fmt/format.h>

#include "base/size.hpp"
#include "base/split.hpp"

namespace tutti::inline choose {
namespace {

// "4K-64K", "4K-": from where to where.
Result<std::pair<std::size_t, std::size_t>> parse_range(const std::string& text) {
  const auto dash = text.find('-');
  if (dash == text.npos)
    return failure(fmt::format("'{}' is no range of sizes such as 0-4K, or 64K- for all from there", text));
  const auto begin = parse_size(text.substr(0, dash));
  if (!begin) return tl::unexpected(begin.error());
  const std::string last = text.substr(dash + 1);
  const auto end = last.empty() ? Result<std::size_t>(unlimited) : parse_size(last);
  if (!end) return tl::unexpected(end.error());
  if (*begin > *end) return failure(fmt::format("'{}' is a range that ends before it begins", text));
  return std::pair(*begin, *end);
}

}  // namespace

Result<std::vector<Rule>> parse_forced_plans(Collective collective, const std::string& text) {
  std::vector<Rule> rules;
  for (const std::string& one : split(text, ';')) {
    std::string plan = trimmed(one);
    std::pair<std::size_t, std::size_t> sizes{0, unlimited};
    if (const auto equals = plan.find('='); !plan.empty() && plan[0] >= '0' && plan[0] <= '9') {
      const auto range = parse_range(trimmed(plan.substr(0, equals)));
      if (!range) return tl::unexpected(range.error());
      if (equals == plan.npos) return failure(fmt::format("'{}' names no plan; write {}=PLAN", plan, plan));
      sizes = *range;
      plan = trimmed(plan.substr(equals + 1));
    }
    auto made = make_plan(collective, plan);
    if (!made) return tl::unexpected(made.error());
    rules.push_back({sizes.first, sizes.second, std::move(*made)});
  }
  return rules;
}

}  // namespace tutti::inline choose
