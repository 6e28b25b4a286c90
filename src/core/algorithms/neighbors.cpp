// Exchange between the neighbours of a topology.

#include <algorithm>
#include <map>

#include "core/algorithms/algorithm.hpp"
#include "core/schedule/topology.hpp"

namespace tutti::inline core::families {
namespace {

using Edge = Neighborhood::Edge;

// The input block of an edge; an allgather has one block for all edges.
BlockRange given(const Builder& b, const Edge& edge) {
  return input(b.shape().collective == Collective::neighbor_allgather ? 0 : edge.block);
}

// Sorts edges by the distance of the peer round the circle, in one direction: in that order no rank
// waits for one that waits for it, however few messages are under way.
std::vector<Edge> by_distance(std::vector<Edge> edges, auto&& distance) {
  std::ranges::stable_sort(edges, {}, [&](const Edge& edge) { return distance(edge.peer); });
  return edges;
}

void direct(Builder& b, const Arguments&) {
  const int p = b.ranks();
  const Rank me = b.rank();
  const auto ahead = [&](Rank peer) { return (peer - me + p) % p; };
  const auto behind = [&](Rank peer) { return (me - peer + p) % p; };
  const Neighborhood& neighbors = (*b.shape().topology)[me];
  const auto out = by_distance(neighbors.out, ahead), in = by_distance(neighbors.in, behind);
  auto next = in.begin();
  for (const Edge& edge : out) {
    for (; next != in.end() && behind(next->peer) <= ahead(edge.peer); ++next) {
      if (next->peer != me) b.recv(next->peer, output(next->block));
    }
    if (edge.peer != me) b.send(edge.peer, given(b, edge));
  }
  for (; next != in.end(); ++next) b.recv(next->peer, output(next->block));
  const auto own = [me](const Edge& edge) { return edge.peer == me; };
  for (auto to = in.begin(), from = out.begin(); to != in.end() && own(*to); ++to, ++from)
    b.copy(output(to->block), given(b, *from));
}

// A rank's blocks by the offsets of a stencil: where they go and come from.
class Offsets {
 public:
  Offsets(const Topology& topology, Rank me) : stencil_(*topology.stencil), me_(me) {
    here_ = stencil_.coordinates(me);
    for (const int sign : {1, -1}) {
      std::map<Rank, std::vector<int>> blocks;  // of each peer, those that are left, the last first
      const auto& edges = sign > 0 ? topology[me].out : topology[me].in;
      for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge)
        blocks[edge->peer].push_back(edge->block);
      auto& of = sign > 0 ? out_ : in_;
      for (std::vector<int> offset : stencil_.offsets) {
        for (int& way : offset) way *= sign;
        const auto peer = stencil_.moved(me, offset);
        of.push_back(peer ? blocks[*peer].back() : -1);
        if (peer) blocks[*peer].pop_back();
      }
    }
  }

  const Stencil& stencil() const { return stencil_; }
  std::size_t count() const { return stencil_.offsets.size(); }
  const std::vector<int>& operator[](std::size_t i) const { return stencil_.offsets[i]; }
  int out_block(std::size_t i) const { return out_[i]; }
  int in_block(std::size_t i) const { return in_[i]; }
  /// Whether a block that goes by the offset is here when it has gone its way along `gone`
  /// dimensions.
  bool passes(std::size_t i, std::size_t gone) const {
    for (std::size_t k = 0; k < here_.size(); ++k)
      if (!stencil_.moved(me_, k, k < gone ? -(*this)[i][k] : (*this)[i][k])) return false;
    return true;
  }
  /// Whether nothing is left of the block's way then.
  bool arrives(std::size_t i, std::size_t gone) const {
    return std::all_of((*this)[i].begin() + static_cast<std::ptrdiff_t>(gone), (*this)[i].end(),
                       [](int way) { return way == 0; });
  }
  Rank peer(std::size_t dimension, int step) const { return *stencil_.moved(me_, dimension, step); }

 private:
  const Stencil& stencil_;
  Rank me_;
  std::vector<int> here_, out_, in_;  // by offset: blocks, −1 where the grid has ended
};

// What goes the same way along a dimension goes in one message, with what others have sent this
// rank on its way.
void combining_alltoall(Builder& b, const Offsets& offsets) {
  std::vector<BlockRange> place;  // where the block is that goes by an offset, whoever sent it
  for (std::size_t i = 0; i < offsets.count(); ++i) {
    place.push_back(input(std::max(offsets.out_block(i), 0)));
    if (offsets.arrives(i, 0)) b.copy(output(offsets.in_block(i)), place[i]);
  }
  int waiting = 0;
  for (std::size_t k = 0; k < offsets.stencil().dimensions.size(); ++k) {
    const auto before = place;
    for (const int step : offsets.stencil().steps(k)) {
      Ranges sent, received;
      for (std::size_t i = 0; i < offsets.count(); ++i) {
        if (offsets[i][k] != step) continue;
        if (offsets.passes(i, k)) sent.add(before[i]);
        if (!offsets.passes(i, k + 1)) continue;
        place[i] = offsets.arrives(i, k + 1) ? output(offsets.in_block(i)) : scratch(waiting++);
        received.add(place[i]);
      }
      if (!received.empty()) b.recv(offsets.peer(k, -step), received);
      if (!sent.empty()) b.send(offsets.peer(k, step), sent);
    }
  }
}

// An allgather sends one block to all: what has come the same way so far is the same block, and
// goes on once.
void combining_allgather(Builder& b, const Offsets& offsets) {
  using Way = std::vector<int>;
  std::map<Way, BlockRange> place{{{}, input(0)}};  // by the way that a block has come
  std::map<Way, int> got;                           // by offset: the output that has it
  int waiting = 0;
  for (std::size_t i = 0; i < offsets.count(); ++i)
    if (offsets.arrives(i, 0) && got.try_emplace(offsets[i], offsets.in_block(i)).second)
      b.copy(output(offsets.in_block(i)), input(0));
  for (std::size_t k = 0; k < offsets.stencil().dimensions.size(); ++k) {
    // The ways along one more dimension, with whether a block has to come, or to be sent, by them.
    struct Need {
      bool sends = false, receives = false;
      int into = -1;  // output, if it arrives
    };
    std::map<Way, Need> ways;
    for (std::size_t i = 0; i < offsets.count(); ++i) {
      const Way way(offsets[i].begin(), offsets[i].begin() + static_cast<std::ptrdiff_t>(k) + 1);
      Need& need = ways[way];
      need.sends |= offsets.passes(i, k);
      need.receives |= offsets.passes(i, k + 1);
      if (need.into < 0 && offsets.arrives(i, k + 1)) need.into = offsets.in_block(i);
    }
    std::map<Way, BlockRange> next;
    for (const auto& [way, need] : ways)
      if (way.back() == 0 && need.receives) next.emplace(way, place.at({way.begin(), way.end() - 1}));
    for (const int step : offsets.stencil().steps(k)) {
      Ranges sent, received;
      for (const auto& [way, need] : ways) {
        if (way.back() != step) continue;
        if (need.sends) sent.add(place.at({way.begin(), way.end() - 1}));
        if (!need.receives) continue;
        const BlockRange into = need.into >= 0 ? output(need.into) : scratch(waiting++);
        next.emplace(way, into);
        received.add(into);
        if (need.into < 0) continue;
        Way whole = way;
        whole.resize(offsets.stencil().dimensions.size(), 0);
        got.emplace(whole, need.into);
      }
      if (!received.empty()) b.recv(offsets.peer(k, -step), received);
      if (!sent.empty()) b.send(offsets.peer(k, step), sent);
    }
    place = std::move(next);
  }
  for (std::size_t i = 0; i < offsets.count(); ++i)  // of neighbours that are there several times
    if (const int block = offsets.in_block(i); block >= 0)
      if (const int first = got.at(offsets[i]); first != block) b.copy(output(block), output(first));
}

void combining(Builder& b, const Arguments&) {
  const Offsets offsets(*b.shape().topology, b.rank());
  b.shape().collective == Collective::neighbor_allgather ? combining_allgather(b, offsets)
                                                         : combining_alltoall(b, offsets);
}

Algorithm direct_for(Collective collective) {
  return {.collective = collective,
          .name = "direct",
          .summary = "every block straight to its neighbour, all of them posted at once",
          .wins = "long blocks, or few neighbours",
          .source = "MPI: A Message-Passing Interface Standard, version 4.0, 2021",
          .section = "8.6",
          .generate = direct};
}

Algorithm combining_for(Collective collective) {
  return {.collective = collective,
          .name = "combining",
          .summary = "dimension by dimension, what goes the same way in one message: six for 26 neighbours",
          .wins = "short blocks, where neighbours follow a stencil with diagonals",
          .source =
              "Träff, Lübbe, Rougier, Hunold, Isomorphic, Sparse MPI-like Collective Communication "
              "Operations for Parallel Stencil Computations, 2015",
          .section = "3",
          .on_stencils_only = true,
          .relays = true,
          .generate = combining};
}

}  // namespace

Family neighbors() {
  return {direct_for(Collective::neighbor_allgather), combining_for(Collective::neighbor_allgather),
          direct_for(Collective::neighbor_alltoall), combining_for(Collective::neighbor_alltoall)};
}

}  // namespace tutti::inline core::families
