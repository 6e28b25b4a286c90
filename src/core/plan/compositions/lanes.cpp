// A collective on a grid with full lanes: every column carries a share of the vector, or of the
// blocks, at once. The row of the root, or every row, cuts the vector into a share for each column.
// The grid's rows have to be of one length.

#include "core/plan/compositions/grid.hpp"
#include "core/plan/grid_writer.hpp"

namespace tutti::inline core {
namespace {

class Writer : private GridWriter {
 public:
  Writer(Builder& b, const Grid& grid, bool apart, const std::vector<Plan>& plans)
      : GridWriter(b, grid, apart, plans) {}

  void bcast() {
    if (in_root_row()) phases_.run(phase(0), row(), shares(), only_if(is_root(), in_output), in_output);
    phases_.run(phase(1), column(), my_share(), in_output, in_output);
    phases_.run(phase(2), row(), shares(), in_output, in_output);
  }

  void gather() {
    const Vector of_column = is_root() ? in_output : in_root_row() ? phases_.copy_of_vector() : Vector{};
    phases_.run(phase(0), column(), blocks_of_column(), in_input, only_if(in_root_row(), of_column));
    if (in_root_row())
      phases_.run(phase(1), row(), blocks_of_columns(), of_column, only_if(is_root(), in_output));
  }

  void scatter() {
    const Vector of_column = is_root() ? in_input : in_root_row() ? phases_.copy_of_vector() : Vector{};
    if (in_root_row())
      phases_.run(phase(0), row(), blocks_of_columns(), only_if(is_root(), in_input), of_column);
    phases_.run(phase(1), column(), blocks_of_column(), only_if(in_root_row(), of_column), in_output);
  }

  void allgather() {
    phases_.run(phase(0), column(), blocks_of_column(), in_input, in_output);
    phases_.run(phase(1), row(), blocks_of_columns(), in_output, in_output);
  }

  void reduce() {
    const Vector of_row = phases_.copy_of_vector();
    phases_.run(phase(0), row(), shares(), in_input, of_row);
    const Vector total = is_root() ? in_output : in_root_row() ? phases_.copy_of_vector() : Vector{};
    phases_.run(phase(1), column(), my_share(), of_row, only_if(in_root_row(), total));
    if (in_root_row()) phases_.run(phase(2), row(), shares(), total, only_if(is_root(), in_output));
  }

  void allreduce() {
    phases_.run(phase(0), row(), shares(), in_input, in_output);
    phases_.run(phase(1), column(), my_share(), in_output, in_output);
    phases_.run(phase(2), row(), shares(), in_output, in_output);
  }

 private:
  int my_column() const { return grid_.column_of(me_); }
  int root_row() const { return grid_.row_of(b_.root()); }
  bool in_root_row() const { return grid_.row_of(me_) == root_row(); }
  // My groups, the root's row or column in them.
  Group row() const { return {grid_.row(grid_.row_of(me_)), grid_.column_of(b_.root())}; }
  Group column() const { return {grid_.column(my_column()), root_row()}; }

  std::vector<Ranges> shares() const {
    return even_bundles({Buffer::output, 0, b_.blocks()}, grid_.columns());
  }
  BlockRange my_share() const {
    const int length = b_.blocks() / grid_.columns();
    return {Buffer::output, my_column() * length, length};
  }
  // The blocks of ranks: each one's in my column, and each column's.
  std::vector<Ranges> blocks_of_column() const { return single_bundles(grid_.column(my_column())); }
  std::vector<Ranges> blocks_of_columns() const {
    std::vector<Ranges> bundles;
    for (int column = 0; column < grid_.columns(); ++column) bundles.push_back(bundle(grid_.column(column)));
    return bundles;
  }
};

std::optional<std::string> refuses(Collective, const Grid& grid, const std::vector<Plan>&) {
  return grid.even() ? std::nullopt : std::optional<std::string>("lanes need a grid with rows of one length");
}

const GridKind& lanes_kind() {
  constexpr Level columns = Level::columns, rows = Level::rows;
  using enum Collective;
  static const GridKind& kind = *new GridKind{
      {{bcast, {{scatter, rows}, {bcast, columns}, {allgather, rows}}, written_by<Writer, &Writer::bcast>},
       {reduce,
        {{reduce_scatter_block, rows}, {reduce, columns}, {gather, rows}},
        written_by<Writer, &Writer::reduce>},
       {allreduce,
        {{reduce_scatter_block, rows}, {allreduce, columns}, {allgather, rows}},
        written_by<Writer, &Writer::allreduce>},
       {allgather, {{allgather, columns}, {allgather, rows}}, written_by<Writer, &Writer::allgather>},
       {gather, {{gather, columns}, {gather, rows}}, written_by<Writer, &Writer::gather>},
       {scatter, {{scatter, rows}, {scatter, columns}}, written_by<Writer, &Writer::scatter>}},
      true,
      "",
      refuses};
  return kind;
}

// Other collectives have full lanes in their realization on a grid anyway.
const GridKind& kind_for(Collective regular) {
  return lanes_kind().find(regular) ? lanes_kind() : grid_kind();
}

}  // namespace

namespace compositions {

CompositionKind lanes() {
  return {
      .name = "lanes",
      .summary = "phases on a grid of the ranks, every column with a share of the data",
      .source = "Träff, Hunold, Decomposing MPI Collectives for Exploiting Multi-lane Communication, 2020",
      .compose =
          [](const Composing& text) {
            const GridKind& kind = kind_for(text.regular());
            return compose_on_grid(text, kind);
          },
      .templates =
          [](const TemplateRequest& request) { return templates_on_two_sides(request, lanes_kind()); },
      .whole_only = levels_of_whole_only};
}

}  // namespace compositions
}  // namespace tutti::inline core
