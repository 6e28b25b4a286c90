#include "core/plan/on_grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

#include "core/synthesis/known_network.hpp"

namespace tutti::inline core {
namespace {

constexpr std::string_view by_hosts = "node", by_groups = "group", balanced = "balanced";

// What tells a layout's rows: hosts, or groups of the network where rows are these and it is known.
const Hosts* places_of(const GridLayout& layout, int ranks, const Hosts* hosts, const KnownNetwork* network) {
  if (layout.kind != GridLayout::Rows::group) return hosts;
  const bool knows_groups = network && network->ranks == ranks && !network->groups.empty();
  return knows_groups ? &network->groups : nullptr;
}
const Hosts* places_of(const GridLayout& layout, const Setting& setting) {
  return places_of(layout, setting.ranks, setting.hosts, setting.network);
}

class OnGrid final : public Composition {
 public:
  OnGrid(const CompositionKind& composition, const GridKind& kind, const Realization& realization,
         Extents extents, const PhasePlans& given, std::vector<Plan> plans)
      : Composition(composition, realization.collective, given, std::move(plans)),
        kind_(kind),
        realization_(realization),
        extents_(std::move(extents)) {}
  OnGrid(const OnGrid& other, Extents extents, std::vector<Plan> plans)
      : Composition(other, std::move(plans)),
        kind_(other.kind_),
        realization_(other.realization_),
        extents_(std::move(extents)) {}

  static Result<Plan> make(const CompositionKind& composition, const GridKind& kind,
                           const Realization& realization, const Extents& extents, const PhasePlans& given);

  const Extents& extents() const { return extents_; }
  Result<Plan> with_phases(const PhasePlans& given) const override {
    return make(kind(), kind_, realization_, extents_, given);
  }
  // Columns of a grid with more than two sides have all sides but the last one.
  std::shared_ptr<const OnGrid> with(const Extents& extents) const {
    std::vector<Plan> plans = this->plans();
    if (extents.sides.size() > 2)
      for (std::size_t i = 0; i < plans.size(); ++i)
        if (realization_.phases[i].level == Level::columns)
          plans[i] = *with_extents(plans[i], without_last(extents));
    return std::make_shared<OnGrid>(*this, extents, std::move(plans));
  }
  static Extents without_last(const Extents& extents) {
    Extents others = Extents::of_sides({extents.sides.begin(), extents.sides.end() - 1});
    // What is dealt out in turn are the last side's rows only.
    if (extents.layout.mapping != GridLayout::Mapping::cyclic) others.layout.mapping = extents.layout.mapping;
    others.layout.apart = extents.layout.apart;
    return others;
  }

  void generate(Builder& b) const override {
    const Shape& shape = b.shape();
    const Hosts* const places = places_of(extents_.layout, b.ranks(), shape.hosts, shape.network);
    const auto grid = arranged(extents_.layout, b.ranks(), places);
    realization_.write(b, *grid, extents_.layout.apart, plans());
  }
  bool goes_by_network() const override { return extents_.layout.kind == GridLayout::Rows::group; }
  bool relays() const override {
    return collective() == Collective::gather || collective() == Collective::scatter ||
           collective() == Collective::alltoall;
  }

 private:
  std::string head() const override {
    return fmt::format("{}({}{}{})", kind().name, extents_text(), mapping_text(),
                       extents_.layout.apart ? ",phases=apart" : "");
  }
  std::string extents_text() const {
    switch (extents_.layout.kind) {
      case GridLayout::Rows::node:
        return std::string(by_hosts);
      case GridLayout::Rows::group:
        return std::string(by_groups);
      case GridLayout::Rows::balanced:
        return std::string(balanced);
      default:
        return fmt::format("{}", fmt::join(extents_.sides, "x"));
    }
  }
  std::string_view mapping_text() const {
    switch (extents_.layout.mapping) {
      case GridLayout::Mapping::column_major:
        return ",mapping=column_major";
      case GridLayout::Mapping::cyclic:
        return ",mapping=cyclic";
      default:
        return "";
    }
  }

  std::optional<std::string> own_refusal(const Setting& setting) const override {
    const Hosts* const places = places_of(extents_.layout, setting);
    if (goes_by_network() && !places)
      return "no groups of these ranks are known; name a network that has some, as tutti probe writes it";
    const auto grid = arrange(extents_.layout, setting.ranks, places);
    if (!grid) return grid.error().message;
    if (traits(collective()).reduces && !setting.commutative && !grid->in_rank_order())
      return "the grid's rows are not consecutive ranks, but the operation does not commute";
    return kind_.refuses(collective(), *grid, plans());
  }

  std::vector<PhaseUse> uses(const Setting& setting) const override {
    const Grid grid = arrange(extents_.layout, setting.ranks, places_of(extents_.layout, setting)).value();
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
  Extents extents_;
};

// One plan for all, one for each dimension, or one for each phase.
Result<Plan> OnGrid::make(const CompositionKind& composition, const GridKind& kind,
                          const Realization& realization, const Extents& extents, const PhasePlans& given) {
  const auto& phases = realization.phases;
  const std::size_t dimensions = std::max<std::size_t>(extents.sides.size(), 2);
  const bool by_phase = given.size() == phases.size() && given.size() > dimensions;
  std::vector<Plan> plans;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const auto [collective, level] = phases[i];
    auto plan = by_phase               ? given.plan(i, collective)
                : level == Level::rows ? given.plan(dimensions - 1, collective)
                : dimensions == 2      ? given.plan(0, collective)
                                  : make(*find_composition(kind.columns_name), kind, *kind.find(collective),
                                         without_last(extents), given.without_last(collective));
    if (!plan) return plan;
    plans.push_back(std::move(*plan));
  }
  return Plan(given.whole(),
              std::make_shared<OnGrid>(composition, kind, realization, extents, given, std::move(plans)));
}

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
    const std::size_t given = syntax_.phases.size();
    const bool by_phase = given == realization->phases.size() && given > dimensions;
    if (given > 1 && given != dimensions && !by_phase)
      return text_.fail(
          fmt::format("{} plans for {} dimensions; give one for all or one for each", given, dimensions));
    return OnGrid::make(text_.kind(), kind_, *realization, *extents, text_.phases());
  }

 private:
  Result<Extents> extents() const {
    if (syntax_.arguments.empty())
      return text_.fail(fmt::format("{} needs its extents, such as {}(8x12), {}(node) or {}(balanced)",
                                    syntax_.name, syntax_.name, syntax_.name, syntax_.name));
    Extents extents;
    const auto& first = syntax_.arguments.front();
    if (first.value == by_hosts) {
      extents = Extents::by_hosts();
    } else if (first.value == by_groups) {
      extents = Extents::by_groups();
    } else if (first.value == balanced) {
      extents = Extents::balanced();
    } else {
      auto sides = read_sides(first.value);
      if (!first.key.empty() || sides.size() < 2)
        return text_.fail(
            first.column,
            fmt::format("'{}' is no grid; write numbers such as 8x12 or 2x4x12, node, group or balanced",
                        first.value));
      std::int64_t rows = 1;
      for (std::size_t i = 0; i + 1 < sides.size() && rows <= most_ranks; ++i) rows *= sides[i];
      if (rows * sides.back() > most_ranks)
        return text_.fail(first.column, fmt::format("'{}' is more ranks than there can be", first.value));
      extents = Extents::of_sides(std::move(sides));
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
      return text_.fail(argument.column, fmt::format("the rows of {} need no mapping; remove it",
                                                     syntax_.arguments.front().value));
    const auto choice = text_.choose(argument, mappings);
    if (choice) extents.layout.mapping = static_cast<GridLayout::Mapping>(*choice);
    return choice ? Result<void>() : tl::unexpected(choice.error());
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

Extents Extents::of_sides(std::vector<int> sides) {
  const int rows = std::accumulate(sides.begin(), sides.end() - 1, 1, std::multiplies<>());
  const int columns = sides.back();
  return {std::move(sides), {.rows = rows, .columns = columns}};
}

const Extents* extents_of(const Plan& plan) {
  const auto* on_grid = dynamic_cast<const OnGrid*>(plan.composition());
  return on_grid ? &on_grid->extents() : nullptr;
}

std::optional<Plan> with_extents(const Plan& plan, Extents extents) {
  const auto& on_grid = dynamic_cast<const OnGrid&>(*plan.composition());
  const GridLayout& before = on_grid.extents().layout;
  if (extents.sides.empty() && before.mapping != GridLayout::Mapping::row_major) return std::nullopt;
  extents.layout.mapping = before.mapping;
  extents.layout.apart = before.apart;
  const Plan changed(plan.collective(), on_grid.with(extents));
  return plan.is_through_memory() ? changed.through_memory() : changed;
}

Plan open_on_grid(const TemplateRequest& request, const GridKind& kind, const Extents& extents) {
  return OnGrid::make(request.kind, kind, *kind.find(request.regular()), extents,
                      PhasePlans(request.collective))
      .value();
}

std::vector<CompositionTemplate> templates_on_two_sides(const TemplateRequest& request,
                                                        const GridKind& kind) {
  const Realization* realization = kind.find(request.regular());
  const Setting& setting = request.setting;
  std::vector<CompositionTemplate> found;
  if (!realization || setting.ranks < 4) return found;
  // One slot for the columns and one for the rows, or one for each phase where they differ.
  const auto add = [&](const Extents& extents) {
    const Grid grid = arrange(extents.layout, setting.ranks, places_of(extents.layout, setting)).value();
    CompositionTemplate composition{.head = open_on_grid(request, kind, extents),
                                    .slots = {},
                                    .group = request.kind.name,
                                    .by_hosts = extents.layout.kind == GridLayout::Rows::node};
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
    if (setting.ranks % rows == 0) add(Extents::of_sides({rows, setting.ranks / rows}));
  if (found.empty()) add(Extents::balanced());  // with factors it is one of those
  const int hosts = setting.hosts ? count(*setting.hosts) : 0;
  if (hosts > 1 && hosts < setting.ranks) add(Extents::by_hosts());
  const Hosts* const groups = places_of(Extents::by_groups().layout, setting);
  if (groups && count(*groups) < setting.ranks) add(Extents::by_groups());
  return found;
}

std::string_view hosts_of_whole_only(const PlanSyntax& syntax) {
  if (syntax.arguments.empty()) return "";
  const std::string_view rows = syntax.arguments.front().value;
  return rows == by_hosts || rows == by_groups
             ? "rows by hosts or groups are for the whole communicator only, not for a phase"
             : "";
}

}  // namespace tutti::inline core
