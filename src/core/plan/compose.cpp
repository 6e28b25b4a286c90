#include "core/plan/compose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "base/suggest.hpp"

namespace tutti::inline core {

/// One function for each file under compositions/; the build writes the list.
std::span<CompositionKind (*const)()> declared_compositions();

namespace {

std::vector<std::string> texts_of(const std::vector<PlanSyntax>& plans);

std::string text_of(const PlanSyntax& syntax) {
  const CompositionKind* kind = find_composition(syntax.name);
  const bool wraps = syntax.name == through_memory || (kind && kind->wraps);
  std::vector<std::string> arguments;
  for (const auto& argument : syntax.arguments)
    arguments.push_back(argument.key.empty() ? argument.value
                                             : fmt::format("{}={}", argument.key, argument.value));
  return fmt::format("{}{}{}", syntax.name,
                     arguments.empty() ? "" : fmt::format("({})", fmt::join(arguments, ",")),
                     PhasePlans(Collective::barrier, texts_of(syntax.phases), {}).text(wraps));
}

std::vector<std::string> texts_of(const std::vector<PlanSyntax>& plans) {
  std::vector<std::string> texts;
  for (const PlanSyntax& plan : plans) texts.push_back(text_of(plan));
  return texts;
}

}  // namespace

const std::vector<CompositionKind>& all_compositions() {
  // Never destroyed: programs may end MPI after our statics.
  static const auto& all = *new std::vector<CompositionKind>([] {
    std::vector<CompositionKind> list;
    for (const auto declared : declared_compositions()) list.push_back(declared());
    return list;
  }());
  return all;
}

const CompositionKind* find_composition(std::string_view name) {
  for (const CompositionKind& kind : all_compositions())
    if (kind.name == name) return &kind;
  return nullptr;
}

Result<Plan> compose(const CompositionKind& kind, Collective collective, const PlanSyntax& syntax,
                     std::string_view text) {
  const Composing composing(kind, collective, syntax, text);
  if (traits(collective).on_neighbors)
    return composing.fail(fmt::format("{} is not for neighbours; name one plan", kind.name));
  return kind.compose(composing);
}

tl::unexpected<Error> Composing::fail(int column, std::string_view what) const {
  return failure(plan_error(text_, column, what));
}

Result<std::ptrdiff_t> Composing::choose(const PlanSyntax::Argument& argument,
                                         const std::vector<std::string_view>& values) const {
  const auto value = std::find(values.begin(), values.end(), argument.value);
  if (value == values.end())
    return fail(argument.column, fmt::format("{} can't be '{}'{}", argument.key, argument.value,
                                             suggestion(argument.value, values)));
  return value - values.begin();
}

Result<Plan> Composing::phase(Collective collective, const PlanSyntax& syntax) const {
  auto plan = make_plan(collective, syntax, text_);
  if (plan && plan->is_computed())
    return fail(syntax.column,
                fmt::format("{} is computed for the whole communicator, not for a phase", syntax.name));
  const PlanSyntax& what = plan && plan->is_through_memory() ? syntax.phases.front() : syntax;
  if (const CompositionKind* inner = find_composition(what.name); plan && inner && inner->whole_only)
    if (const std::string_view why = inner->whole_only(what); !why.empty()) return fail(what.column, why);
  return plan;
}

PhasePlans Composing::phases() const {
  // One plan may be for many phases, and each of these for as many again: it is made once.
  using Made = std::map<std::pair<std::size_t, Collective>, Result<Plan>>;
  return {collective_, texts_of(syntax_.phases),
          [this, made = std::make_shared<Made>()](std::size_t place, Collective collective) {
            const auto known = made->find({place, collective});
            if (known != made->end()) return known->second;
            return made->emplace(std::pair(place, collective), phase(collective, syntax_.phases[place]))
                .first->second;
          }};
}

}  // namespace tutti::inline core
