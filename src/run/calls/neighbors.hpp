#pragma once

#include <map>
#include <optional>

#include "core/schedule/topology.hpp"
#include "run/mpi/call.hpp"

namespace tutti::run {

/// Who is whose neighbour in one of the user's communicators.
class Neighbors {
 public:
  /// Where nobody asks the MPI library: edges belong together as they are.
  explicit Neighbors(Topology topology) : topology_(std::move(topology)) {}

  /// Whether each rank finds out by itself who is whose neighbour in a communicator: not where
  /// MPI_Dist_graph_create has made it, of which each knows its own.
  static bool are_known_to_all(MPI_Comm comm);

  /// Neighbours in a communicator that MPI_Cart_create, MPI_Graph_create or MPI_Dist_graph_create
  /// has made. Nothing, on all ranks, where there are no neighbours, or too many of them.
  /// Collective, unless they are known to all.
  static std::optional<Neighbors> in(MPI_Comm comm, int ranks);

  /// The topology with several edges between the same ranks as they are listed.
  const Topology& topology() const { return topology_; }

  /// The topology with such edges in the order in which the library's own function matches them,
  /// for functions differ: of one library, and blocking and nonblocking ones. Null if nobody knows.
  const Topology* as_matched_by(Called called) const;

 private:
  enum class Kind { given, grid, graph };
  Neighbors(Topology topology, Kind kind);

  Topology topology_;
  Kind kind_ = Kind::given;
  std::map<EdgeOrder, Topology> in_other_orders_;  // none where no edges are repeated
};

}  // namespace tutti::run
