// Tables: what is accepted is written, and read again, as the same; programs read the same
// decisions of it.

#include "choose/evidence/table.hpp"
#include "fuzz.hpp"

namespace {

// The text of a table without its measurements.
std::string decisions_of(tutti::Table table) {
  table.measurements.clear();
  table.library.clear();
  table.unread.reset();
  return to_text(table);
}

}  // namespace

void try_text(const std::string& text) {
  using namespace tutti;
  const auto table = parse_table(text, "fuzzed");
  if (!table) return require(table.error().message.starts_with("table fuzzed: "));
  const std::string written = to_text(*table);
  const auto again = parse_table(written, "written");
  require(again && to_text(*again) == written);
  const auto of_program = parse_table_for_program(text, "fuzzed");
  require(of_program.has_value());
  require(decisions_of(*of_program) == decisions_of(*table));
  for (const CollectiveTraits& collective : collectives)
    for (const int ranks : {1, 2, 4, 96})
      if (const RuleSet* rules = table->find(collective.collective, {ranks, 1})) (void)rules->find(1000);
}
