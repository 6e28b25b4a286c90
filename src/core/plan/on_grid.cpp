#include "core/plan/on_grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <numeric>
#include <ranges>
#include <set>

#include "core/schedule/by_place.hpp"
#include "core/synthesis/known_network.hpp"

namespace tutti::inline core {
namespace {

constexpr std::string_view balanced = "balanced";

using Rows = GridLayout::Rows;

struct NamedLevel {
  std::string_view name;
  Rows level;
  std::optional<HostPart> part = {};  // of a host that has a row, if it is one
};

constexpr NamedLevel of_part(HostPart part, Rows level) {
  return {words_of(part).name, level, part};
}

// The innermost first, as in GridLayout.
constexpr std::array levels{of_part(HostPart::cache, Rows::cache),   of_part(HostPart::numa, Rows::numa),
                            of_part(HostPart::socket, Rows::socket), NamedLevel{"node", Rows::node},
                            NamedLevel{"switch", Rows::leaf_switch}, NamedLevel{"group", Rows::group}};

// Nothing of rows that are no level.
std::optional<NamedLevel> named(Rows level) {
  const auto found = std::ranges::find(levels, level, &NamedLevel::level);
  return found == levels.end() ? std::nullopt : std::optional(*found);
}

// What part of a host has a row of that level, if one does.
std::optional<HostPart> part_at(Rows level) {
  const auto of_level = named(level);
  return of_level ? of_level->part : std::nullopt;
}

// Levels of groups have numbers, too, such as level2; the first are the switches.
constexpr std::string_view numbered_name = "level";

// The number after that name; nothing of other texts.
std::optional<int> number_in(std::string_view text) {
  if (!text.starts_with(numbered_name)) return std::nullopt;
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data() + numbered_name.size(), end, number);
  return error == std::errc() && next == end ? std::optional(number) : std::nullopt;
}

std::optional<Rows> level_named(std::string_view text) {
  const auto found = std::ranges::find(levels, text, &NamedLevel::name);
  if (found != levels.end()) return found->level;
  const auto number = number_in(text);
  return number && *number >= 1 && *number <= most_numbered_levels ? std::optional(level_of_groups(*number))
                                                                   : std::nullopt;
}

std::string name_of(Rows level) {
  const auto of_level = named(level);
  return of_level ? std::string(of_level->name) : fmt::format("{}{}", numbered_name, number_of_level(level));
}

// The names of all levels, the outermost first.
std::string names_of_levels() {
  std::string names;
  for (const NamedLevel& level : std::views::reverse(levels))
    names += fmt::format("{}{}", names.empty() ? "" : ", ", level.name);
  return fmt::format("{}; between group and switch are {}3, {}2", names, numbered_name, numbered_name);
}

// Where ranks are at a level, by a setting or a shape; null where that is not known, which of hosts
// means that every rank is on its own. Of parts of hosts, what ranks see themselves comes first.
template <typename OfRanks>
const Hosts* places_at(Rows level, const OfRanks& of) {
  const auto where_known = [](const Hosts& places) { return places.empty() ? nullptr : &places; };
  const GroupLevels *const known = levels_of(of), *const network = levels_of_network(of);
  if (const auto part = part_at(level)) {
    if (of.in_hosts && !(*of.in_hosts)[*part].empty()) return &(*of.in_hosts)[*part];
    return network ? where_known(network->in_hosts[*part]) : nullptr;  // nobody tells of them
  }
  const auto number = static_cast<std::size_t>(number_of_level(level));
  if (level != Rows::group && number == 0) return of.hosts ? where_known(*of.hosts) : nullptr;
  if (!known) return nullptr;
  if (level == Rows::group) return where_known(known->groups);
  return number <= known->by_height.size() ? where_known(known->by_height[number - 1]) : nullptr;
}

// Why rows of a level of which ranks have no places can't be made; `known` are the groups' levels.
std::string not_known(Rows level, const GroupLevels* known) {
  if (const int number = number_of_level(level); number > 0 && known && !known->by_height.empty())
    return fmt::format("the groups of these ranks' hosts have {} level{}, not {}", known->by_height.size(),
                       known->by_height.size() == 1 ? "" : "s", number);
  if (const auto part = part_at(level))
    return fmt::format(
        "the {} of these ranks are not known; bind each rank to one, as mpirun --bind-to core does",
        words_of(*part).nouns);
  return fmt::format(
      "no {} of these ranks are known; say where hosts are (TUTTI_GROUPS), or name a network that has some, "
      "as tutti probe writes it",
      level == Rows::leaf_switch ? "switches" : "groups");
}

class OnGrid final : public Composition {
 public:
  OnGrid(const CompositionKind& composition, const GridKind& kind, const Realization& realization,
         Extents extents, const PhasePlans& given, std::vector<Plan> plans)
      : Composition(composition, realization.collective, given, std::move(plans)),
        kind_(kind),
        realization_(realization),
        extents_(std::move(extents)) {}
  OnGrid(const OnGrid& other, std::vector<Hosts> places) : OnGrid(other) { places_ = std::move(places); }
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
    Extents others = extents.above.empty()
                         ? Extents::of_sides({extents.sides.begin(), extents.sides.end() - 1})
                         : Extents::of_levels(extents.above);
    // What is dealt out in turn are the last side's rows only.
    if (extents.layout.mapping != GridLayout::Mapping::cyclic) others.layout.mapping = extents.layout.mapping;
    others.layout.apart = extents.layout.apart;
    return others;
  }

  void generate(Builder& b) const override {
    const auto grid = arranged(extents_.layout, b.ranks(), places(0, b.shape()));
    if (extents_.above.empty()) return realization_.write(b, *grid, extents_.layout.apart, plans());
    std::vector<Plan> plans = this->plans();
    for (std::size_t i = 0; i < plans.size(); ++i)
      if (is_in_columns(i)) plans[i] = in_columns(i, *grid, b.shape());
    realization_.write(b, *grid, extents_.layout.apart, plans);
  }
  bool goes_by_network() const override {
    return (is_level(extents_.layout.kind) && extents_.layout.kind != Rows::node) || !extents_.above.empty();
  }
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
    if (extents_.layout.kind == Rows::balanced) return std::string(balanced);
    if (!is_level(extents_.layout.kind)) return text_of_sides(extents_.sides);
    std::string text;
    for (const Rows level : extents_.above) text += fmt::format("{},", name_of(level));
    return text.append(name_of(extents_.layout.kind));
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
    const std::size_t by_levels = is_level(extents_.layout.kind) ? extents_.above.size() + 1 : 0;
    for (std::size_t number = 0; number < by_levels; ++number)
      if (level(number) != Rows::node && !places(number, setting))
        return not_known(level(number), levels_of(setting));
    const auto grid = arrange(extents_.layout, setting.ranks, places(0, setting));
    if (!grid) return grid.error().message;
    for (std::size_t outer = 1; outer < by_levels; ++outer)
      for (int row = 0; row < grid->rows(); ++row)
        if (!are_together(grid->row(row), places(outer, setting)))
          return fmt::format("one {} has ranks of more than one {}", name_of(level(0)),
                             name_of(level(outer)));
    if (traits(collective()).reduces && !setting.commutative && !grid->in_rank_order())
      return "the grid's rows are not consecutive ranks, but the operation does not commute";
    return kind_.refuses(collective(), *grid, plans());
  }

  std::vector<PhaseUse> uses(const Setting& setting) const override {
    const Grid grid = arrange(extents_.layout, setting.ranks, places(0, setting)).value();
    std::set<int> lengths;
    for (int r = 0; r < grid.rows(); ++r) lengths.insert(static_cast<int>(grid.row(r).size()));
    std::vector<PhaseUse> uses;
    for (std::size_t i = 0; i < realization_.phases.size(); ++i) {
      if (!is_in_columns(i)) {
        for (const int length : lengths) uses.push_back({&plan(i), length});
        continue;
      }
      PhaseUse& use =
          uses.emplace_back(PhaseUse{&plan(i), grid.rows(), kind_.shares_in_columns ? grid.columns() : 1});
      if (extents_.above.empty()) continue;
      use.made = std::make_shared<const Plan>(in_columns(i, grid, setting));
      use.plan = use.made.get();
    }
    return uses;
  }

  bool is_in_columns(std::size_t phase) const { return realization_.phases[phase].level == Level::columns; }

  // The levels by number, that of the rows first.
  Rows level(std::size_t number) const {
    return number == 0 ? extents_.layout.kind : extents_.above[extents_.above.size() - number];
  }
  // Where ranks are at that level, as of places_at.
  template <typename OfRanks>
  const Hosts* places(std::size_t number, const OfRanks& of) const {
    return places_.empty() ? places_at(level(number), of) : &places_[number];
  }
  static bool are_together(const std::vector<Rank>& ranks, const Hosts* places) {
    const auto place = [&](Rank rank) { return places ? (*places)[static_cast<std::size_t>(rank)] : rank; };
    return std::ranges::all_of(ranks, [&](Rank rank) { return place(rank) == place(ranks.front()); });
  }

  // The plan of a phase in columns, which is by the levels above and knows where its ranks are: in
  // every column the n-th is of the n-th row, and where that is.
  template <typename OfRanks>
  Plan in_columns(std::size_t phase, const Grid& grid, const OfRanks& of) const {
    std::vector<Hosts> of_rows;
    for (std::size_t outer = 1; outer <= extents_.above.size(); ++outer) {
      const Hosts* const all = places(outer, of);
      std::vector<int> numbers;
      for (int row = 0; row < grid.rows(); ++row)
        numbers.push_back(all ? (*all)[static_cast<std::size_t>(grid.row(row).front())] : row);
      of_rows.push_back(numbered(numbers));
    }
    const auto& columns = dynamic_cast<const OnGrid&>(*plan(phase).composition());
    return {plan(phase).collective(), std::make_shared<OnGrid>(columns, std::move(of_rows))};
  }

  const GridKind& kind_;
  const Realization& realization_;
  Extents extents_;
  std::vector<Hosts> places_;  // by number of the level, where what it is a phase of has told them
};

// One plan for all, one for each dimension, or one for each phase.
Result<Plan> OnGrid::make(const CompositionKind& composition, const GridKind& kind,
                          const Realization& realization, const Extents& extents, const PhasePlans& given) {
  const auto& phases = realization.phases;
  const std::size_t dimensions = extents.dimensions();
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
    const std::size_t dimensions = extents->dimensions();
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
    std::size_t read = 1;
    if (level_named(first.value)) {
      auto by_levels = read_levels();
      if (!by_levels) return tl::unexpected(by_levels.error());
      read = by_levels->size();
      extents = Extents::of_levels(std::move(*by_levels));
    } else if (first.value == balanced) {
      extents = Extents::balanced();
    } else if (number_in(first.value)) {
      return text_.fail(first.column,
                        fmt::format("'{}' is no level of groups; they are numbered from the hosts on, from "
                                    "{}1, the switches, to {}{}",
                                    first.value, numbered_name, numbered_name, most_numbered_levels));
    } else {
      auto sides = read_sides(first.value);
      if (!first.key.empty() || sides.size() < 2)
        return text_.fail(
            first.column,
            fmt::format("'{}' is no grid; write numbers such as 8x12 or 2x4x12, balanced, or levels such as "
                        "node or group,node",
                        first.value));
      if (sides.size() > most_sides)
        return text_.fail(first.column,
                          fmt::format("a grid has at most {} sides, not {}", most_sides, sides.size()));
      std::int64_t ranks = 1;
      for (const int side : sides)
        if ((ranks *= side) > most_ranks)
          return text_.fail(first.column, fmt::format("'{}' is more ranks than there can be", first.value));
      extents = Extents::of_sides(std::move(sides));
    }
    for (std::size_t i = read; i < syntax_.arguments.size(); ++i)
      if (auto failed = read_option(syntax_.arguments[i], extents); !failed)
        return tl::unexpected(failed.error());
    return extents;
  }

  // The outermost first.
  Result<std::vector<Rows>> read_levels() const {
    std::vector<Rows> read;
    for (const auto& argument : syntax_.arguments) {
      const auto level = argument.key.empty() ? level_named(argument.value) : std::nullopt;
      if (!level) break;
      if (!read.empty() && *level >= read.back())
        return text_.fail(argument.column,
                          "levels go from the outermost to the innermost: " + names_of_levels());
      read.push_back(*level);
    }
    return read;
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
  static constexpr std::size_t most_sides = 30;  // of more some would have length 1

  const Composing& text_;
  const PlanSyntax& syntax_;
  const GridKind& kind_;
};

// Levels that are known and tell ranks apart, the outermost first; of those at which the same ranks
// are together one, of which most is known.
std::vector<Rows> levels_that_differ(const Setting& setting) {
  std::vector<Rows> wanted{Rows::node, Rows::group, Rows::leaf_switch};
  if (const GroupLevels* const known = levels_of(setting))
    for (int number = 2; number <= std::min(most_numbered_levels, static_cast<int>(known->by_height.size()));
         ++number)
      wanted.push_back(level_of_groups(number));
  wanted.insert(wanted.end(), {Rows::socket, Rows::numa, Rows::cache});
  std::vector<Rows> found;
  for (const Rows level : wanted) {
    const Hosts* const places = places_at(level, setting);
    const int number = places ? count(*places) : 0;
    if (number < 2 || number == setting.ranks) continue;
    if (std::ranges::none_of(found, [&](Rows other) { return *places_at(other, setting) == *places; }))
      found.push_back(level);
  }
  std::ranges::sort(found, std::greater());
  return found;
}

// Most places within one place of another level, or ranks.
int most_within(const Hosts& outer, const Hosts* inner) {
  std::vector<std::set<int>> within(outer.size());
  for (std::size_t rank = 0; rank < outer.size(); ++rank)
    within[static_cast<std::size_t>(outer[rank])].insert(inner ? (*inner)[rank] : static_cast<int>(rank));
  const auto size = [](const std::set<int>& places) { return places.size(); };
  return static_cast<int>(std::ranges::max(within, {}, size).size());
}

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
  return {.sides = std::move(sides), .layout = {.rows = rows, .columns = columns}};
}

Extents Extents::of_levels(std::vector<Rows> levels) {
  const Rows last = levels.back();
  levels.pop_back();
  return {.above = std::move(levels), .layout = {.kind = last}};
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
    const Hosts* const places = places_at(extents.layout.kind, setting);
    const Grid grid = arrange(extents.layout, setting.ranks, places).value();
    CompositionTemplate composition{.head = open_on_grid(request, kind, extents),
                                    .slots = {},
                                    .group = request.kind.name,
                                    .by_hosts = extents.layout.kind >= GridLayout::Rows::node};
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
  for (const Rows level : levels_that_differ(setting)) add(Extents::of_levels({level}));
  return found;
}

std::vector<CompositionTemplate> templates_on_levels(const TemplateRequest& request, const GridKind& kind,
                                                     std::string_view group) {
  const Collective regular = request.regular();
  const Realization* realization = kind.find(regular);
  std::vector<CompositionTemplate> found;
  if (!realization || realization->phases.size() != 2) return found;
  const auto levels = levels_that_differ(request.setting);
  for (std::size_t first = 0; first < levels.size(); ++first)
    for (std::size_t last = first + 1; last < levels.size(); ++last) {
      std::vector<CompositionTemplate::Slot> slots{
          {regular, count(*places_at(levels[first], request.setting))}};
      for (std::size_t i = first; i <= last; ++i)
        slots.push_back(
            {regular, most_within(*places_at(levels[i], request.setting),
                                  i < last ? places_at(levels[i + 1], request.setting) : nullptr)});
      const auto begin = levels.begin() + static_cast<std::ptrdiff_t>(first);
      const auto extents = Extents::of_levels({begin, begin + static_cast<std::ptrdiff_t>(last - first) + 1});
      found.push_back({open_on_grid(request, kind, extents), std::move(slots), group});
    }
  return found;
}

std::vector<CompositionTemplate> templates_on_torus(const TemplateRequest& request, const GridKind& kind,
                                                    std::string_view group) {
  constexpr std::string_view along_sides = "bine";
  const Collective regular = request.regular();
  const Realization* realization = kind.find(regular);
  const GroupLevels* const levels = levels_of(request.setting);
  if (!realization || realization->phases.size() != 2 || !levels || levels->sides.size() < 2) return {};
  CompositionTemplate open{.head = open_on_grid(request, kind, Extents::of_sides(levels->sides)),
                           .slots = {},
                           .group = group,
                           .near = true};
  for (const int side : levels->sides) open.slots.push_back({regular, side});
  std::vector<CompositionTemplate> found{open};
  if (!find_algorithm(regular, along_sides)) return found;
  open.plans.assign(levels->sides.size(), Plan::of(regular, along_sides));
  found.push_back(std::move(open));
  return found;
}

std::string_view levels_of_whole_only(const PlanSyntax& syntax) {
  return !syntax.arguments.empty() && level_named(syntax.arguments.front().value)
             ? "rows by levels such as node are for the whole communicator only, not for a phase"
             : "";
}

}  // namespace tutti::inline core
