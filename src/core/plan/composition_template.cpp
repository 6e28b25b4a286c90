#include "core/plan/composition_template.hpp"

#include "core/plan/compose.hpp"

namespace tutti::inline core {

Plan CompositionTemplate::filled(const std::vector<Plan>& in_slots) const {
  return head.composition()->with_phases({head.collective(), in_slots}).value();
}

std::vector<CompositionTemplate> templates(Collective collective, const Setting& setting,
                                           const std::vector<std::size_t>& pieces) {
  std::vector<CompositionTemplate> found;
  if (traits(collective).on_neighbors) return found;
  for (const CompositionKind& kind : all_compositions())
    for (CompositionTemplate& composition : kind.templates({kind, collective, setting, pieces}))
      if (!composition.head.refusal(setting)) found.push_back(std::move(composition));
  return found;
}

}  // namespace tutti::inline core
