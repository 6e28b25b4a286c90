#include "choose/libraries/library_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "choose/evidence/constants.hpp"
#include "choose/evidence/stretches.hpp"

namespace tutti::inline choose {
namespace {

std::vector<LibraryRule> rules_between(const std::map<std::size_t, LibraryAlgorithm>& by_size) {
  std::vector<LibraryRule> rules;
  for_each_stretch(by_size, LibraryAlgorithm{}, [&](std::size_t size_max, const LibraryAlgorithm& algorithm) {
    add_rule(rules, size_max, algorithm);
  });
  return rules;
}

// Whether a library looks up rules without a size. Of scans Open MPI looks at ranks times the bytes
// of one element, whatever their number is, and MPICH is told nothing of them.
bool is_without_size(Collective collective) {
  return traits(collective).size_means == SizeMeans::nothing || collective == Collective::scan ||
         collective == Collective::exscan;
}

// Where ranks can't go by a size there is one decision, which has to be right at every size.
std::vector<LibraryRule> rule_for_all_sizes(const std::map<std::size_t, LibraryAlgorithm>& by_size) {
  const LibraryAlgorithm& first = by_size.begin()->second;
  const bool alike = std::ranges::all_of(by_size, [&](const auto& entry) { return entry.second == first; });
  return {{unlimited, alike ? first : LibraryAlgorithm{}}};
}

}  // namespace

std::string LibraryAlgorithm::text() const {
  return segment > 0 ? fmt::format("{}/{}", name, segment) : name;
}

LibraryAlgorithm LibraryAlgorithm::of(const std::string& text) {
  const auto slash = text.find('/');
  LibraryAlgorithm algorithm{text.substr(0, slash)};
  if (slash != text.npos)
    std::from_chars(text.data() + slash + 1, text.data() + text.size(), algorithm.segment);
  return algorithm;
}

void add_rule(std::vector<LibraryRule>& rules, std::size_t size_max, const LibraryAlgorithm& algorithm) {
  if (!rules.empty() && rules.back().algorithm == algorithm)
    rules.back().size_max = size_max;
  else
    rules.push_back({size_max, algorithm});
}

std::vector<LibraryRules> best_of_library(const Table& table) {
  struct Best {
    LibraryAlgorithm algorithm;
    double ratio = 1;
  };
  // By operation and ranks, then hosts, then size.
  std::map<std::pair<Collective, int>, std::map<int, std::map<std::size_t, Best>>> best;
  for (const Measurement& measured : table.library) {
    Best& known = best[{measured.collective, measured.ranks}][measured.hosts][measured.size];
    if (measured.plan != "native" && measured.ratio_to_native.high < evidence::worth_a_change &&
        measured.ratio_to_native.middle < known.ratio)
      known = {LibraryAlgorithm::of(measured.plan), measured.ratio_to_native.middle};
  }
  std::vector<LibraryRules> all;
  for (const auto& [what, by_hosts] : best) {
    const auto& [collective, ranks] = what;
    std::map<std::size_t, LibraryAlgorithm> by_size;
    for (const auto& [size, choice] : by_hosts.rbegin()->second) by_size[size] = choice.algorithm;
    auto rules = is_without_size(collective) ? rule_for_all_sizes(by_size) : rules_between(by_size);
    if (std::ranges::any_of(rules, [](const LibraryRule& rule) { return !rule.algorithm.name.empty(); }))
      all.push_back({collective, ranks, ranks, std::move(rules)});
  }
  return all;
}

std::vector<LibraryRules> served_by(std::string_view component, const std::vector<LibraryRules>& rules,
                                    const Table& table) {
  std::vector<LibraryRules> some;
  std::ranges::copy_if(rules, std::back_inserter(some), [&](const LibraryRules& of) {
    const bool between_hosts = std::ranges::any_of(table.library, [&](const Measurement& measured) {
      return measured.collective == of.collective && measured.ranks == of.ranks && measured.hosts > 1;
    });
    const LibraryComponent* first = serving(table.components, of.collective, between_hosts ? 2 : 1);
    return first && first->name == component;
  });
  return some;
}

Table table_of(const std::vector<LibraryRules>& rules, const std::string& family,
               const Fingerprint& fingerprint) {
  Table table{.fingerprint = fingerprint};
  for (const LibraryRules& of : rules) {
    RuleSet set{of.collective, {of.ranks, RuleSet::any_hosts}, {}, of.ranks_max};
    std::size_t begin = 0;
    for (const LibraryRule& rule : of.rules) {
      set.rules.push_back(
          {begin, rule.size_max,
           counterpart(family, of.collective, rule.algorithm).value_or(Plan::native(of.collective))});
      begin = rule.size_max == unlimited ? unlimited : rule.size_max + 1;
    }
    table.rule_sets.push_back(std::move(set));
  }
  return table;
}

}  // namespace tutti::inline choose
