#include "core/schedule/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/schedule/messages.hpp"

namespace tutti::inline core {
namespace {

std::string_view name(Buffer buffer) {
  switch (buffer) {
    case Buffer::input:
      return "input";
    case Buffer::output:
      return "output";
    case Buffer::scratch:
      return "scratch";
  }
  return "";
}

std::string describe(const BlockRange& range) {
  return range.count == 1
             ? fmt::format("{} {}", name(range.buffer), range.first)
             : fmt::format("{} {}-{}", name(range.buffer), range.first, range.first + range.count - 1);
}

std::string describe(std::span<const BlockRange> ranges) {
  std::string text;
  for (const BlockRange& range : ranges) text += (text.empty() ? "" : ", ") + describe(range);
  return text;
}

// The step in which each operation completes, by rank and operation: fixpoint over messages and
// dependencies.
class Timeline {
 public:
  explicit Timeline(const Schedule& schedule) : schedule_(schedule) {
    const Partners partners = match_messages(schedule);
    const Meetings meetings = match_native_phases(schedule);
    for (const Part& part : schedule.parts) step_.emplace_back(part.operations().size(), -1);
    for (bool changed = true; changed;) {
      changed = false;
      for (Rank rank = 0; rank < schedule.shape.ranks; ++rank) {
        const Part& part = schedule.parts[static_cast<std::size_t>(rank)];
        for (OperationId id = 0; id < static_cast<OperationId>(part.operations().size()); ++id) {
          const Operation& op = part[id];
          if (at(rank, id) >= 0 || op.kind == OperationKind::recv) continue;
          int ready =
              op.kind == OperationKind::native
                  ? met(meetings, meetings.of[static_cast<std::size_t>(rank)][static_cast<std::size_t>(id)])
                  : earliest(rank, id);
          if (ready < 0) continue;
          if (op.kind == OperationKind::send) {
            const OperationId receive =
                partners[static_cast<std::size_t>(rank)][static_cast<std::size_t>(id)];
            if (receive == no_partner) continue;
            const int posted = earliest(op.peer, receive);
            if (posted < 0) continue;
            ready = std::max(ready, posted) + 1;
            at(op.peer, receive) = ready;
          }
          at(rank, id) = ready;
          changed = true;
        }
      }
    }
  }

  std::vector<std::vector<int>> all() && { return std::move(step_); }
  int& at(Rank rank, OperationId id) {
    return step_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(id)];
  }

 private:
  // The step in which a native phase of some ranks is done, −1 while that is unknown.
  int met(const Meetings& meetings, int meeting) {
    int ready = 0;
    for (const auto& [rank, id] : meetings.members[static_cast<std::size_t>(meeting)]) {
      const int mine = earliest(rank, id);
      if (mine < 0) return -1;
      ready = std::max(ready, mine);
    }
    return ready + 1;
  }

  // The step after which an operation may start, −1 while that is unknown.
  int earliest(Rank rank, OperationId id) {
    const Part& part = schedule_.parts[static_cast<std::size_t>(rank)];
    int ready = 0;
    for (const OperationId earlier : part.after(part[id])) {
      if (at(rank, earlier) < 0) return -1;
      ready = std::max(ready, at(rank, earlier));
    }
    return ready;
  }

  const Schedule& schedule_;
  std::vector<std::vector<int>> step_;
};

}  // namespace

std::string describe(const Part& part, const Operation& operation) {
  const auto ranges = part.ranges(operation);
  switch (operation.kind) {
    case OperationKind::send:
      return fmt::format("send to {}: {}", operation.peer, describe(ranges));
    case OperationKind::recv:
      return fmt::format("recv from {}: {}", operation.peer, describe(ranges));
    case OperationKind::copy:
      return fmt::format("copy {} = {}", describe(ranges[0]), describe(ranges[1]));
    case OperationKind::clear:
      return fmt::format("clear {}", describe(ranges));
    case OperationKind::reduce: {
      const std::string into = describe(ranges[0]), from = describe(ranges[1]);
      const bool from_first = operation.order == OperandOrder::from_first;
      return fmt::format("reduce {} = {} * {}", into, from_first ? from : into, from_first ? into : from);
    }
    case OperationKind::native: {
      const NativePhase& phase = part.native_phase(operation);
      const std::string by = phase.algorithm.empty() ? "" : fmt::format(" ({})", phase.algorithm);
      return fmt::format("{} {}{} among {} ranks: {} -> {}", operation.memory ? "shared" : "native",
                         tutti::name(phase.collective), by, phase.group.size(),
                         describe(all_ranges(phase.from)), describe(all_ranges(phase.into)));
    }
  }
  return "";
}

std::string render(const Schedule& schedule) {
  Timeline timeline(schedule);
  std::map<int, std::string> lines;  // by step
  for (Rank rank = 0; rank < schedule.shape.ranks; ++rank) {
    const Part& part = schedule.parts[static_cast<std::size_t>(rank)];
    for (OperationId id = 0; id < static_cast<OperationId>(part.operations().size()); ++id) {
      const Operation& op = part[id];
      if (op.kind == OperationKind::recv) continue;
      std::string& text = lines[timeline.at(rank, id)];
      if (op.kind == OperationKind::send)
        text += fmt::format("  {} -> {}: {}\n", rank, op.peer, describe(part.ranges(op)));
      else
        text += fmt::format("  {}: {}\n", rank, describe(part, op));
    }
  }
  std::string text;
  for (const auto& [step, body] : lines)
    text += (step < 0    ? std::string("never\n")
             : step == 0 ? std::string("before\n")
                         : fmt::format("step {}\n", step)) +
            body;
  return text;
}

std::vector<std::vector<int>> step_of_operations(const Schedule& schedule) {
  return Timeline(schedule).all();
}

int steps(const Schedule& schedule) {
  Timeline timeline(schedule);
  int last = 0;
  for (Rank rank = 0; rank < schedule.shape.ranks; ++rank)
    for (OperationId id = 0;
         id < static_cast<OperationId>(schedule.parts[static_cast<std::size_t>(rank)].operations().size());
         ++id)
      last = std::max(last, timeline.at(rank, id));
  return last;
}

}  // namespace tutti::inline core
