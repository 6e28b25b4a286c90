#include "core/plan/composition_template.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/plan/compose.hpp"

namespace tutti::inline core {

std::string CompositionTemplate::text(const std::vector<std::string>& in_slots) const {
  return fmt::format("{}[{}]", head, fmt::join(in_slots, ","));
}

std::vector<CompositionTemplate> templates(Collective collective, const Setting& setting,
                                           const std::vector<std::size_t>& pieces) {
  std::vector<CompositionTemplate> found;
  if (traits(collective).on_neighbors) return found;
  for (const CompositionKind& kind : all_compositions())
    for (CompositionTemplate& composition : kind.templates({collective, setting, pieces})) {
      const auto plan = make_plan(collective, composition.head);
      if (plan && !plan->refusal(setting)) found.push_back(std::move(composition));
    }
  return found;
}

}  // namespace tutti::inline core
