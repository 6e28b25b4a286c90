#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measuring/workload.hpp"
#include "tuning/worker_protocol.hpp"

namespace tutti::runtime {

/// Measures on the ranks of MPI_COMM_WORLD. All its functions are collective over them.
class Bench {
 public:
  using Request = protocol::MeasurePlans;
  struct Reply {
    std::string error;  ///< empty if all went well
    int hosts = 0;
    /// By plan and repetition, on rank 0: the slowest rank's seconds a call.
    std::vector<std::vector<double>> samples;
  };
  /// Runs the plans in turn, after a first run of each that is checked and not counted. Short operations are
  /// called many times a sample, from one root after another, so that calls can't run ahead of each other.
  Reply measure(const Request& request);

  /// What schedules are computed for from now on: the network of the world's ranks.
  void use_network(Network network);

 private:
  struct Group {
    OwnComm comm;  // MPI_COMM_NULL where this rank takes no part
    std::unique_ptr<Communicator> communicator;
  };
  Group& group(int ranks);

  void learn_network(Communicator& communicator) const;

  std::map<int, Group> groups_;
  std::optional<Network> network_;
};

}  // namespace tutti::runtime
