#include "core/plan/compose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "base/suggest.hpp"

namespace tutti::inline core {

/// One function for each file under compositions/; the build writes the list.
std::span<CompositionKind (*const)()> declared_compositions();

namespace {

std::vector<std::string> texts_of(const std::vector<PlanSyntax>& plans);

// "[ring,native]" without spaces; nothing where nothing was given.
std::string list_text(const std::vector<PlanSyntax>& phases);

std::string text_of(const PlanSyntax& syntax) {
  if (syntax.name == through_memory)
    return fmt::format("{}({})", syntax.name, fmt::join(texts_of(syntax.phases), ","));
  std::vector<std::string> arguments;
  for (const auto& argument : syntax.arguments)
    arguments.push_back(argument.key.empty() ? argument.value
                                             : fmt::format("{}={}", argument.key, argument.value));
  return fmt::format("{}{}{}", syntax.name,
                     arguments.empty() ? "" : fmt::format("({})", fmt::join(arguments, ",")),
                     list_text(syntax.phases));
}

std::vector<std::string> texts_of(const std::vector<PlanSyntax>& plans) {
  std::vector<std::string> texts;
  for (const PlanSyntax& plan : plans) texts.push_back(text_of(plan));
  return texts;
}

std::string list_text(const std::vector<PlanSyntax>& phases) {
  const std::vector<std::string> texts = texts_of(phases);
  if (texts.empty() || (texts.size() == 1 && texts.front() == "native")) return "";
  return fmt::format("[{}]", fmt::join(texts, ","));
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
  if (syntax.name == "native" && syntax.arguments.empty() && syntax.phases.empty())
    return open_phase(collective);
  auto plan = make_plan(collective, syntax, text_);
  if (plan && plan->is_computed())
    return fail(syntax.column,
                fmt::format("{} is computed for the whole communicator, not for a phase", syntax.name));
  const PlanSyntax& what = plan && plan->is_through_memory() ? syntax.phases.front() : syntax;
  if (const CompositionKind* inner = find_composition(what.name); plan && inner && inner->whole_only)
    if (const std::string_view why = inner->whole_only(what); !why.empty()) return fail(what.column, why);
  return plan;
}

Result<Plan> Composing::open_phase(Collective collective) const {
  const bool unknown_counts =
      is_irregular(collective_) && traits(collective_).size_means == SizeMeans::nothing;
  return unknown_counts ? make_plan(collective, "linear") : Plan::native(collective);
}

Result<std::vector<Plan>> Composing::phases(const std::vector<Collective>& in_order) const {
  const auto& given = syntax_.phases;
  if (given.size() > 1 && given.size() != in_order.size())
    return fail(fmt::format("{} plans for {} phases; give one for all or one for each", given.size(),
                            in_order.size()));
  std::vector<Plan> plans;
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    auto plan = given.empty() ? open_phase(in_order[i])
                              : phase(in_order[i], given.size() == 1 ? given.front() : given[i]);
    if (!plan) return tl::unexpected(plan.error());
    plans.push_back(std::move(*plan));
  }
  return plans;
}

Plan Composing::plan(std::string_view head, std::shared_ptr<const Composition> composition) const {
  return Plan(collective_, fmt::format("{}{}", head, list_text(syntax_.phases)), std::move(composition));
}

}  // namespace tutti::inline core
