#include "core/algorithms/patterns/exchanges.hpp"

namespace tutti::inline core {

void allgather(Builder& b, const Team& team, const Exchanges& exchanges) {
  const Vector result{Buffer::output};
  for (const ExchangeRound& round : exchanges) {
    b.next_round();
    for (const Exchange& got : round.gets) b.recv(team.rank(got.member), result.at(got.blocks));
    for (const Exchange& given : round.gives) b.send(team.rank(given.member), result.at(given.blocks));
  }
}

void reduce_scatter(Builder& b, const Team& team, const Exchanges& exchanges, const Workspace& workspace) {
  const int m = b.blocks();
  // The partial result may lie in the second copy of scratch.
  const auto incoming = [&](std::size_t message) {
    return message == 0 ? workspace.incoming : Vector{Buffer::scratch, static_cast<int>(message + 1) * m};
  };
  b.copy(workspace.partial.at(0, m), input(0, m));
  for (auto round = exchanges.rbegin(); round != exchanges.rend(); ++round) {
    b.next_round();
    for (std::size_t i = 0; i < round->gives.size(); ++i)
      b.recv(team.rank(round->gives[i].member), incoming(i).at(round->gives[i].blocks));
    for (const Exchange& got : round->gets) b.send(team.rank(got.member), workspace.partial.at(got.blocks));
    for (std::size_t i = 0; i < round->gives.size(); ++i)
      for (const BlockRange& range : round->gives[i].blocks)
        b.reduce(workspace.partial.at(range.first, range.count), incoming(i).at(range.first, range.count),
                 OperandOrder::from_first);
  }
}

void allgather(Builder& b, const Exchanges& exchanges) {
  b.copy(output(b.rank()), input(b.rank()));
  allgather(b, Team{b.ranks()}, exchanges);
}

void reduce_scatter(Builder& b, const Exchanges& exchanges) {
  const Workspace space = workspace(b);
  reduce_scatter(b, Team{b.ranks()}, exchanges, space);
  b.copy(output(b.rank()), space.partial.at(b.rank()));
}

void allreduce(Builder& b, const Exchanges& exchanges) {
  reduce_scatter(b, Team{b.ranks()}, exchanges, workspace(b));
  allgather(b, Team{b.ranks()}, exchanges);
}

Parameter largest_parameter() {
  return {"largest", "which ranks the largest exchanges are with", {"far", "near"}};
}

Largest largest(const Arguments& arguments) {
  return arguments.text("largest") == "near" ? Largest::near : Largest::far;
}

}  // namespace tutti::inline core
