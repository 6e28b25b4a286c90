#include "core/plan/on_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace tutti::inline core {
namespace {

constexpr std::string_view by_hosts = "node", balanced = "balanced";

class OnGrid final : public Composition {
 public:
  OnGrid(const CompositionKind& composition, const GridKind& kind, const Realization& realization,
         GridLayout layout, std::vector<Plan> plans)
      : Composition(composition, realization.collective, std::move(plans)),
        kind_(kind),
        realization_(realization),
        layout_(layout) {}

  void generate(Builder& b) const override {
    const auto grid = arranged(layout_, b.ranks(), b.shape().hosts);
    realization_.write(b, *grid, layout_.apart, plans());
  }
  bool relays() const override {
    return collective() == Collective::gather || collective() == Collective::scatter ||
           collective() == Collective::alltoall;
  }

 private:
  std::optional<std::string> own_refusal(const Setting& setting) const override {
    const auto grid = arrange(layout_, setting.ranks, setting.hosts);
    if (!grid) return grid.error().message;
    if (traits(collective()).reduces && !setting.commutative && !grid->in_rank_order())
      return "the grid's rows are not consecutive ranks, but the operation does not commute";
    return kind_.refuses(collective(), *grid, plans());
  }

  std::vector<PhaseUse> uses(const Setting& setting) const override {
    const Grid grid = arrange(layout_, setting.ranks, setting.hosts).value();
    std::set<int> lengths;
    for (int r = 0; r < grid.rows(); ++r) lengths.insert(static_cast<int>(grid.row(r).size()));
    std::vector<PhaseUse> uses;
    for (std::size_t i = 0; i < realization_.phases.size(); ++i)
      if (realization_.phases[i].level == Level::columns)
        uses.push_back({&plan(i), grid.rows(), kind_.shares_in_columns ? grid.columns() : 1});
      else
        for (const int length : lengths) uses.push_back({&plan(i), length});
    return uses;
  }

  const GridKind& kind_;
  const Realization& realization_;
  GridLayout layout_;
};

struct Extents {
  std::string text;        // "8x12", "node"
  std::vector<int> sides;  // of a given grid
  GridLayout layout;       // its last side against all others together
};

std::vector<int> read_sides(std::string_view text) {
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

// Reads a text with extents.
class Reader {
 public:
  Reader(const Composing& text, const GridKind& kind) : text_(text), syntax_(text.syntax()), kind_(kind) {}

  Result<Plan> run() const {
    const auto extents = this->extents();
    if (!extents) return tl::unexpected(extents.error());
    const Realization* realization = kind_.find(text_.regular());
    if (!realization)
      return text_.fail(fmt::format("{} has no realization on a grid", name(text_.collective())));
    const std::size_t dimensions = std::max<std::size_t>(extents->sides.size(), 2);
    if (dimensions > 2 && (kind_.columns_name.empty() || realization->phases.size() > 2))
      return text_.fail(fmt::format("{} of {} has two dimensions only, not {}", syntax_.name,
                                    name(text_.collective()), dimensions));
    auto plans = this->plans(*extents, realization->phases, dimensions);
    if (!plans) return tl::unexpected(plans.error());
    const std::string head =
        fmt::format("{}({}{}{})", syntax_.name, extents->text, mapping_text(extents->layout),
                    extents->layout.apart ? ",phases=apart" : "");
    return text_.plan(head, std::make_shared<OnGrid>(text_.kind(), kind_, *realization, extents->layout,
                                                     std::move(*plans)));
  }

 private:
  Result<Extents> extents() const {
    if (syntax_.arguments.empty())
      return text_.fail(fmt::format("{} needs its extents, such as {}(8x12), {}(node) or {}(balanced)",
                                    syntax_.name, syntax_.name, syntax_.name, syntax_.name));
    Extents extents;
    const auto& first = syntax_.arguments.front();
    extents.text = first.value;
    if (first.value == by_hosts) {
      extents.layout.kind = GridLayout::Rows::node;
    } else if (first.value == balanced) {
      extents.layout.kind = GridLayout::Rows::balanced;
    } else {
      auto sides = read_sides(first.value);
      if (!first.key.empty() || sides.size() < 2)
        return text_.fail(
            first.column,
            fmt::format("'{}' is no grid; write numbers such as 8x12 or 2x4x12, node or balanced",
                        first.value));
      std::int64_t rows = 1;
      for (std::size_t i = 0; i + 1 < sides.size() && rows <= most_ranks; ++i) rows *= sides[i];
      if (rows * sides.back() > most_ranks)
        return text_.fail(first.column, fmt::format("'{}' is more ranks than there can be", first.value));
      extents.layout.columns = sides.back();
      extents.layout.rows = static_cast<int>(rows);
      extents.sides = std::move(sides);
    }
    for (std::size_t i = 1; i < syntax_.arguments.size(); ++i)
      if (auto failed = read_option(syntax_.arguments[i], extents); !failed)
        return tl::unexpected(failed.error());
    return extents;
  }

  Result<void> read_option(const PlanSyntax::Argument& argument, Extents& extents) const {
    const std::vector<std::string_view> mappings{"row_major", "column_major", "cyclic"},
        phases{"together", "apart"};
    if (argument.key == "phases") {
      const auto choice = text_.choose(argument, phases);
      if (choice) extents.layout.apart = *choice == 1;
      return choice ? Result<void>() : tl::unexpected(choice.error());
    }
    if (argument.key != "mapping")
      return text_.fail(argument.column,
                        fmt::format("{} has no parameter '{}'; there are mapping=... and phases=...",
                                    syntax_.name, argument.key.empty() ? argument.value : argument.key));
    if (extents.sides.empty())
      return text_.fail(argument.column,
                        fmt::format("the rows of {} need no mapping; remove it", extents.text));
    const auto choice = text_.choose(argument, mappings);
    if (choice) extents.layout.mapping = static_cast<GridLayout::Mapping>(*choice);
    return choice ? Result<void>() : tl::unexpected(choice.error());
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
  Result<std::vector<Plan>> plans(const Extents& extents, const std::vector<GridPhase>& phases,
                                  std::size_t dimensions) const {
    const auto& given = syntax_.phases;
    const bool by_phase = given.size() == phases.size() && given.size() > dimensions;
    if (given.size() > 1 && given.size() != dimensions && !by_phase)
      return text_.fail(fmt::format("{} plans for {} dimensions; give one for all or one for each",
                                    given.size(), dimensions));
    std::vector<Plan> plans;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      const auto [collective, level] = phases[i];
      auto plan = by_phase                  ? text_.phase(collective, given[i])
                  : level == Level::columns ? of_columns(collective, extents)
                  : given.empty()           ? text_.open_phase(collective)
                                            : text_.phase(collective, given.back());
      if (!plan) return tl::unexpected(plan.error());
      plans.push_back(std::move(*plan));
    }
    return plans;
  }

  // Columns of a grid with more than two sides are grids of all sides but the last one.
  Result<Plan> of_columns(Collective collective, const Extents& extents) const {
    const auto& given = syntax_.phases;
    if (extents.sides.size() <= 2)
      return given.empty() ? text_.open_phase(collective) : text_.phase(collective, given.front());
    PlanSyntax inner{.name = std::string(kind_.columns_name),
                     .column = syntax_.column,
                     .arguments = syntax_.arguments,
                     .phases = given};
    const std::string& all = extents.text;
    inner.arguments.front().value = all.substr(0, all.rfind('x'));
    // What is dealt out in turn are the last side's rows only.
    if (extents.layout.mapping == GridLayout::Mapping::cyclic)
      std::erase_if(inner.arguments, [](const auto& argument) { return argument.key == "mapping"; });
    if (inner.phases.size() > 1) inner.phases.pop_back();
    return text_.phase(collective, inner);
  }

  static constexpr std::int64_t most_ranks = std::int64_t{1} << 30;

  const Composing& text_;
  const PlanSyntax& syntax_;
  const GridKind& kind_;
};

}  // namespace

const Realization* GridKind::find(Collective regular) const {
  const auto found = std::find_if(realizations.begin(), realizations.end(),
                                  [regular](const Realization& r) { return r.collective == regular; });
  return found == realizations.end() ? nullptr : &*found;
}

Result<Plan> compose_on_grid(const Composing& text, const GridKind& kind) {
  return Reader(text, kind).run();
}

std::vector<CompositionTemplate> templates_on_two_sides(const TemplateRequest& request, const GridKind& kind,
                                                        std::string_view name) {
  const Realization* realization = kind.find(request.regular());
  const Setting& setting = request.setting;
  std::vector<CompositionTemplate> found;
  if (!realization || setting.ranks < 4) return found;
  // One slot for the columns and one for the rows, or one for each phase where they differ.
  const auto add = [&](std::string_view extents, const GridLayout& layout) {
    const Grid grid = arrange(layout, setting.ranks, setting.hosts).value();
    CompositionTemplate composition{.head = fmt::format("{}({})", name, extents),
                                    .slots = {},
                                    .group = name,
                                    .by_hosts = layout.kind == GridLayout::Rows::node};
    for (const auto [collective, level] : realization->phases)
      composition.slots.push_back(level == Level::columns
                                      ? CompositionTemplate::Slot{collective, grid.rows(),
                                                                  kind.shares_in_columns ? grid.columns() : 1}
                                      : CompositionTemplate::Slot{collective, grid.columns()});
    if (realization->phases.size() == 2 && realization->phases.front().level == Level::rows)
      std::swap(composition.slots[0], composition.slots[1]);
    found.push_back(std::move(composition));
  };
  for (int rows = 2; rows <= setting.ranks / 2; ++rows)
    if (setting.ranks % rows == 0)
      add(fmt::format("{}x{}", rows, setting.ranks / rows), {.rows = rows, .columns = setting.ranks / rows});
  if (found.empty()) add(balanced, {.kind = GridLayout::Rows::balanced});  // with factors it is one of those
  const int hosts = setting.hosts ? count(*setting.hosts) : 0;
  if (hosts > 1 && hosts < setting.ranks) add(by_hosts, {.kind = GridLayout::Rows::node});
  return found;
}

std::string_view hosts_of_whole_only(const PlanSyntax& syntax) {
  const bool asks = !syntax.arguments.empty() && syntax.arguments.front().value == by_hosts;
  return asks ? "grid(node) is for the whole communicator only, not for a phase" : "";
}

}  // namespace tutti::inline core
