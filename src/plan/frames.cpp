#include "plan/frames.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plan/grid_plan.hpp"
#include "plan/lanes_plan.hpp"
#include "plan/size.hpp"
#include "plan/via_plan.hpp"

namespace tutti {
namespace {

constexpr int most_unlike = 4;  // the longest side of three against the shortest

class Frames {
 public:
  Frames(Collective collective, const Setting& setting)
      : collective_(collective), regular_(traits(collective).regular), setting_(setting) {}

  std::vector<Frame> run(const std::vector<std::size_t>& pieces) {
    for (int rows = 2; rows <= setting_.ranks / 2; ++rows)
      if (setting_.ranks % rows == 0)
        on_two_sides(fmt::format("{}x{}", rows, setting_.ranks / rows),
                     {.rows = rows, .columns = setting_.ranks / rows});
    if (found_.empty())
      on_two_sides("balanced", {.kind = GridLayout::Rows::balanced});  // with factors it is one of those
    const int hosts = setting_.hosts ? count(*setting_.hosts) : 0;
    if (hosts > 1 && hosts < setting_.ranks) on_two_sides("node", {.kind = GridLayout::Rows::node});
    on_three_sides();
    for (const ViaPlan::Way& way : ViaPlan::ways()) by(way);
    for (const std::size_t piece : pieces)
      found_.push_back(
          {Frame::Kind::split, fmt::format("split({})", size_text(piece)), {{regular_, setting_.ranks}}});
    std::erase_if(found_, [this](const Frame& frame) {
      const auto plan = make_plan(collective_, frame.head);
      return !plan || plan->refusal(setting_);
    });
    return std::move(found_);
  }

 private:
  void on_two_sides(const std::string& extents, const GridLayout& layout) {
    if (setting_.ranks < 4) return;
    const Grid grid = arrange(layout, setting_.ranks, setting_.hosts).value();
    add(Frame::Kind::grid, "grid", extents, GridPlan::phases(regular_), grid.rows(), grid.columns());
    add(Frame::Kind::lanes, "lanes", extents, LanesPlan::phases(regular_), grid.rows(), grid.columns());
  }

  // One slot for the columns and one for the rows, or one for each phase where they differ.
  void add(Frame::Kind kind, const std::string& name, const std::string& extents,
           const std::vector<GridPhase>& phases, int rows, int columns) {
    if (phases.empty()) return;
    Frame frame{kind, fmt::format("{}({})", name, extents), {}};
    const int shares = kind == Frame::Kind::lanes ? columns : 1;
    for (const GridPhase& phase : phases)
      frame.slots.push_back(phase.level == Level::columns ? Frame::Slot{phase.collective, rows, shares}
                                                          : Frame::Slot{phase.collective, columns});
    if (phases.size() == 2 && phases.front().level == Level::rows) std::swap(frame.slots[0], frame.slots[1]);
    found_.push_back(std::move(frame));
  }

  void on_three_sides() {
    const auto phases = GridPlan::phases(regular_);
    if (phases.size() != 2) return;
    const int p = setting_.ranks;
    for (int a = 2; a <= p / 4; ++a)
      for (int b = 2; a * b <= p / 2; ++b) {
        if (p % (a * b) != 0) continue;
        const int c = p / (a * b);
        if (std::max({a, b, c}) > most_unlike * std::min({a, b, c})) continue;
        found_.push_back({Frame::Kind::deep_grid,
                          fmt::format("grid({}x{}x{})", a, b, c),
                          {{regular_, a}, {regular_, b}, {regular_, c}}});
      }
  }

  void by(const ViaPlan::Way& way) {
    if (way.collective != regular_) return;
    Frame frame{Frame::Kind::via, fmt::format("via({})", fmt::join(way.names, ",")), {}};
    for (const Collective phase : way.phases) frame.slots.push_back({phase, setting_.ranks});
    found_.push_back(std::move(frame));
  }

  Collective collective_, regular_;
  const Setting& setting_;
  std::vector<Frame> found_;
};

}  // namespace

std::string Frame::text(const std::vector<std::string>& plans) const {
  return fmt::format("{}[{}]", head, fmt::join(plans, ","));
}

std::vector<Frame> frames(Collective collective, const Setting& setting,
                          const std::vector<std::size_t>& pieces) {
  return Frames(collective, setting).run(pieces);
}

}  // namespace tutti
