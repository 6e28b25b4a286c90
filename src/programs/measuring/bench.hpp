#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "choose/offline/worker_protocol.hpp"
#include "programs/measuring/neighbor_workload.hpp"
#include "programs/measuring/trees.hpp"

namespace tutti::run {

/// Measures on the ranks of MPI_COMM_WORLD. All its functions are collective over them.
class Bench {
 public:
  /// Everybody's communicator, whose hosts are known and on which plans can run.
  explicit Bench(Communicator& everybody) : everybody_(everybody) {}

  using Request = protocol::MeasurePlans;
  struct Reply {
    std::string error;     ///< empty if all went well
    std::string left_out;  ///< why nothing was measured; empty if something was
    int hosts = 0;         ///< of one group
    /// By plan and repetition, on rank 0: the slowest rank's seconds a call.
    std::vector<std::vector<double>> samples;
    std::vector<std::vector<double>> leaves;  ///< there too: see Measurer::Samples::leaves_s
  };
  /// Runs the plans in turn, after a first run of each that is checked: on the first ranks, or in
  /// all of the request's groups at once. Short operations are called many times a sample, from one
  /// root after another, so that calls can't run ahead of each other. Plans whose first run would
  /// begin after the time is up, but for the first two, have no samples. What needs more than half
  /// of a host's memory is left out.
  Reply measure(const Request& request);

  /// Measures the MPI library's own algorithms (library_bench.hpp). The first ranks know the
  /// samples.
  LibrarySamples measure(const protocol::MeasureLibrary& request);

  /// What schedules are computed for from now on: the network of the world's ranks.
  void use_network(Network network);

 private:
  struct Group {
    OwnComm comm;
    std::unique_ptr<Communicator> own;  // null where this rank is in none of the groups
    std::vector<Rank> ranks;            // of this rank's own
  };
  Communicator* first(int ranks);
  Communicator& among_neighbors(const Point& point, Communicator& ranks);
  Communicator* group(const std::vector<std::vector<Rank>>& groups);
  void learn_network(Communicator& communicator, const std::vector<Rank>& ranks) const;

  Communicator& everybody_;
  std::map<std::vector<std::vector<Rank>>, Group> groups_;
  std::map<std::pair<const Communicator*, int>, NeighborComm> neighbors_;  // by points of the stencil
  std::optional<Network> network_;
};

}  // namespace tutti::run
