// An alltoall in which a row of a grid sends one message to each other row, whatever its ranks send
// to that row's: where rows are hosts, few messages leave a host. For each two rows one rank of
// each, the pair's agents, exchange what the rows have for each other; the agents of a row's pairs
// are different ranks where it has enough. A block goes in its row to the agent, from there to the
// other row's agent, and in that row to its rank.

#include <fmt/format.h>

#include <algorithm>

#include "core/plan/grid_writer.hpp"
#include "core/plan/on_grid.hpp"

namespace tutti::inline core {
namespace {

class AggregatedWriter : private GridWriter {
 public:
  AggregatedWriter(Builder& b, const Grid& grid, bool apart, const std::vector<Plan>& plans)
      : GridWriter(b, grid, apart, plans), row_(grid.row(grid.row_of(me_))) {
    for (int other = 0; other < grid.rows(); ++other) {
      if (other != my_row() && agent(other) == me_) mine_.push_back(other);
      going_.push_back(-1);
      coming_.push_back(-1);
    }
    for (const int other : mine_) {
      const int blocks = length(my_row()) * length(other);
      going_[at(other)] = phases_.room(blocks);
      coming_[at(other)] = phases_.room(blocks);
    }
  }

  void alltoall() {
    collect();
    for (const int column : grid_.columns_of(me_)) exchange(column);
    distribute();
  }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  int my_row() const { return grid_.row_of(me_); }
  int length(int row) const { return static_cast<int>(grid_.row(row).size()); }
  // The column in which my row and another meet: another one for each where there are enough.
  int meeting(int other) const { return (my_row() + other) % grid_.columns(); }
  // My row's agent for another one.
  Rank agent(int other) const { return grid_.at(my_row(), meeting(other)); }
  bool meets(int other, int column) const { return other != my_row() && meeting(other) == column; }

  // Where an agent has what `from` of one row sends to `to` of the other: what one rank gets lies
  // together.
  BlockRange between(int room, int from, int senders, int to) const {
    return tutti::scratch(room + to * senders + from);
  }

  // In my row: what is for one of the row goes to its rank, all else to the agents.
  void collect() {
    std::vector<Ranges> from, into;
    for (int i = 0; i < length(my_row()); ++i) {
      const Rank member = row_[at(i)];
      Ranges& goes = from.emplace_back(input(member));
      Ranges& comes = into.emplace_back(output(member));
      for (int other = 0; other < grid_.rows(); ++other) {
        if (other == my_row()) continue;
        if (agent(other) == member) goes.add(bundle(grid_.row(other), Buffer::input));
        if (agent(other) != me_) continue;
        for (int to = 0; to < length(other); ++to)
          comes.add(between(going_[at(other)], i, length(my_row()), to));
      }
    }
    phases_.exchange(phase(0), {row_}, std::move(from), std::move(into), false);
  }

  // Between rows: what agents have for each other.
  void exchange(int column) {
    std::vector<Ranges> from, into;
    for (int other = 0; other < grid_.rows(); ++other) {
      const int blocks = meets(other, column) ? length(my_row()) * length(other) : 0;
      from.emplace_back(tutti::scratch(going_[at(other)], blocks));
      into.emplace_back(tutti::scratch(coming_[at(other)], blocks));
    }
    phases_.exchange(phase(1), {grid_.column(column)}, std::move(from), std::move(into), false);
  }

  // In my row: the agents hand on what has come.
  void distribute() {
    std::vector<Ranges> from, into;
    for (int i = 0; i < length(my_row()); ++i) {
      Ranges &goes = from.emplace_back(), &comes = into.emplace_back();
      for (int other = 0; other < grid_.rows(); ++other) {
        if (other == my_row()) continue;
        if (agent(other) == me_)
          goes.add(tutti::scratch(coming_[at(other)] + i * length(other), length(other)));
        if (agent(other) == row_[at(i)]) comes.add(bundle(grid_.row(other)));
      }
    }
    phases_.exchange(phase(2), {row_}, std::move(from), std::move(into), false);
  }

  const std::vector<Rank>& row_;
  std::vector<int> mine_;            // rows for which this rank is its row's agent
  std::vector<int> going_, coming_;  // by row: where in scratch what goes to it, or has come, begins
};

// What agents have for each other differs in length.
std::optional<std::string> refuses_relays(Collective, const Grid&, const std::vector<Plan>& plans) {
  for (const Plan& plan : plans)
    if (plan.relays())
      return fmt::format("{} passes on blocks of others, which differ in length", plan.text());
  return std::nullopt;
}

const GridKind& aggregated_kind() {
  constexpr Level columns = Level::columns, rows = Level::rows;
  constexpr Collective alltoall = Collective::alltoall;
  static const GridKind& kind = *new GridKind{{{alltoall,
                                                {{alltoall, rows}, {alltoall, columns}, {alltoall, rows}},
                                                written_by<AggregatedWriter, &AggregatedWriter::alltoall>}},
                                              false,
                                              "",
                                              refuses_relays};
  return kind;
}

// Only between rows that are places of a level is there anything to spare messages.
std::vector<CompositionTemplate> templates_by_places(const TemplateRequest& request) {
  auto found = templates_on_two_sides(request, aggregated_kind());
  std::erase_if(found, [](const CompositionTemplate& composition) {
    return !is_level(extents_of(composition.head)->layout.kind);
  });
  for (CompositionTemplate& composition : found)
    composition.plans = {Plan::of(Collective::alltoall, "linear")};
  return found;
}

}  // namespace

namespace compositions {

CompositionKind aggregated() {
  return {.name = "aggregated",
          .summary = "one message from each row of a grid to each other, by way of a rank of both",
          .source =
              "Bienz, Gropp, Olson, Reducing Communication in Algebraic Multigrid with Multi-step Node Aware "
              "Communication, 2020",
          .compose = [](const Composing& text) { return compose_on_grid(text, aggregated_kind()); },
          .templates = templates_by_places,
          .whole_only = levels_of_whole_only};
}

}  // namespace compositions
}  // namespace tutti::inline core
