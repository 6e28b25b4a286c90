#pragma once

#include <vector>

#include "core/plan/grid.hpp"
#include "core/plan/phases.hpp"

namespace tutti::inline core {

/// What those who write a rank's part of a composition on a grid have in common.
class GridWriter {
 protected:
  static constexpr Vector in_input{Buffer::input}, in_output{Buffer::output};

  GridWriter(Builder& builder, const Grid& grid, bool apart, const std::vector<Plan>& plans)
      : b_(builder), me_(builder.rank()), phases_(builder, apart), grid_(grid), plans_(plans) {}

  const Plan& phase(std::size_t number) const { return plans_[number]; }
  bool is_root() const { return me_ == b_.root(); }

  Builder& b_;
  Rank me_;
  Phases phases_;
  const Grid& grid_;

 private:
  const std::vector<Plan>& plans_;
};

/// Writes a rank's part by a member function of such a writer.
template <typename Writer, void (Writer::*write)()>
void written_by(Builder& builder, const Grid& grid, bool apart, const std::vector<Plan>& plans) {
  (Writer(builder, grid, apart, plans).*write)();
}

}  // namespace tutti::inline core
