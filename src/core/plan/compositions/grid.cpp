// The orthogonal realization of a collective: phases in the rows and in the columns of a grid of
// the ranks, the whole vector, or every rank's whole block, passing the columns of the root or all
// columns at once. A rooted one goes by way of the root's column, whose ranks, one a row, are the
// leaders; the others use all columns at once. In a shorter row some ranks stand in for missing
// ones and take part in several columns. Source: section 2 of the paper named below.

#include "core/plan/compositions/grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/plan/grid_writer.hpp"

namespace tutti::inline core {
namespace {

// A rank's view of the grid, and what is to be done there.
class Writer : private GridWriter {
 public:
  Writer(Builder& b, const Grid& grid, bool apart, const std::vector<Plan>& plans)
      : GridWriter(b, grid, apart, plans), all_{Buffer::output, 0, b.blocks()} {}

  void barrier() {
    phases_.run(phase(0), {row()}, all_, in_output, in_output);
    for (const int column : grid_.columns_of(me_)) {
      b_.next_round();
      phases_.run(phase(1), {grid_.column(column)}, all_, in_output, in_output);
    }
  }

  void bcast() {
    if (leads()) phases_.run(phase(0), leaders(), all_, in_output, in_output);
    phases_.run(phase(1), led_row(), all_, in_output, in_output);
  }

  void gather() {
    const auto of_row = leads() ? std::optional(collected()) : std::nullopt;
    phases_.run(phase(0), led_row(), blocks_of_row(), in_input, of_row);
    if (leads()) phases_.run(phase(1), leaders(), blocks_of_rows(), of_row, at_root(in_output));
  }

  void scatter() {
    const Vector of_row = is_root() ? in_input : leads() ? phases_.copy_of_vector() : Vector{};
    if (leads()) phases_.run(phase(0), leaders(), blocks_of_rows(), at_root(in_input), of_row);
    phases_.run(phase(1), led_row(), blocks_of_row(), at_leader(of_row), in_output);
  }

  void allgather() {
    phases_.run(phase(0), {row()}, blocks_of_row(), in_input, in_output);
    for (const int column : grid_.columns_of(me_))
      phases_.run(phase(1), {grid_.column(column)}, blocks_of_rows(), in_output, in_output);
  }

  // In the row to the column of the destination, there to its row. What comes for a destination
  // from my row lies together.
  void alltoall() {
    const auto length = static_cast<int>(row().size());
    const std::vector<Rank> mine = passed_on_by(grid_.column_of(me_));
    const int room = phases_.room(static_cast<int>(mine.size()) * length);
    std::vector<Ranges> from, into;
    for (int i = 0; i < length; ++i) {
      from.push_back(bundle(passed_on_by(i), Buffer::input));
      Ranges& came = into.emplace_back();
      for (std::size_t d = 0; d < mine.size(); ++d)
        came.add(tutti::scratch(room + static_cast<int>(d) * length + i));
    }
    phases_.exchange(phase(0), {row()}, from, into, grid_.even());
    for (const int column : grid_.columns_of(me_)) {
      from.clear();
      into.clear();
      for (int r = 0; r < grid_.rows(); ++r) {
        Ranges& goes = from.emplace_back();
        if (has(r, column)) {
          const auto d = std::find(mine.begin(), mine.end(), grid_.at(r, column)) - mine.begin();
          goes.add(tutti::scratch(room + static_cast<int>(d) * length, length));
        }
        into.push_back(grid_.is_own(me_, column) ? bundle(grid_.row(r)) : Ranges{});
      }
      phases_.exchange(phase(1), {grid_.column(column)}, from, into, grid_.even());
    }
  }

  void reduce() {
    const auto of_row = leads() ? std::optional(phases_.copy_of_vector()) : std::nullopt;
    phases_.run(phase(0), led_row(), all_, in_input, of_row);
    if (leads()) phases_.run(phase(1), leaders(), all_, of_row, at_root(in_output));
  }

  // Who stands in several columns needs the row's result in all of them.
  void allreduce() {
    const auto columns = grid_.columns_of(me_);
    const Vector of_row = columns.size() == 1 ? in_output : phases_.copy_of_vector();
    phases_.run(phase(0), {row()}, all_, in_input, of_row);
    for (const int column : columns) phases_.run(phase(1), {grid_.column(column)}, all_, of_row, in_output);
  }

  void reduce_scatter() {
    const Vector of_row = phases_.copy_of_vector();
    std::vector<Ranges> bundles;
    for (int i = 0; i < static_cast<int>(row().size()); ++i) bundles.push_back(bundle(passed_on_by(i)));
    phases_.run(phase(0), {row()}, bundles, in_input, of_row);
    for (const int column : grid_.columns_of(me_)) {
      bundles.clear();
      for (int r = 0; r < grid_.rows(); ++r)
        bundles.push_back(has(r, column) ? bundle({grid_.at(r, column)}) : Ranges{});
      phases_.run(phase(1), {grid_.column(column)}, bundles, of_row,
                  only_if(grid_.is_own(me_, column), in_output));
    }
  }

  // Rows by themselves; the last ranks of the rows find what all rows before add up to and tell
  // their own.
  void scan() {
    phases_.run(phase(0), {row()}, all_, in_input, in_output);
    const Vector before = phases_.copy_of_vector();
    std::vector<Rank> last;
    for (int r = 0; r < grid_.rows(); ++r) last.push_back(grid_.row(r).back());
    if (me_ == last[static_cast<std::size_t>(my_row())])
      phases_.run(phase(1), {last}, all_, in_output, before);
    if (my_row() == 0) return;
    phases_.run(phase(2), {row(), static_cast<int>(row().size()) - 1}, all_, before, before);
    b_.reduce(in_output.at(0, b_.blocks()), before.at(0, b_.blocks()), OperandOrder::from_first);
  }

 private:
  int my_row() const { return grid_.row_of(me_); }
  const std::vector<Rank>& row() const { return grid_.row(my_row()); }
  int lead_column() const { return grid_.column_of(b_.root()); }
  bool leads() const { return grid_.at(my_row(), lead_column()) == me_; }
  Group leaders() const { return {grid_.column(lead_column()), grid_.row_of(b_.root())}; }
  // The row with its leader as root.
  Group led_row() const { return {row(), lead_column() % static_cast<int>(row().size())}; }
  std::optional<Vector> at_leader(Vector vector) const { return only_if(leads(), vector); }
  std::optional<Vector> at_root(Vector vector) const { return only_if(is_root(), vector); }

  // The blocks of ranks: each one's in a row, and each row's.
  std::vector<Ranges> blocks_of_row() const { return single_bundles(row()); }
  std::vector<Ranges> blocks_of_rows() const {
    std::vector<Ranges> bundles;
    for (int r = 0; r < grid_.rows(); ++r) bundles.push_back(bundle(grid_.row(r)));
    return bundles;
  }

  // What this rank passes on in its row for others goes into scratch, the root's own into the
  // output.
  Vector collected() { return is_root() ? in_output : phases_.copy_of_vector(); }

  // The ranks for which the n-th of my row passes on: those of the columns in which it stands.
  std::vector<Rank> passed_on_by(int number) const {
    std::vector<Rank> ranks;
    const auto length = static_cast<int>(row().size());
    for (int column = number; column < grid_.columns(); column += length)
      for (int r = 0; r < grid_.rows(); ++r)
        if (has(r, column)) ranks.push_back(grid_.at(r, column));
    return ranks;
  }
  bool has(int row, int column) const { return column < static_cast<int>(grid_.row(row).size()); }

  BlockRange all_;
};

std::optional<std::string> refuses(Collective collective, const Grid& grid, const std::vector<Plan>& plans) {
  if (collective == Collective::scan && !grid.in_rank_order())
    return "a scan needs a grid whose rows are consecutive ranks, one row after the other";
  if (collective == Collective::alltoall && !grid.even())
    for (const Plan& plan : plans)
      if (plan.relays()) return fmt::format("{} needs a grid with rows of one length", plan.text());
  return std::nullopt;
}

constexpr std::string_view own_name = "grid";
constexpr int most_unlike = 4;  // the longest side of three against the shortest

constexpr std::string_view deep_grid = "deep grid";
// Grids whose sides are those of a torus, and not chosen.
constexpr std::string_view grid_on_torus = "grid on a torus";

// Adds templates of three sides that differ little, and of several levels.
void add_deep_templates(const TemplateRequest& request, std::vector<CompositionTemplate>& found) {
  const Realization* realization = grid_kind().find(request.regular());
  if (!realization || realization->phases.size() != 2) return;
  const int p = request.setting.ranks;
  for (int a = 2; a <= p / 4; ++a)
    for (int b = 2; a * b <= p / 2; ++b) {
      if (p % (a * b) != 0) continue;
      const int c = p / (a * b);
      if (std::max({a, b, c}) > most_unlike * std::min({a, b, c})) continue;
      found.push_back({open_on_grid(request, grid_kind(), Extents::of_sides({a, b, c})),
                       {{request.regular(), a}, {request.regular(), b}, {request.regular(), c}},
                       deep_grid});
    }
  for (CompositionTemplate& by_levels : templates_on_levels(request, grid_kind(), deep_grid))
    found.push_back(std::move(by_levels));
}

}  // namespace

const GridKind& grid_kind() {
  constexpr Level columns = Level::columns, rows = Level::rows;
  using enum Collective;
  const auto down = [](Collective collective, auto write) {
    return Realization{collective, {{collective, columns}, {collective, rows}}, write};
  };
  const auto up = [](Collective collective, auto write) {
    return Realization{collective, {{collective, rows}, {collective, columns}}, write};
  };
  static const GridKind& kind = *new GridKind{
      {down(bcast, written_by<Writer, &Writer::bcast>),
       down(scatter, written_by<Writer, &Writer::scatter>),
       up(barrier, written_by<Writer, &Writer::barrier>),
       up(gather, written_by<Writer, &Writer::gather>),
       up(allgather, written_by<Writer, &Writer::allgather>),
       up(alltoall, written_by<Writer, &Writer::alltoall>),
       up(reduce, written_by<Writer, &Writer::reduce>),
       up(allreduce, written_by<Writer, &Writer::allreduce>),
       up(reduce_scatter_block, written_by<Writer, &Writer::reduce_scatter>),
       {scan, {{scan, rows}, {exscan, columns}, {bcast, rows}}, written_by<Writer, &Writer::scan>}},
      false,
      own_name,
      refuses};
  return kind;
}

namespace compositions {

CompositionKind grid() {
  return {.name = own_name,
          .summary = "phases in the rows and the columns of a grid of the ranks",
          .source =
              "Kühnemann, Rauber, Rünger, Optimizing MPI Collective Communication by Orthogonal "
              "Structures, 2006",
          .compose = [](const Composing& text) { return compose_on_grid(text, grid_kind()); },
          .templates =
              [](const TemplateRequest& request) {
                auto found = templates_on_torus(request, grid_kind(), grid_on_torus);
                for (CompositionTemplate& of_two : templates_on_two_sides(request, grid_kind()))
                  found.push_back(std::move(of_two));
                add_deep_templates(request, found);
                return found;
              },
          .whole_only = levels_of_whole_only};
}

}  // namespace compositions
}  // namespace tutti::inline core
