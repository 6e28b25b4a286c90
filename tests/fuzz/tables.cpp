// Tables: what is accepted is written, and read again, as the same.

#include "choose/evidence/table.hpp"
#include "fuzz.hpp"

void try_text(const std::string& text) {
  using namespace tutti;
  const auto table = parse_table(text, "fuzzed");
  if (!table) return require(table.error().message.starts_with("table fuzzed: "));
  const std::string written = to_text(*table);
  const auto again = parse_table(written, "written");
  require(again && to_text(*again) == written);
  for (const CollectiveTraits& collective : collectives)
    for (const int ranks : {1, 2, 4, 96})
      if (const RuleSet* rules = table->find(collective.collective, {ranks, 1})) (void)rules->find(1000);
}
