// Collectives with full lanes: the row of the root, or every row, cuts the vector into a share for each
// column.

#include "plan/lanes_plan.hpp"

#include "plan/grid_writer.hpp"

namespace tutti {
namespace {

class Writer : private GridWriter {
 public:
  Writer(Builder& b, const Grid& grid, bool apart, const std::vector<Plan>& plans)
      : GridWriter(b, grid, apart, plans) {}

  void run() {
    switch (b_.shape().collective) {
      case Collective::bcast:
        return bcast();
      case Collective::gather:
        return gather();
      case Collective::scatter:
        return scatter();
      case Collective::allgather:
        return allgather();
      case Collective::reduce:
        return reduce();
      default:
        return allreduce();
    }
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
};

}  // namespace

std::vector<GridPhase> LanesPlan::phases(Collective collective) {
  constexpr Level columns = Level::columns, rows = Level::rows;
  using enum Collective;
  switch (collective) {
    case bcast:
      return {{scatter, rows}, {bcast, columns}, {allgather, rows}};
    case reduce:
      return {{reduce_scatter_block, rows}, {reduce, columns}, {gather, rows}};
    case allreduce:
      return {{reduce_scatter_block, rows}, {allreduce, columns}, {allgather, rows}};
    case allgather:
    case gather:
      return {{collective, columns}, {collective, rows}};
    case scatter:
      return {{collective, rows}, {collective, columns}};
    default:
      return {};
  }
}

void LanesPlan::write(Builder& b, const Grid& grid) const {
  Writer(b, grid, layout().apart, plans()).run();
}

std::optional<std::string> LanesPlan::refuses(const Grid& grid) const {
  return grid.even() ? std::nullopt : std::optional<std::string>("lanes need a grid with rows of one length");
}

int LanesPlan::shares(const Grid& grid) const {
  return grid.columns();
}

}  // namespace tutti
