#include "plan/on_grid.hpp"

#include <set>

namespace tutti {

void OnGrid::generate(Builder& b) const {
  write(b, arrange(layout_, b.ranks(), b.shape().hosts).value());
}

bool OnGrid::relays() const {
  return collective() == Collective::gather || collective() == Collective::scatter ||
         collective() == Collective::alltoall;
}

std::optional<std::string> OnGrid::own_refusal(const Setting& setting) const {
  const auto grid = arrange(layout_, setting.ranks, setting.hosts);
  if (!grid) return grid.error().message;
  if (traits(collective()).reduces && !setting.commutative && !grid->in_rank_order())
    return "the grid's rows are not consecutive ranks, but the operation does not commute";
  return refuses(*grid);
}

std::vector<PhaseUse> OnGrid::uses(const Setting& setting) const {
  const Grid grid = arrange(layout_, setting.ranks, setting.hosts).value();
  std::set<int> lengths;
  for (int r = 0; r < grid.rows(); ++r) lengths.insert(static_cast<int>(grid.row(r).size()));
  std::vector<PhaseUse> uses;
  for (std::size_t i = 0; i < phases_.size(); ++i)
    if (phases_[i].level == Level::columns)
      uses.push_back({&plan(i), grid.rows(), shares(grid)});
    else
      for (const int length : lengths) uses.push_back({&plan(i), length});
  return uses;
}

}  // namespace tutti
