#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// A communicator's ranks in rows, one below the other. The n-th ranks of all rows are a column.
///
/// Rows may differ in length. In columns that a shorter row does not reach, its ranks stand in,
/// those from its beginning first, so that every column has one rank of every row, and a rank may
/// stand in several.
class Grid {
 public:
  /// No row is empty, every rank is in one.
  explicit Grid(std::vector<std::vector<Rank>> rows);

  int rows() const { return static_cast<int>(rows_.size()); }
  /// Number of ranks in the longest row.
  int columns() const { return columns_; }
  const std::vector<Rank>& row(int row) const { return rows_[static_cast<std::size_t>(row)]; }
  /// One rank of each row.
  std::vector<Rank> column(int column) const;
  /// The rank that is there, or stands in.
  Rank at(int row, int column) const;
  int row_of(Rank rank) const { return place_[static_cast<std::size_t>(rank)].row; }
  int column_of(Rank rank) const { return place_[static_cast<std::size_t>(rank)].column; }
  /// All columns in which a rank is, or stands in, its own first.
  std::vector<int> columns_of(Rank rank) const;
  /// Whether it is the rank's own place, not one in which it stands in.
  bool is_own(Rank rank, int column) const { return column_of(rank) == column; }

  /// All rows have the same length.
  bool even() const { return even_; }
  /// Row after row the ranks ascend from 0 on, so that combining rows in order keeps the order of
  /// ranks.
  bool in_rank_order() const { return in_rank_order_; }

 private:
  struct Place {
    int row, column;
  };
  std::vector<std::vector<Rank>> rows_;
  std::vector<Place> place_;  // by rank
  int columns_ = 0;
  bool even_ = true, in_rank_order_ = true;
};

/// How ranks are arranged as a grid.
struct GridLayout {
  enum class Rows {
    given,        ///< `rows` of `columns` ranks
    balanced,     ///< as many as columns, as nearly as the number of ranks allows
    cache,        ///< the ranks of each cache; from here on levels, the innermost first
    numa,         ///< the ranks of each NUMA domain
    socket,       ///< the ranks of each socket
    node,         ///< the ranks of each host
    leaf_switch,  ///< the ranks of each of the network's innermost groups of hosts
    /// The ranks of each of the network's outermost groups. Numbers before are further levels of
    /// groups from the second one on, counted from the hosts (level_of_groups).
    group = leaf_switch + 16,
  };
  enum class Mapping {
    row_major,     ///< a row is consecutive ranks
    column_major,  ///< a column is consecutive ranks
    cyclic,        ///< consecutive ranks are in consecutive rows, dealt out in turn
  };
  Rows kind = Rows::given;
  int rows = 0, columns = 0;  ///< where given
  Mapping mapping = Mapping::row_major;
  bool apart = false;  ///< phases do not overlap, see Phases
  friend bool operator==(const GridLayout&, const GridLayout&) = default;
};

/// Whether rows are the ranks of one place each.
constexpr bool is_level(GridLayout::Rows rows) {
  return rows >= GridLayout::Rows::cache;
}

/// Levels of groups that have numbers.
inline constexpr int most_numbered_levels =
    static_cast<int>(GridLayout::Rows::group) - static_cast<int>(GridLayout::Rows::leaf_switch);

/// Rows of the network's groups of that level, from 1 on, which are the innermost
/// (GroupLevels::by_height), to `most_numbered_levels`.
constexpr GridLayout::Rows level_of_groups(int number) {
  return static_cast<GridLayout::Rows>(static_cast<int>(GridLayout::Rows::leaf_switch) + number - 1);
}
/// The number of such a level; 0 of rows that are none.
constexpr int number_of_level(GridLayout::Rows rows) {
  const int number = static_cast<int>(rows) - static_cast<int>(GridLayout::Rows::leaf_switch) + 1;
  return number >= 1 && number <= most_numbered_levels ? number : 0;
}

/// The grid of `ranks` ranks, or why there is none. `places` are those of ranks at the layout's
/// level, such as their hosts; where they are not known, every rank is on its own.
///
/// A balanced grid takes the factors of `ranks` that are nearest to each other, if the longer side
/// is at most four times the shorter; otherwise rows of ⌈√ranks⌉, the last one shorter.
Result<Grid> arrange(const GridLayout& layout, int ranks, const Hosts* places);

/// The grid of a layout that suits the ranks. The last ones are remembered: parts of all ranks are
/// often written one after the other, and each needs but a row and a column of it.
std::shared_ptr<const Grid> arranged(const GridLayout& layout, int ranks, const Hosts* places);

}  // namespace tutti::inline core
