// Knowledge: what is accepted is written, and read again, as the same; it fades, merges and becomes
// a table.

#include "choose/evidence/knowledge_table.hpp"
#include "fuzz.hpp"

void try_text(const std::string& text) {
  using namespace tutti;
  auto known = parse_knowledge(text, "fuzzed");
  if (!known) return require(known.error().message.starts_with("knowledge fuzzed: "));
  const std::string written = to_text(*known);
  const auto again = parse_knowledge(written, "written");
  require(again && to_text(*again) == written);
  for (const Fingerprint& place : known->places()) {
    const Table table = table_of(*known, place);
    require(parse_table(to_text(table), "written") || !table.rule_sets.empty());
  }
  known->fade(30000);
  known->merge(*again);
}
