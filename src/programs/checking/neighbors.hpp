#pragma once

#include <algorithm>
#include <array>

#include "programs/checking/reductions.hpp"

namespace checking {

/// Calls between neighbours, on grids and graphs of several kinds, compared with the MPI library's
/// own.
class Neighbors : public Reductions {
 public:
  using Reductions::Reductions;

 protected:
#ifndef SMPI_H  // SimGrid 3.32 has none
  void neighbor_allgather() {
    on_some_topology([this](const Topology& neighbors) {
      const int count = draw_count(1000);
      const Pair types = draw_types();
      Memory given(types.send, size(count), own_seed_);
      Memory tested(types.receive, size(count * types.per_send) * neighbors.from.size(), own_seed_ + 1),
          expected = tested;
      const Bytes before = given.bytes;
      both(expected, tested, TUTTI_ORACLE(Neighbor_allgather, Ineighbor_allgather),
           TUTTI_TESTED(Neighbor_allgather, Ineighbor_allgather), [&](auto call, void* out) {
             call(given.address(), count, types.send.handle, out, count * types.per_send,
                  types.receive.handle, comm_);
           });
      expect_same(tested, expected, neighbors.name + " neighbor_allgather of " + types.send.name);
      expect_untouched(given, before, "neighbor_allgather");
    });
  }

  void neighbor_allgatherv() {
    on_some_topology([this](const Topology& neighbors) {
      const Pair types = draw_types();
      const Numbers counts = draw_counts(shared_seed_);
      Numbers receives = numbers(degree(neighbors.from));
      for (std::size_t i = 0; i < neighbors.from.size(); ++i)
        receives[i] = neighbors.from[i] < 0 ? 3 : counts[size(neighbors.from[i])] * types.per_send;
      std::size_t span = 0;
      const Numbers displacements = place_blocks(receives, degree(neighbors.from), own_seed_, span);
      const int count = counts[size(rank_)];
      Memory given(types.send, size(count), own_seed_);
      Memory tested(types.receive, span, own_seed_ + 1), expected = tested;
      both(expected, tested, TUTTI_ORACLE(Neighbor_allgatherv, Ineighbor_allgatherv),
           TUTTI_TESTED(Neighbor_allgatherv, Ineighbor_allgatherv), [&](auto call, void* out) {
             call(given.address(), count, types.send.handle, out, receives.data(), displacements.data(),
                  types.receive.handle, comm_);
           });
      expect_same(tested, expected, neighbors.name + " neighbor_allgatherv of " + types.send.name);
    });
  }

  void neighbor_alltoall() {
    on_some_topology([this](const Topology& neighbors) {
      const int count = draw_count(1000);
      const Pair types = draw_types();
      Memory given(types.send, size(count) * neighbors.to.size(), own_seed_);
      Memory tested(types.receive, size(count * types.per_send) * neighbors.from.size(), own_seed_ + 1),
          expected = tested;
      const Bytes before = given.bytes;
      both(expected, tested, TUTTI_ORACLE(Neighbor_alltoall, Ineighbor_alltoall),
           TUTTI_TESTED(Neighbor_alltoall, Ineighbor_alltoall), [&](auto call, void* out) {
             call(given.address(), count, types.send.handle, out, count * types.per_send,
                  types.receive.handle, comm_);
           });
      expect_same(tested, expected, neighbors.name + " neighbor_alltoall of " + types.send.name);
      expect_untouched(given, before, "neighbor_alltoall");
    });
  }

  void neighbor_alltoallv() {
    on_some_topology([this](const Topology& neighbors) {
      const Pair types = draw_types();
      Numbers sends = numbers(degree(neighbors.to)), receives = numbers(degree(neighbors.from));
      for (std::size_t i = 0; i < neighbors.to.size(); ++i)
        sends[i] = neighbors.to[i] < 0 ? 2 : count_between(rank_, neighbors.to[i], false);
      for (std::size_t i = 0; i < neighbors.from.size(); ++i)
        receives[i] =
            neighbors.from[i] < 0 ? 4 : count_between(neighbors.from[i], rank_, false) * types.per_send;
      std::size_t send_span = 0, receive_span = 0;
      const Numbers from = place_blocks(sends, degree(neighbors.to), own_seed_ + 2, send_span),
                    to = place_blocks(receives, degree(neighbors.from), own_seed_ + 3, receive_span);
      Memory given(types.send, send_span, own_seed_);
      Memory tested(types.receive, receive_span, own_seed_ + 1), expected = tested;
      both(expected, tested, TUTTI_ORACLE(Neighbor_alltoallv, Ineighbor_alltoallv),
           TUTTI_TESTED(Neighbor_alltoallv, Ineighbor_alltoallv), [&](auto call, void* out) {
             call(given.address(), sends.data(), from.data(), types.send.handle, out, receives.data(),
                  to.data(), types.receive.handle, comm_);
           });
      expect_same(tested, expected, neighbors.name + " neighbor_alltoallv of " + types.send.name);
    });
  }

  void neighbor_alltoallw() {
    on_some_topology([this](const Topology& neighbors) {
      // MPICH 4.0 mixes up several edges between the same ranks now and then.
      if (runs_on("MPICH") && neighbors.name == names[drawn]) return;
      const TypedBlocks sends = typed_blocks(neighbors.to, true),
                        receives = typed_blocks(neighbors.from, false);
      const Type& bytes = types_[1];
      Memory given(bytes, sends.span, own_seed_);
      Memory tested(bytes, receives.span, own_seed_ + 1), expected = tested;
      both(expected, tested, TUTTI_ORACLE(Neighbor_alltoallw, Ineighbor_alltoallw),
           TUTTI_TESTED(Neighbor_alltoallw, Ineighbor_alltoallw), [&](auto call, void* out) {
             call(given.address(), sends.counts.data(), sends.addresses.data(), TypeList{sends.types.data()},
                  out, receives.counts.data(), receives.addresses.data(), TypeList{receives.types.data()},
                  comm_);
           });
      expect_same(tested, expected, neighbors.name + " neighbor_alltoallw");
    });
  }

  void free_topologies() {
    for (Topology& topology : topologies_) MPI_Comm_free(&topology.comm);
  }

 private:
  // A communicator with the neighbours of this rank in it, −1 for nobody.
  struct Topology {
    std::string name;
    MPI_Comm of, comm;
    std::vector<int> to, from;
  };

  static int degree(const std::vector<int>& peers) {
    return static_cast<int>(peers.size());
  }

  // Places for blocks, one behind the other in any order.
  Numbers place_blocks(const Numbers& counts, int blocks, unsigned seed, std::size_t& span) {
    const int ranks = std::exchange(ranks_, blocks);
    const Numbers displacements = place(counts, seed, span);
    ranks_ = ranks;
    return displacements;
  }

  // Makes a call on a communicator that is like the one that was drawn, but for its neighbours.
  template <typename Call>
  void on_some_topology(Call call) {
    const std::size_t kind = first_calls_ ? stencil : draw(kinds);
    const MPI_Comm before = comm_;
    const Topology& topology = find(before, kind);
    comm_ = topology.comm;
    if (draw(4) == 0) MPI_Barrier(comm_);  // calls that return at once may be the first ones otherwise
    call(topology);
    comm_ = before;
  }

  static constexpr std::array names{"on a ring,",          "on an open grid,",   "on a stencil,",
                                    "on an open stencil,", "on a random graph,", "on a graph,"};
  static constexpr std::size_t kinds = names.size(), stencil = 2, drawn = 4;

  // A topology, made when it is first asked for. A deque: others stay where they are.
  const Topology& find(MPI_Comm of, std::size_t kind) {
    for (const Topology& known : topologies_)
      if (known.of == of && known.name == names[kind]) return known;
    Topology& made = topologies_.emplace_back(Topology{names[kind], of, MPI_COMM_NULL, {}, {}});
    switch (kind) {
      case 0:
        // Open MPI 4.1 does not match two edges between the same ranks of a grid as the oracle
        // does.
        make_grid(made, {ranks_, 1}, {ranks_ > 2 ? 1 : 0, 0});
        break;
      case 1:
        make_grid(made, {0, 0, 0}, {0, 0, 0});
        break;
      case 2:
        make_stencil(made, true);
        break;
      case 3:
        make_stencil(made, false);
        break;
      case 4:
        make_random(made);
        break;
      default:
        make_graph(made);
    }
    plans_.choose_for(made.comm);
    return made;
  }

  void make_grid(Topology& made, std::vector<int> extents, const std::vector<int>& periods) {
    const int dimensions = static_cast<int>(extents.size());
    MPI_Dims_create(ranks_, dimensions, extents.data());
    MPI_Cart_create(made.of, dimensions, extents.data(), periods.data(), 0, &made.comm);
    for (int k = 0; k < dimensions; ++k) {
      int before = 0, behind = 0;
      MPI_Cart_shift(made.comm, k, 1, &before, &behind);
      for (const int peer : {before, behind}) made.to.push_back(peer == MPI_PROC_NULL ? -1 : peer);
    }
    made.from = made.to;
  }

  // Makes the ranks around a rank in a plane its neighbours.
  void make_stencil(Topology& made, bool periodic) {
    int extents[2] = {0, 0};
    MPI_Dims_create(ranks_, 2, extents);
    const auto add = [&](std::vector<int>& list, int y, int x) {
      y += rank_ / extents[1];
      x += rank_ % extents[1];
      if (!periodic && (y < 0 || x < 0 || y >= extents[0] || x >= extents[1])) return;
      list.push_back((y + extents[0]) % extents[0] * extents[1] + (x + extents[1]) % extents[1]);
    };
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        if (y != 0 || x != 0) {
          add(made.to, y, x);
          add(made.from, -y, -x);
        }
    make_distributed(made);
  }

  // Makes edges in any direction, to a rank itself and several times, too. In a regular call ranks
  // may have nobody.
  void make_random(Topology& made) {
    std::mt19937 random(static_cast<unsigned>(ranks_));
    for (int edge = 0; edge < 3 * ranks_; ++edge) {
      const int from = static_cast<int>(random() % static_cast<unsigned>(ranks_)),
                to = static_cast<int>(random() % static_cast<unsigned>(ranks_));
      if (from == rank_) made.to.push_back(to);
      if (to == rank_) made.from.push_back(from);
    }
    make_distributed(made);
  }

  void make_distributed(Topology& made) {
    const std::vector<int> weights(std::max(made.from.size(), made.to.size()) + 1);
    MPI_Dist_graph_create_adjacent(made.of, degree(made.from), made.from.data(), weights.data(),
                                   degree(made.to), made.to.data(), weights.data(), MPI_INFO_NULL, 0,
                                   &made.comm);
  }

  // Makes everybody a neighbour of the first, and of the next.
  void make_graph(Topology& made) {
    std::vector<int> ends, edges;
    edges.reserve(1);  // no null pointer where there are none
    for (int rank = 0; rank < ranks_; ++rank) {
      std::vector<int> peers;
      for (int peer = 0; peer < ranks_; ++peer)
        if (peer != rank && (rank == 0 || peer == 0 || peer == rank - 1 || peer == rank + 1))
          peers.push_back(peer);
      edges.insert(edges.end(), peers.begin(), peers.end());
      ends.push_back(static_cast<int>(edges.size()));
      if (rank == rank_) made.to = made.from = peers;
    }
    MPI_Graph_create(made.of, ranks_, ends.data(), edges.data(), 0, &made.comm);
  }

  std::deque<Topology> topologies_;
#endif
};

}  // namespace checking
