// Plans: a byte that chooses the collective, then the text. What is accepted says itself again, and
// on a few ranks it is right.

#include "core/plan/plan.hpp"
#include "core/plan/prove.hpp"
#include "fuzz.hpp"

void try_text(const std::string& text) {
  using namespace tutti;
  if (text.empty()) return;
  const auto first = static_cast<unsigned char>(text.front());
  const Collective collective = collectives[first % collectives.size()].collective;
  const auto plan = make_plan(collective, text.substr(1));
  if (!plan) return require(!plan.error().message.empty());
  const auto again = make_plan(collective, plan->text());
  require(again && *again == *plan);
  if (plan->is_native()) return;
  for (const int ranks : {1, 2, 3, 4, 6}) {
    if (plan->refusal({.ranks = ranks}) || plan->is_computed()) continue;
    if (blocks_for(*plan, {.ranks = ranks}, 100000) > 300) continue;  // right, but proven slowly
    require(prove(*plan, ranks, ranks / 2).violation.empty());
  }
}
