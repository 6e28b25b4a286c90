#include "plan/compose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "plan/grid_plan.hpp"
#include "plan/lanes_plan.hpp"
#include "plan/size.hpp"
#include "plan/split_plan.hpp"
#include "plan/suggest.hpp"
#include "plan/via_plan.hpp"

namespace tutti {
namespace {

using Syntaxes = std::vector<PlanSyntax>;

class Composer {
 public:
  Composer(Collective collective, const PlanSyntax& syntax, std::string_view text)
      : collective_(collective), regular_(traits(collective).regular), syntax_(syntax), text_(text) {}

  Result<Plan> run() { return syntax_.name == "via" ? via() : syntax_.name == "split" ? split() : on_grid(); }

 private:
  tl::unexpected<Error> fail(int column, std::string_view what) const {
    return failure(plan_error(text_, column, what));
  }
  tl::unexpected<Error> fail(std::string_view what) const { return fail(syntax_.column, what); }

  struct Extents {
    std::string text;        // "8x12", "node"
    std::vector<int> sides;  // of a given grid
    GridLayout layout;       // its last side against all others together
  };

  Result<Extents> extents() const {
    if (syntax_.arguments.empty())
      return fail(fmt::format("{} needs its extents, such as {}(8x12), {}(node) or {}(balanced)",
                              syntax_.name, syntax_.name, syntax_.name, syntax_.name));
    Extents extents;
    const auto& first = syntax_.arguments.front();
    extents.text = first.value;
    if (first.value == "node") {
      extents.layout.kind = GridLayout::Rows::node;
    } else if (first.value == "balanced") {
      extents.layout.kind = GridLayout::Rows::balanced;
    } else {
      auto sides = read_sides(first.value);
      if (!first.key.empty() || sides.size() < 2)
        return fail(first.column,
                    fmt::format("'{}' is no grid; write numbers such as 8x12 or 2x4x12, node or balanced",
                                first.value));
      extents.layout.columns = sides.back();
      extents.layout.rows = 1;
      for (std::size_t i = 0; i + 1 < sides.size(); ++i) extents.layout.rows *= sides[i];
      extents.sides = std::move(sides);
    }
    for (std::size_t i = 1; i < syntax_.arguments.size(); ++i)
      if (auto failed = read_option(syntax_.arguments[i], extents); !failed)
        return tl::unexpected(failed.error());
    return extents;
  }

  static std::vector<int> read_sides(std::string_view text) {
    constexpr int longest = 1 << 20;
    std::vector<int> sides;
    for (const char *at = text.data(), *end = at + text.size(); at != end;) {
      int side = 0;
      const auto [next, error] = std::from_chars(at, end, side);
      if (error != std::errc() || side < 1 || side > longest) return {};
      sides.push_back(side);
      if (next == end) return sides;
      if (*next != 'x') return {};
      at = next + 1;
    }
    return {};  // it ends with an x
  }

  Result<void> read_option(const PlanSyntax::Argument& argument, Extents& extents) const {
    static const std::vector<std::string_view> mappings{"row_major", "column_major", "cyclic"},
        phases{"together", "apart"};
    if (argument.key == "phases") {
      const auto choice = choose(argument, phases);
      if (choice) extents.layout.apart = *choice == 1;
      return choice ? Result<void>() : tl::unexpected(choice.error());
    }
    if (argument.key != "mapping")
      return fail(argument.column,
                  fmt::format("{} has no parameter '{}'; there are mapping=... and phases=...", syntax_.name,
                              argument.key.empty() ? argument.value : argument.key));
    if (extents.sides.empty())
      return fail(argument.column, fmt::format("the rows of {} need no mapping; remove it", extents.text));
    const auto choice = choose(argument, mappings);
    if (choice) extents.layout.mapping = static_cast<GridLayout::Mapping>(*choice);
    return choice ? Result<void>() : tl::unexpected(choice.error());
  }

  // The number of the argument's value in a list.
  Result<std::ptrdiff_t> choose(const PlanSyntax::Argument& argument,
                                const std::vector<std::string_view>& values) const {
    const auto value = std::find(values.begin(), values.end(), argument.value);
    if (value == values.end())
      return fail(argument.column, fmt::format("{} can't be '{}'{}", argument.key, argument.value,
                                               suggestion(argument.value, values)));
    return value - values.begin();
  }

  Result<Plan> on_grid() const {
    const auto extents = this->extents();
    if (!extents) return tl::unexpected(extents.error());
    auto phases = syntax_.name == "lanes" ? LanesPlan::phases(regular_) : std::vector<GridPhase>{};
    const bool lanes = !phases.empty();
    if (!lanes) phases = GridPlan::phases(regular_);
    if (phases.empty()) return fail(fmt::format("{} has no realization on a grid", name(collective_)));
    const std::size_t dimensions = std::max<std::size_t>(extents->sides.size(), 2);
    if (dimensions > 2 && (lanes || regular_ == Collective::scan))
      return fail(fmt::format("{} of {} has two dimensions only, not {}", syntax_.name, name(collective_),
                              dimensions));
    auto plans = plans_on_grid(*extents, phases, dimensions);
    if (!plans) return tl::unexpected(plans.error());
    std::string text = fmt::format("{}({}{}{})", syntax_.name, extents->text, mapping_text(extents->layout),
                                   extents->layout.apart ? ",phases=apart" : "");
    text += phases_text();
    std::shared_ptr<const Composition> composition;
    if (lanes)
      composition = std::make_shared<LanesPlan>(regular_, extents->layout, std::move(*plans));
    else
      composition = std::make_shared<GridPlan>(regular_, extents->layout, std::move(*plans));
    return Plan(collective_, std::move(text), std::move(composition));
  }

  static std::string_view mapping_text(const GridLayout& layout) {
    switch (layout.mapping) {
      case GridLayout::Mapping::column_major:
        return ",mapping=column_major";
      case GridLayout::Mapping::cyclic:
        return ",mapping=cyclic";
      default:
        return "";
    }
  }

  // One plan for all, one for each dimension, or one for each phase.
  Result<std::vector<Plan>> plans_on_grid(const Extents& extents, const std::vector<GridPhase>& phases,
                                          std::size_t dimensions) const {
    const Syntaxes& given = syntax_.phases;
    const bool by_phase = given.size() == phases.size() && given.size() > dimensions;
    if (given.size() > 1 && given.size() != dimensions && !by_phase)
      return fail(fmt::format("{} plans for {} dimensions; give one for all or one for each", given.size(),
                              dimensions));
    std::vector<Plan> plans;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      const GridPhase& phase = phases[i];
      auto plan = by_phase                     ? of_phase(phase.collective, given[i])
                  : given.size() <= 1          ? of_columns_or_rows(phase, extents, given)
                  : phase.level == Level::rows ? of_phase(phase.collective, given.back())
                                               : of_columns(phase.collective, extents, given);
      if (!plan) return tl::unexpected(plan.error());
      plans.push_back(std::move(*plan));
    }
    return plans;
  }

  Result<Plan> of_columns_or_rows(const GridPhase& phase, const Extents& extents,
                                  const Syntaxes& given) const {
    if (phase.level == Level::columns) return of_columns(phase.collective, extents, given);
    return given.empty() ? native_phase(phase.collective) : of_phase(phase.collective, given.front());
  }

  // Of a grid with more than two sides the columns are grids of all but the last one.
  Result<Plan> of_columns(Collective collective, const Extents& extents, const Syntaxes& given) const {
    if (extents.sides.size() <= 2)
      return given.empty() ? native_phase(collective) : of_phase(collective, given.front());
    PlanSyntax inner{
        .name = "grid", .column = syntax_.column, .arguments = syntax_.arguments, .phases = given};
    const std::string& all = extents.text;
    inner.arguments.front().value = all.substr(0, all.rfind('x'));
    // What is dealt out in turn are the last side's rows only.
    if (extents.layout.mapping == GridLayout::Mapping::cyclic)
      std::erase_if(inner.arguments, [](const auto& argument) { return argument.key == "mapping"; });
    if (inner.phases.size() > 1) inner.phases.pop_back();
    return of_phase(collective, inner);
  }

  Result<Plan> of_phase(Collective collective, const PlanSyntax& syntax) const {
    if (syntax.name == "native" && syntax.arguments.empty() && syntax.phases.empty())
      return native_phase(collective);
    auto plan = make_plan(collective, syntax, text_);
    if (plan && plan->is_computed())
      return fail(syntax.column,
                  fmt::format("{} is computed for the whole communicator, not for a phase", syntax.name));
    if (plan && asks_for_hosts(syntax))
      return fail(syntax.column, "grid(node) is for the whole communicator only, not for a phase");
    return plan;
  }

  static bool asks_for_hosts(const PlanSyntax& syntax) {
    return is_composition(syntax.name) && !syntax.arguments.empty() &&
           syntax.arguments.front().value == "node";
  }

  // The MPI library needs the counts of a phase, which ranks know of most irregular collectives only block by
  // block, when they get them.
  Result<Plan> native_phase(Collective collective) const {
    const bool unknown_counts =
        is_irregular(collective_) && traits(collective_).size_means == SizeMeans::nothing;
    return unknown_counts ? make_plan(collective, "linear") : Plan::native(collective);
  }

  Result<Plan> via() const {
    std::vector<std::string_view> names;
    for (const auto& argument : syntax_.arguments) names.push_back(argument.value);
    std::vector<std::string> known;
    for (const ViaPlan::Way& way : ViaPlan::ways()) {
      if (way.collective != regular_ || (way.of_equal_blocks && is_irregular(collective_))) continue;
      if (way.names == names) return by(way);
      known.push_back(fmt::format("via({})", fmt::join(way.names, ",")));
    }
    if (known.empty())
      return fail(fmt::format("there is no way from {} to other collectives", name(collective_)));
    return fail(fmt::format("{} can't go via({}); there is {}", name(collective_), fmt::join(names, ","),
                            fmt::join(known, ", ")));
  }

  Result<Plan> by(const ViaPlan::Way& way) const {
    const Syntaxes& given = syntax_.phases;
    if (given.size() > 1 && given.size() != way.phases.size())
      return fail(fmt::format("{} plans for {} phases; give one for all or one for each", given.size(),
                              way.phases.size()));
    std::vector<Plan> plans;
    for (std::size_t i = 0; i < way.phases.size(); ++i) {
      auto plan = given.empty() ? native_phase(way.phases[i])
                                : of_phase(way.phases[i], given.size() == 1 ? given.front() : given[i]);
      if (!plan) return tl::unexpected(plan.error());
      plans.push_back(std::move(*plan));
    }
    return Plan(collective_, fmt::format("via({}){}", fmt::join(way.names, ","), phases_text()),
                std::make_shared<ViaPlan>(way, std::move(plans)));
  }

  Result<Plan> split() const {
    if (!SplitPlan::serves(collective_)) return fail(fmt::format("{} can't be split", name(collective_)));
    if (syntax_.arguments.size() != 1 || !syntax_.arguments.front().key.empty())
      return fail("split needs the size of a piece, such as split(8K)");
    const auto& size = syntax_.arguments.front();
    if (size.value == "auto")
      return fail(
          size.column,
          "no threshold is known for split(auto); write a size, or give tutti bench a --network in which the "
          "collective was probed and needs to be split");
    const auto piece = parse_size(size.value);
    if (!piece || *piece == 0)
      return fail(size.column,
                  fmt::format("'{}' is no size of a piece; write bytes, such as 8K", size.value));
    if (syntax_.phases.size() > 1) return fail("split has one plan for all pieces");
    auto plan = syntax_.phases.empty() ? native_phase(regular_) : of_phase(regular_, syntax_.phases.front());
    if (!plan) return tl::unexpected(plan.error());
    return Plan(collective_, fmt::format("split({}){}", size_text(*piece), phases_text()),
                std::make_shared<SplitPlan>(regular_, *piece, std::move(*plan)));
  }

  // "[ring,native]" without spaces; nothing where nothing was given.
  std::string phases_text() const { return list_text(syntax_.phases); }
  static std::string list_text(const Syntaxes& phases) {
    std::vector<std::string> texts;
    for (const PlanSyntax& phase : phases) texts.push_back(text_of(phase));
    if (texts.empty() || (texts.size() == 1 && texts.front() == "native")) return "";
    return fmt::format("[{}]", fmt::join(texts, ","));
  }
  static std::string text_of(const PlanSyntax& syntax) {
    std::vector<std::string> arguments;
    for (const auto& argument : syntax.arguments)
      arguments.push_back(argument.key.empty() ? argument.value
                                               : fmt::format("{}={}", argument.key, argument.value));
    return fmt::format("{}{}{}", syntax.name,
                       arguments.empty() ? "" : fmt::format("({})", fmt::join(arguments, ",")),
                       list_text(syntax.phases));
  }

  Collective collective_, regular_;
  const PlanSyntax& syntax_;
  std::string_view text_;
};

}  // namespace

bool is_composition(std::string_view name) {
  return std::find(composition_names.begin(), composition_names.end(), name) != composition_names.end();
}

std::string with_pieces(std::string_view text, std::size_t bytes) {
  constexpr std::string_view open = "split(auto)";
  std::string result(text);
  if (bytes > 0)
    for (auto at = result.find(open); at != result.npos; at = result.find(open))
      result.replace(at, open.size(), fmt::format("split({})", size_text(bytes)));
  return result;
}

Result<Plan> compose(Collective collective, const PlanSyntax& syntax, std::string_view text) {
  return Composer(collective, syntax, text).run();
}

}  // namespace tutti
