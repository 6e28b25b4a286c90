// From text to a plan.

#include <fmt/format.h>

#include <algorithm>

#include "base/number.hpp"
#include "base/suggest.hpp"
#include "core/plan/compose.hpp"

namespace tutti::inline core {
namespace {

std::vector<std::string_view> known_names(Collective collective) {
  std::vector<std::string_view> names{"native", through_memory};
  for (const Algorithm& algorithm : all_algorithms())
    if (serves(algorithm, collective)) names.push_back(algorithm.name);
  for (const CompositionKind& kind : all_compositions()) names.push_back(kind.name);
  return names;
}

bool is_number(std::string_view text, int least) {
  const auto value = number_in<int>(text);
  return value && *value >= least;
}

// Fits the written arguments to the declared parameters.
Result<Arguments::Values> check_arguments(const Algorithm& algorithm, const PlanSyntax& syntax,
                                          std::string_view text) {
  Arguments::Values given;
  std::size_t position = 0;
  for (const auto& [key, value, column] : syntax.arguments) {
    const auto fail = [&, at = column](std::string_view what) { return failure(plan_error(text, at, what)); };
    auto parameter = algorithm.parameters.begin();
    if (key.empty()) {
      if (position >= algorithm.parameters.size())
        return fail(fmt::format(
            "{} has {} parameters; remove '{}'", algorithm.name,
            algorithm.parameters.empty() ? "no" : fmt::format("only {}", algorithm.parameters.size()),
            value));
      parameter += static_cast<std::ptrdiff_t>(position);
    } else {
      std::vector<std::string_view> names;
      for (const Parameter& candidate : algorithm.parameters) names.push_back(candidate.name);
      parameter = std::find_if(
          algorithm.parameters.begin(), algorithm.parameters.end(),
          [k = std::string_view(key)](const Parameter& candidate) { return candidate.name == k; });
      if (parameter == algorithm.parameters.end())
        return fail(fmt::format("{} has no parameter '{}'{}", algorithm.name, key,
                                names.empty() ? "" : suggestion(key, names)));
    }
    ++position;
    if (parameter->is_number
            ? !is_number(value, parameter->least)
            : std::find(parameter->values.begin(), parameter->values.end(), value) == parameter->values.end())
      return fail(parameter->is_number ? fmt::format("{} has to be a whole number from {} on, not '{}'",
                                                     parameter->name, parameter->least, value)
                                       : fmt::format("{} can't be '{}'{}", parameter->name, value,
                                                     suggestion(value, parameter->values)));
    if (!given.try_emplace(std::string(parameter->name), value).second)
      return fail(fmt::format("{} is given twice", parameter->name));
  }
  return given;
}

}  // namespace

Result<Plan> make_plan(Collective collective, std::string_view text) {
  const auto syntax = parse_plan(text);
  if (!syntax) return tl::unexpected(syntax.error());
  return make_plan(collective, *syntax, text);
}

namespace {

Result<Plan> make_plan_through_memory(Collective collective, const PlanSyntax& syntax,
                                      std::string_view text) {
  const auto fail = [&](std::string_view what) { return failure(plan_error(text, syntax.column, what)); };
  if (syntax.phases.size() != 1)
    return fail(fmt::format("{} goes around a plan, such as {}(linear)", through_memory, through_memory));
  auto plan = make_plan(collective, syntax.phases.front(), text);
  if (!plan) return plan;
  if (plan->is_left_to_library()) return fail("the messages of native are the MPI library's own");
  if (plan->uses_memory()) return fail("messages go through memory already; say so once");
  return plan->through_memory();
}

}  // namespace

Result<Plan> make_plan(Collective collective, const PlanSyntax& syntax, std::string_view text) {
  const auto fail = [&](std::string_view what) { return failure(plan_error(text, syntax.column, what)); };
  if (syntax.name == through_memory) return make_plan_through_memory(collective, syntax, text);
  if (const CompositionKind* kind = find_composition(syntax.name))
    return compose(*kind, collective, syntax, text);
  const bool native = syntax.name == "native";
  const Algorithm* algorithm = find_algorithm(collective, syntax.name);
  if (!native && !algorithm)
    return fail(fmt::format("{} has no plan '{}'{}", name(collective), syntax.name,
                            suggestion(syntax.name, known_names(collective))));
  if (!syntax.phases.empty()) return fail(fmt::format("{} has no phases; remove '[...]'", syntax.name));
  if (native) {
    if (syntax.arguments.empty()) return Plan::native(collective);
    if (syntax.arguments.size() > 1 || !syntax.arguments.front().key.empty())
      return fail(
          "native takes one name, of an algorithm of the MPI library's own; such as native(binomial)");
    if (is_irregular(collective) && traits(collective).size_means == SizeMeans::nothing)
      return fail(
          fmt::format("the counts of a {} are known to their ranks alone; say native", name(collective)));
    return Plan::native(collective, syntax.arguments.front().value);
  }
  const auto given = check_arguments(*algorithm, syntax, text);
  if (!given) return tl::unexpected(given.error());
  return Plan(collective, *algorithm, complete(*algorithm, *given));
}

}  // namespace tutti::inline core
