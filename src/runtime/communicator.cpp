#include "runtime/communicator.hpp"

#include <algorithm>

#include "mpi/errors_returned.hpp"
#include "mpi/hosts.hpp"
#include "mpi/tags.hpp"

namespace tutti::runtime {
Communicator::Communicator(MPI_Comm user) : user_(user) {
  PMPI_Comm_rank(user, &rank_);
  PMPI_Comm_size(user, &ranks_);
}

// MPI_Comm_create and not MPI_Comm_dup: it copies no attributes, so that no callback of the user's runs.
void Communicator::make_hidden() {
  tried_ = true;
  const ErrorsReturned errors_returned(user_);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_group(user_, &group);
  int well = PMPI_Comm_create(user_, group, &made) == MPI_SUCCESS && made != MPI_COMM_NULL;
  PMPI_Group_free(&group);
  if (well) {
    hidden_ = OwnComm(made);
    PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  }
  // Communicators can run short on some ranks only: all have to know.
  int all_well = 0;
  native().allreduce(&well, &all_well, 1, MPI_INT, MPI_MIN, user_);
  if (!all_well) hidden_.reset();
}

void Communicator::serve_as_hidden() {
  tried_ = is_ours_ = true;
  PMPI_Comm_set_errhandler(user_, MPI_ERRORS_RETURN);
}

void Communicator::use_network(std::shared_ptr<const KnownNetwork> network) {
  if (network_ && network && network_->fingerprint == network->fingerprint) return;
  network_ = std::move(network);
  programs_.clear();
  programs_without_memory_.clear();
}

bool Communicator::adapt() {
  if (!adaptation_) return false;
  auto now = adaptation_->before_call(hidden(), *network_);
  if (!now) return false;
  use_network(std::move(now));
  return true;
}

namespace {

// Of calls that return at once.
int all_tags() {
  constexpr int most = 1 << 27;
  return std::min(highest_tag() / 2, most);
}

}  // namespace

Tags Communicator::next_tags(int count) {
  if (tags_given_ > tags() - count) tags_given_ = 0;
  return {highest_tag() - all_tags() + std::exchange(tags_given_, tags_given_ + count), count};
}

int Communicator::tags() const {
  return all_tags() - tags_kept_;
}

Tags Communicator::keep_tags(int count) {
  tags_kept_ += count;
  return {highest_tag() - tags_kept_, count};
}

void Communicator::find_topology() {
  if (knows_topology_) return;
#ifndef TUTTI_SIMULATED  // SimGrid has grids, but calls nobody a neighbour
  neighbors_ = Neighbors::in(user_, ranks_);
#endif
  knows_topology_ = true;
}

void Communicator::use_topology(Topology topology) {
  neighbors_.emplace(std::move(topology));
  knows_topology_ = true;
}

MPI_Comm Communicator::group_comm(const std::vector<Rank>& group) {
  if (static_cast<int>(group.size()) == ranks_ && std::is_sorted(group.begin(), group.end())) return hidden();
  OwnComm& comm = groups_[group];
  if (!comm) {
    MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    PMPI_Comm_group(hidden(), &all);
    PMPI_Group_incl(all, static_cast<int>(group.size()), group.data(), &some);
    PMPI_Comm_create_group(hidden(), some, 0, &made);
    PMPI_Group_free(&some);
    PMPI_Group_free(&all);
    comm = OwnComm(made);
  }
  return comm.get();
}

void Communicator::share_memory() {
  if (memory_) return;
  if (hosts_.empty()) hosts_ = hosts_of(hidden());
  std::vector<Rank> here;
  for (Rank rank = 0; rank < ranks_; ++rank)
    if (hosts_[static_cast<std::size_t>(rank)] == hosts_[static_cast<std::size_t>(rank_)])
      here.push_back(rank);
  memory_ = std::make_unique<HostMemory>(here.size() > 1 ? group_comm(here) : MPI_COMM_NULL, here,
                                         host_memory_limit);
  news_of_memory_ = true;
}

}  // namespace tutti::runtime
