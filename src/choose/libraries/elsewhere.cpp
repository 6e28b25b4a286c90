#include "choose/libraries/elsewhere.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "base/letters.hpp"
#include "base/size.hpp"
#include "choose/evidence/call_class.hpp"
#include "choose/libraries/constants.hpp"

namespace tutti::inline choose {
namespace {

// By what a plan of ours says of itself, with its defaults left out.
using NumbersByPlan = std::map<std::string_view, int>;

const std::map<Collective, NumbersByPlan>& intel_numbers() {
  using enum Collective;
  static const auto& all = *new std::map<Collective, NumbersByPlan>{
      {allgather, {{"recursive_doubling", 1}, {"bruck", 2}, {"ring", 3}}},
      {allgatherv, {{"recursive_doubling", 1}, {"bruck", 2}, {"ring", 3}}},
      {allreduce, {{"recursive_doubling", 1}, {"rabenseifner", 2}, {"reduce_bcast", 3}, {"ring", 8}}},
      {alltoall, {{"bruck", 1}, {"linear", 2}, {"pairwise", 3}}},
      {alltoallv, {{"linear", 1}}},
      {barrier, {{"dissemination", 1}, {"recursive_doubling", 2}}},
      {bcast, {{"binomial", 1}}},
      {gather, {{"binomial", 1}}},
      {gatherv, {{"linear", 1}}},
      {reduce, {{"binomial", 2}, {"rabenseifner", 5}}},
      {reduce_scatter, {{"recursive_halving", 1}, {"pairwise", 2}, {"recursive_doubling", 3}}},
      {scatter, {{"binomial", 1}}},
      {scatterv, {{"linear", 1}}}};
  return all;
}

// An algorithm of UCC's, and the radix that makes it ours.
struct OfUcc {
  std::string_view name;
  std::string_view radix_variable = {};
  int radix = 0;
};

std::optional<OfUcc> of_ucc(const Plan& plan) {
  using enum Collective;
  if (plan.is_through_memory()) return std::nullopt;
  const std::string& text = plan.text();
  const bool has_radix = plan.algorithm() && plan.arguments().has("radix");
  const int radix = has_radix ? plan.arguments().number("radix") : 0;
  const std::string_view algorithm = plan.algorithm() ? plan.algorithm()->name : std::string_view();
  switch (plan.collective()) {
    case allgather:
      if (text == "ring") return OfUcc{"ring"};
      if (text == "bruck") return OfUcc{"bruck"};
      if (text == "neighbor_exchange") return OfUcc{"neighbor"};
      return std::nullopt;
    case allgatherv:
      return text == "ring" ? std::optional(OfUcc{"ring"}) : std::nullopt;
    case allreduce:
      if (text == "recursive_doubling") return OfUcc{"knomial", "UCC_TL_UCP_ALLREDUCE_KN_RADIX", 2};
      if (algorithm == "recursive_multiplying")
        return OfUcc{"knomial", "UCC_TL_UCP_ALLREDUCE_KN_RADIX", radix};
      if (text == "rabenseifner") return OfUcc{"sra_knomial", "UCC_TL_UCP_ALLREDUCE_SRA_KN_RADIX", 2};
      return std::nullopt;
    case alltoall:
      if (text == "bruck") return OfUcc{"bruck"};
      return text == "pairwise" ? std::optional(OfUcc{"pairwise"}) : std::nullopt;
    case barrier:
      if (text == "recursive_doubling") return OfUcc{"knomial", "UCC_TL_UCP_BARRIER_KN_RADIX", 2};
      return std::nullopt;
    case bcast:
      if (text == "binomial") return OfUcc{"knomial", "UCC_TL_UCP_BCAST_KN_RADIX", 2};
      if (algorithm == "knomial") return OfUcc{"knomial", "UCC_TL_UCP_BCAST_KN_RADIX", radix};
      return std::nullopt;
    case reduce:
      if (text == "binomial") return OfUcc{"knomial", "UCC_TL_UCP_REDUCE_KN_RADIX", 2};
      if (algorithm == "knomial") return OfUcc{"knomial", "UCC_TL_UCP_REDUCE_KN_RADIX", radix};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// Why an MPI library can't be told such rules: its ranks would not agree on the size.
std::string why_untold(const RuleSet& set) {
  return has_own_sizes(set.collective) && set.goes_by_size() ? ": each rank knows its own size only" : "";
}

// The rule sets for blocking calls, of each number of ranks the one on the most hosts.
std::vector<const RuleSet*> told_sets(const Table& table) {
  std::map<std::tuple<Collective, int, int>, const RuleSet*> best;
  for (const RuleSet& set : table.rule_sets) {
    if (set.mode != Mode::blocking) continue;
    const RuleSet*& known = best[{set.collective, set.placement.ranks, set.ranks_max}];
    const bool more =
        known && known->placement.hosts != RuleSet::any_hosts &&
        (set.placement.hosts == RuleSet::any_hosts || set.placement.hosts > known->placement.hosts);
    if (!known || more) known = &set;
  }
  std::vector<const RuleSet*> sets;
  for (const auto& [what, set] : best) sets.push_back(set);
  return sets;
}

std::string in_words(const RuleSet& set, const Rule& rule, const std::string& why = "") {
  return fmt::format("{} by {} on {} ranks from {} on{}", name(set.collective), rule.plan.text(),
                     set.placement.ranks, size_text(rule.size_min), why);
}

}  // namespace

ToldElsewhere intel_adjust(const Table& table) {
  ToldElsewhere told;
  std::map<Collective, std::string> values;
  for (const RuleSet* set : told_sets(table))
    for (const Rule& rule : set->rules) {
      if (rule.plan.is_native()) continue;
      const auto numbers = intel_numbers().find(set->collective);
      const auto number = numbers == intel_numbers().end() ? NumbersByPlan::const_iterator()
                                                           : numbers->second.find(rule.plan.text());
      const std::string why = why_untold(*set);
      if (numbers == intel_numbers().end() || number == numbers->second.end() || !why.empty()) {
        told.without.push_back(in_words(*set, rule, why));
        continue;
      }
      std::string& value = values[set->collective];
      value += fmt::format(
          "{}{}:{}-{}@{}-{}", value.empty() ? "" : ";", number->second,
          std::min(rule.size_min, libraries::intel_largest),
          std::min(rule.size_max, libraries::intel_largest), set->placement.ranks,
          std::min<std::size_t>(static_cast<std::size_t>(set->ranks_max), libraries::intel_largest));
    }
  for (const auto& [collective, value] : values)
    told.variables.push_back(
        fmt::format("I_MPI_ADJUST_{}={}", upper_case(std::string(name(collective))), value));
  return told;
}

ToldElsewhere ucc_tune(const Table& table) {
  ToldElsewhere told;
  std::string tokens;
  std::map<std::string_view, int> radices;
  for (const RuleSet* set : told_sets(table))
    for (const Rule& rule : set->rules) {
      if (rule.plan.is_native()) continue;
      const auto there = of_ucc(rule.plan);
      if (!there) {
        told.without.push_back(in_words(*set, rule));
        continue;
      }
      if (there->radix > 0 &&
          radices.try_emplace(there->radix_variable, there->radix).first->second != there->radix) {
        told.without.push_back(in_words(*set, rule, ": UCC has one radix for all sizes"));
        continue;
      }
      // The fewest ranks of a range count, so that sizes end where they do for these.
      const bool by_block = traits(traits(set->collective).regular).size_means == SizeMeans::block;
      const std::size_t ranks = by_block ? static_cast<std::size_t>(set->placement.ranks) : 1;
      const auto bytes = [&](std::size_t size) {
        return size >= unlimited / ranks - 1 ? std::string("inf") : fmt::format("{}", size * ranks);
      };
      const std::string ranks_max =
          set->ranks_max == std::numeric_limits<int>::max() ? "inf" : fmt::format("{}", set->ranks_max);
      tokens +=
          fmt::format("{}{}:{}-{}:[{}-{}]:@{}", tokens.empty() ? "" : "#", name(set->collective),
                      bytes(rule.size_min), bytes(rule.size_max == unlimited ? unlimited : rule.size_max + 1),
                      set->placement.ranks, ranks_max, there->name);
    }
  if (!tokens.empty()) told.variables.push_back("UCC_TL_UCP_TUNE=" + tokens);
  for (const auto& [variable, radix] : radices)
    told.variables.push_back(fmt::format("{}={}", variable, radix));
  return told;
}

}  // namespace tutti::inline choose
