#include "tools/report/drawing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/duration.hpp"
#include "base/markup.hpp"
#include "core/schedule/phase_numbers.hpp"
#include "core/schedule/render.hpp"

namespace tutti::tools {
namespace {

constexpr int phase_styles = 4;  // then they begin anew
constexpr std::string_view styles_of_phases =
    R"(.schedule .phase-1 { stroke: #8250df; fill: #8250df; stroke-dasharray: 7 3 }
.schedule .phase-2 { stroke: #116329; fill: #116329; stroke-dasharray: 2 3 }
.schedule .phase-3 { stroke: #953800; fill: #953800; stroke-dasharray: 9 3 2 3 }
.schedule .critical { stroke: #bc4c00; fill: #bc4c00 }
@media (prefers-color-scheme: dark) {
  .schedule .phase-1 { stroke: #d2a8ff; fill: #d2a8ff } .schedule .phase-2 { stroke: #56d364; fill: #56d364 }
  .schedule .phase-3 { stroke: #f0883e; fill: #f0883e } .schedule .critical { stroke: #ffa657; fill: #ffa657 }
}
)";

// The line that a rank is on: its own, or that of its host or of several ranks in turn.
class Lines {
 public:
  Lines(const Shape& shape, int most) : ranks_(shape.ranks) {
    if (ranks_ <= most) {
      count_ = ranks_;
    } else if (shape.hosts && count(*shape.hosts) <= most && count(*shape.hosts) > 1) {
      hosts_ = shape.hosts;
      count_ = count(*hosts_);
    } else {
      each_ = (ranks_ + most - 1) / most;
      count_ = (ranks_ + each_ - 1) / each_;
    }
  }
  int count_of_lines() const { return count_; }
  int of(Rank rank) const { return hosts_ ? (*hosts_)[static_cast<std::size_t>(rank)] : rank / each_; }
  std::string label(int line) const {
    if (hosts_) return fmt::format("host {}", line);
    if (each_ == 1) return fmt::format("{}", line);
    return fmt::format("{}-{}", line * each_, std::min(ranks_, (line + 1) * each_) - 1);
  }
  bool is_folded() const { return count_ < ranks_; }

 private:
  int ranks_, count_ = 0, each_ = 1;
  const Hosts* hosts_ = nullptr;
};

std::string blocks_text(std::span<const BlockRange> ranges) {
  std::vector<std::string> all;
  for (const BlockRange& range : ranges)
    all.push_back(range.count == 1 ? fmt::format("{}", range.first)
                                   : fmt::format("{}-{}", range.first, range.first + range.count - 1));
  return fmt::format("{}", fmt::join(all, ","));
}

class Drawing {
 public:
  Drawing(const Schedule& schedule, const Timetable& timetable, const DrawingStyle& style)
      : schedule_(schedule),
        timetable_(timetable),
        style_(style),
        lines_(schedule.shape, style.most_lines),
        critical_(timetable.critical.begin(), timetable.critical.end(), &before),
        phases_(phase_of_operations(schedule)),
        row_(style.small                    ? 16
             : lines_.count_of_lines() > 24 ? 18
                                            : 30),
        left_(style.small ? 18 : 70),
        width_(style.small
                   ? 220
                   : std::clamp(left_ + 90.0 * (timetable.in_rounds ? timetable.end : 10), 480.0, 1600.0)) {}

  std::string run(const std::string& title) {
    const double bottom = style_.small ? 4 : 34, right = style_.small ? 8 : 20;
    top_ = style_.small ? 8 : 44;
    height_ = top_ + row_ * lines_.count_of_lines() + bottom;
    for (const auto& of_rank : phases_)
      for (const int phase : of_rank) last_phase_ = std::max(last_phase_, phase);
    scale_ = timetable_.end > 0 ? (width_ - left_ - right) / timetable_.end : 1;
    std::string body = lines() + natives() + messages() + combinations();
    std::string said =
        fmt::format("{}: {} messages between {} ranks", title, messages_, schedule_.shape.ranks);
    if (lines_.is_folded()) said += fmt::format(", {} of them within a line are not drawn", hidden_);
    std::string text = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" class="schedule" viewBox="0 0 {:.0f} {:.0f}" width="{:.0f}" height="{:.0f}" role="img" font-family="system-ui, sans-serif">
<title>{}</title>
<desc>{}</desc>
<style>
.schedule .lane {{ stroke: #8c959f; stroke-width: 1 }} .schedule .message {{ stroke: #0550ae; fill: #0550ae }}
.schedule .combination {{ fill: #1a7f37 }} .schedule .native {{ fill: #8250df; opacity: .75 }}
.schedule .critical {{ stroke: #bc4c00; fill: #bc4c00; stroke-width: 2.4 }}
.schedule text {{ fill: #57606a; stroke: none; font-size: 11px }} .schedule .name {{ font-size: 14px; font-weight: 600 }}
@media (prefers-color-scheme: dark) {{
  .schedule text {{ fill: #9ea7b3 }} .schedule .message {{ stroke: #79c0ff; fill: #79c0ff }} .schedule .combination {{ fill: #56d364 }}
  .schedule .native {{ fill: #d2a8ff }} .schedule .critical {{ stroke: #ffa657; fill: #ffa657 }}
}}
{}</style>
)",
        width_, height_, width_, height_, escaped(title), escaped(said),
        last_phase_ > 0 ? styles_of_phases : "");
    if (!style_.small)
      text += fmt::format("<text class=\"name\" x=\"8\" y=\"20\">{}</text>\n", escaped(title)) + legend() +
              axis();
    return text + body + "</svg>\n";
  }

 private:
  static bool before(const OperationRef& a, const OperationRef& b) {
    return std::pair(a.rank, a.id) < std::pair(b.rank, b.id);
  }
  const Part& part(Rank rank) const { return schedule_.parts[static_cast<std::size_t>(rank)]; }
  const Operation& operation(OperationRef what) const { return part(what.rank)[what.id]; }
  int phase(OperationRef what) const {
    return phases_[static_cast<std::size_t>(what.rank)][static_cast<std::size_t>(what.id)];
  }
  // What its marks look like, and are called; nothing where there is only one phase.
  std::string phase_class(OperationRef what) const {
    return last_phase_ == 0 ? "" : fmt::format(" phase-{}", phase(what) % phase_styles);
  }
  std::string phase_title(OperationRef what) const {
    return last_phase_ == 0 ? "" : fmt::format("phase {}, ", phase(what) + 1);
  }
  double x(double time) const { return left_ + time * scale_; }
  double y(int line) const { return top_ + row_ * (line + 0.5); }

  std::string lines() const {
    std::string text;
    const int step = style_.small ? std::max(1, lines_.count_of_lines() / 8) : 1;
    for (int line = 0; line < lines_.count_of_lines(); ++line) {
      text += fmt::format("<line class=\"lane\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                          left_, y(line), x(timetable_.end), y(line));
      if (line % step == 0)
        text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left_ - 5,
                            y(line) + 4, lines_.label(line));
    }
    return text;
  }

  // How the phases look, where there are several.
  std::string legend() const {
    if (last_phase_ == 0) return "";
    std::string text;
    for (int phase = 0; phase <= std::min(last_phase_, phase_styles - 1); ++phase) {
      const double at = left_ + 90 * phase;
      text += fmt::format(
          "<g class=\"legend message phase-{}\"><line x1=\"{:.1f}\" y1=\"34\" x2=\"{:.1f}\" y2=\"34\"/><text "
          "x=\"{:.1f}\" "
          "y=\"38\">phase {}</text></g>\n",
          phase, at, at + 22, at + 27, phase + 1);
    }
    return text;
  }

  std::string axis() const {
    std::string text;
    const int rounds = static_cast<int>(timetable_.end);
    const int ticks = timetable_.in_rounds ? std::max(1, rounds) : 5;
    const int each = std::max(1, ticks / 16);
    for (int tick = 0; tick <= ticks; tick += each) {
      const double time = timetable_.end * tick / ticks;
      text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x(time),
                          height_ - 12, timetable_.in_rounds ? fmt::format("{}", tick) : time_text(time));
    }
    return text + fmt::format("<text x=\"8\" y=\"{:.1f}\">{}</text>\n", height_ - 12,
                              timetable_.in_rounds ? "round" : "time");
  }

  // An arrow a message, from where it leaves to where it arrives.
  std::string messages() {
    std::string text, strong;
    const bool named = !style_.small && !lines_.is_folded() && schedule_.shape.ranks <= 16;
    for (const auto& [what, start, end] : timetable_.steps) {
      const Operation& send = operation(what);
      if (send.kind != OperationKind::send) continue;
      ++messages_;
      const int from = lines_.of(what.rank), to = lines_.of(send.peer);
      if (from == to) {
        ++hidden_;
        continue;
      }
      const bool is_critical = critical_.contains(what);
      const double x1 = x(start), y1 = y(from), x2 = x(end), y2 = y(to);
      const double length = std::hypot(x2 - x1, y2 - y1), head = style_.small ? 4 : 6;
      const double dx = (x2 - x1) / length, dy = (y2 - y1) / length;
      std::string arrow = fmt::format(
          "<g class=\"message{}{}\"><title>{}{} to {}: {}</title><line x1=\"{:.1f}\" y1=\"{:.1f}\" "
          "x2=\"{:.1f}\" "
          "y2=\"{:.1f}\"/>"
          "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z\"/>",
          phase_class(what), is_critical ? " critical" : "", phase_title(what), what.rank, send.peer,
          escaped(describe(part(what.rank), send)), x1, y1, x2, y2, x2, y2, x2 - head * dx - head / 2 * dy,
          y2 - head * dy + head / 2 * dx, x2 - head * dx + head / 2 * dy, y2 - head * dy - head / 2 * dx);
      if (named)
        arrow += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", x1 + (x2 - x1) * 0.3 + 3,
                             y1 + (y2 - y1) * 0.3, blocks_text(part(what.rank).ranges(send)));
      (is_critical ? strong : text) += arrow + "</g>\n";
    }
    return text + strong;
  }

  std::string combinations() const {
    std::string text;
    for (const auto& [what, start, end] : timetable_.steps) {
      if (operation(what).kind != OperationKind::reduce) continue;
      text += fmt::format(
          "<circle class=\"combination{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"><title>{}rank {}: "
          "{}</title></circle>\n",
          critical_.contains(what) ? " critical" : "", x((start + end) / 2), y(lines_.of(what.rank)),
          style_.small ? 2 : 3.5, phase_title(what), what.rank,
          escaped(describe(part(what.rank), operation(what))));
    }
    return text;
  }

  std::string natives() const {
    std::string text;
    std::set<std::pair<int, double>> drawn;  // one of a line's at a time
    for (const auto& [what, start, end] : timetable_.steps) {
      if (operation(what).kind != OperationKind::native || !drawn.emplace(lines_.of(what.rank), start).second)
        continue;
      text += fmt::format(
          "<rect class=\"native{}{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
          "rx=\"2\"><title>{}rank {}: {}</title></rect>\n",
          phase_class(what), critical_.contains(what) ? " critical" : "", x(start),
          y(lines_.of(what.rank)) - row_ / 4, std::max(2.0, x(end) - x(start)), row_ / 2, phase_title(what),
          what.rank, escaped(describe(part(what.rank), operation(what))));
    }
    return text;
  }

  const Schedule& schedule_;
  const Timetable& timetable_;
  const DrawingStyle& style_;
  Lines lines_;
  std::set<OperationRef, decltype(&before)> critical_;
  std::vector<std::vector<int>> phases_;  // by rank and operation
  double row_, left_, width_, top_ = 0, height_ = 0, scale_ = 1;
  int messages_ = 0, hidden_ = 0, last_phase_ = 0;
};

}  // namespace

Timetable timetable_in_rounds(const Schedule& schedule) {
  const auto step = step_of_operations(schedule);
  Timetable timetable{{}, 0, true};
  for (Rank rank = 0; rank < schedule.shape.ranks; ++rank) {
    const Part& part = schedule.parts[static_cast<std::size_t>(rank)];
    for (OperationId id = 0; id < static_cast<OperationId>(part.operations().size()); ++id) {
      const OperationKind kind = part[id].kind;
      if (kind == OperationKind::recv || kind == OperationKind::copy || kind == OperationKind::clear)
        continue;
      const double end = step[static_cast<std::size_t>(rank)][static_cast<std::size_t>(id)];
      timetable.steps.push_back({{rank, id}, kind == OperationKind::reduce ? end : end - 1, end});
      timetable.end = std::max(timetable.end, end);
    }
  }
  return timetable;
}

Timetable timetable_on(const Schedule& schedule, std::size_t bytes, const Network& network) {
  Timetable timetable{{}, 0, false};
  const Price price = tutti::price(schedule, bytes, network, limit_of(network), &timetable.steps);
  timetable.end = price.seconds;
  for (const Price::PathStep& step : price.critical_path)
    if (!step.hands_over) timetable.critical.push_back(step.what);
  return timetable;
}

std::string draw(const Schedule& schedule, const Timetable& timetable, const std::string& title,
                 const DrawingStyle& style) {
  return Drawing(schedule, timetable, style).run(title);
}

}  // namespace tutti::tools
