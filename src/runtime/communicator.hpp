#pragma once

#include <map>
#include <memory>

#include "execution/program_cache.hpp"
#include "plan/plan.hpp"
#include "runtime/adaptation.hpp"
#include "runtime/neighbors.hpp"
#include "runtime/workspace.hpp"
#include "synthesis/known_network.hpp"

namespace tutti::runtime {

#ifdef TUTTI_SIMULATED
/// In a simulation ranks begin at the same time, and times repeat exactly: one call says all. All of them are
/// processes of this host, but what they say to each other goes through the simulated network.
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif
/// Whether ranks of one host may share memory.
inline constexpr bool may_share_memory = !simulated;

/// What the memory that ranks of a host share may occupy, for each communicator: bytes.
inline std::size_t host_memory_limit = std::size_t{256} << 20;

/// Tags, one after the other.
struct Tags {
  int first, count;
};

/// What running plans on one of the user's intracommunicators needs: a hidden communicator with the same
/// ranks, made when the first plan runs; bound programs; memory.
class Communicator {
 public:
  explicit Communicator(MPI_Comm user);

  MPI_Comm user() const { return user_; }
  Rank rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// Which host each rank is on; empty until it is known.
  Hosts& hosts() { return hosts_; }
  const Hosts& hosts() const { return hosts_; }

  /// What schedules are computed for; programs that were bound for another network are forgotten.
  void use_network(std::shared_ptr<const KnownNetwork> network);

  /// Measures the network between the ranks again from time to time.
  void adapt_every(double interval_s, Network network) {
    adaptation_ = std::make_unique<Adaptation>(std::move(network), interval_s);
  }
  /// Before a call by a computed plan: collective. Whether there is another network now.
  bool adapt();

  /// What plans have to serve here.
  Setting setting(bool commutative = true) const {
    return {.ranks = ranks_,
            .commutative = commutative,
            .hosts = &hosts_,
            .network = network_.get(),
            .has_memory = may_share_memory,
            .topology = topology(),
            .needs_connections = !simulated};
  }

  /// The hidden communicator, or MPI_COMM_NULL on all ranks if one of them could not make it. The first call
  /// is collective.
  MPI_Comm hidden() {
    if (!tried_) make_hidden();
    return is_ours_ ? user_ : hidden_.get();
  }
  /// Whether there is one, so that no collective is needed.
  bool has_hidden() const { return is_ours_ || hidden_; }
  /// Of a communicator that nobody else sends messages on: it hides nothing, plans run on it.
  void serve_as_hidden();

  /// Who is whose neighbour; null where there are none, and until it is known.
  const Topology* topology() const { return neighbors_ ? &neighbors_->topology() : nullptr; }
  /// The same with several edges between the same ranks as the MPI library's own function matches them.
  const Topology* topology_for(Called called) {
    return neighbors_ ? neighbors_->as_matched_by(called) : nullptr;
  }
  /// Whether that was looked for.
  bool knows_topology() const { return knows_topology_; }
  /// Finds it out: collective, the first time.
  void find_topology();
  void use_topology(Topology topology);

  /// A communicator of some of the ranks, for native phases; collective among them, cached.
  MPI_Comm group_comm(const std::vector<Rank>& group);

  /// Memory shared with the ranks of this host. Null before `share_memory` was called, and where there is
  /// none.
  HostMemory* memory() { return memory_ && *memory_ ? memory_.get() : nullptr; }
  const HostMemory* memory() const { return memory_ && *memory_ ? memory_.get() : nullptr; }
  /// Whether `share_memory` was called since this was last asked.
  bool has_news_of_memory() { return std::exchange(news_of_memory_, false); }
  /// The first call is collective.
  void share_memory();

  ProgramCache& programs() { return programs_; }
  /// Those of nonblocking calls, which other threads may drive.
  ProgramCache& programs_without_memory() { return programs_without_memory_; }
  const ProgramCache& programs() const { return programs_; }
  /// That of blocking calls.
  Workspace& workspace() { return workspace_; }
  const Workspace& workspace() const { return workspace_; }

  /// How many tags there are for nonblocking calls, and so many of them for the messages of one more. All
  /// ranks start these in one order, so that they give each the same. Blocking calls count from 0 on.
  int tags() const;
  Tags next_tags(int count);
  /// So many of them for good: for a request that is started again and again, on each rank when it likes.
  Tags keep_tags(int count);

 private:
  void make_hidden();

  MPI_Comm user_;
  Rank rank_ = 0;
  int ranks_ = 0;
  Hosts hosts_;
  std::shared_ptr<const KnownNetwork> network_;
  std::unique_ptr<Adaptation> adaptation_;
  bool tried_ = false, is_ours_ = false;
  OwnComm hidden_;
  std::map<std::vector<Rank>, OwnComm> groups_;
  std::unique_ptr<HostMemory> memory_;
  bool news_of_memory_ = false;
  ProgramCache programs_, programs_without_memory_;
  Workspace workspace_;
  int tags_given_ = 0, tags_kept_ = 0;
  bool knows_topology_ = false;
  std::optional<Neighbors> neighbors_;
};

}  // namespace tutti::runtime
