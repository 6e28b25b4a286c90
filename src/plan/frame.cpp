#include "plan/frame.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plan/compose.hpp"

namespace tutti {

std::string Frame::text(const std::vector<std::string>& in_slots) const {
  return fmt::format("{}[{}]", head, fmt::join(in_slots, ","));
}

std::vector<Frame> frames(Collective collective, const Setting& setting,
                          const std::vector<std::size_t>& pieces) {
  std::vector<Frame> found;
  if (traits(collective).on_neighbors) return found;
  for (const CompositionKind& kind : all_compositions())
    for (Frame& frame : kind.frames({collective, setting, pieces})) {
      const auto plan = make_plan(collective, frame.head);
      if (plan && !plan->refusal(setting)) found.push_back(std::move(frame));
    }
  return found;
}

}  // namespace tutti
