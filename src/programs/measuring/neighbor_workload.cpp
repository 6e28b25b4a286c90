#include "programs/measuring/neighbor_workload.hpp"

#include <algorithm>

#include "programs/measuring/pattern.hpp"

namespace tutti::run {
namespace {

using Edge = Neighborhood::Edge;

class NeighborWorkload final : public Workload {
 public:
  NeighborWorkload(Communicator& c, Collective collective, std::size_t size)
      : Workload(c, collective),
        size_(size),
        all_get_one_(traits(collective).regular == Collective::neighbor_allgather),
        send_(size * static_cast<std::size_t>(all_get_one_ ? 1 : own().out_blocks)),
        receive_(size * static_cast<std::size_t>(own().in_blocks)) {
    const auto blocks = static_cast<std::size_t>(c.topology()->blocks());
    counts_.assign(blocks, static_cast<int>(size));
    types_.assign(blocks, MPI_BYTE);
    for (std::size_t i = 0; i < blocks; ++i) {
      displacements_.push_back(static_cast<int>(i * size));
      addresses_.push_back(static_cast<MPI_Aint>(i * size));
    }
    const bool typed = has_type_a_block(collective);
    const Numbers displacements = typed ? Numbers(addresses_.data(), true) : Numbers(displacements_.data());
    call_ = {.sendbuf = send_.data(),
             .sendcount = static_cast<int>(size),
             .sendcounts = Numbers(counts_.data()),
             .senddispls = displacements,
             .sendtype = MPI_BYTE,
             .sendtypes = typed ? types_.data() : nullptr,
             .recvbuf = receive_.data(),
             .recvcount = static_cast<int>(size),
             .recvcounts = Numbers(counts_.data()),
             .recvdispls = displacements,
             .recvtype = MPI_BYTE,
             .recvtypes = typed ? types_.data() : nullptr};
  }

  void fill() override {
    std::fill(receive_.begin(), receive_.end(), static_cast<unsigned char>(0));
    for (std::size_t i = 0; i * size_ < send_.size(); ++i)
      fill_pattern(send_.data() + i * size_, size_, rank(), static_cast<int>(i));
  }

  bool check() const override {
    return std::ranges::all_of(own().in, [this](const Edge& edge) {
      const Edge from = communicator_.topology_for({collective_})->origin(rank(), edge);
      return holds_pattern(receive_.data() + at(edge.block), size_, from.peer, all_get_one_ ? 0 : from.block);
    });
  }

#ifdef TUTTI_SIMULATED
  int run_natively() override {
    std::vector<MPI_Request> requests;
    const auto bytes = static_cast<int>(size_);
    const MPI_Comm comm = communicator_.user();
    for (const Edge& edge : own().in)
      PMPI_Irecv(receive_.data() + at(edge.block), bytes, MPI_BYTE, edge.peer, 0, comm,
                 &requests.emplace_back());
    for (const Edge& edge : own().out)
      PMPI_Isend(send_.data() + (all_get_one_ ? 0 : at(edge.block)), bytes, MPI_BYTE, edge.peer, 0, comm,
                 &requests.emplace_back());
    return PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
#endif

 private:
  const Neighborhood& own() const {
    return (*communicator_.topology())[rank()];
  }
  std::size_t at(int block) const {
    return static_cast<std::size_t>(block) * size_;
  }

  std::size_t size_;
  bool all_get_one_;
  std::vector<unsigned char> send_, receive_;
  std::vector<int> counts_, displacements_;
  std::vector<MPI_Aint> addresses_;
  std::vector<MPI_Datatype> types_;
};

#ifdef TUTTI_SIMULATED
MPI_Comm made(Communicator& ranks, const Neighborhood&) {
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(ranks.user(), &comm);
  return comm;
}
#else
MPI_Comm made(Communicator& ranks, const Neighborhood& own) {
  const auto peers = [](const std::vector<Edge>& edges) {
    std::vector<Rank> list;
    for (const Edge& edge : edges) list.push_back(edge.peer);
    return list;
  };
  const auto out = peers(own.out), in = peers(own.in);
  const std::vector<int> weights(std::max(in.size(), out.size()) + 1);
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Dist_graph_create_adjacent(ranks.user(), static_cast<int>(in.size()), in.data(), weights.data(),
                                  static_cast<int>(out.size()), out.data(), weights.data(), MPI_INFO_NULL, 0,
                                  &comm);
  return comm;
}
#endif

}  // namespace

NeighborComm::NeighborComm(Communicator& ranks, Topology topology)
    : comm_(made(ranks, topology[ranks.rank()])), own_(std::make_unique<Communicator>(comm_.get())) {
  own_->send_on_users();
  own_->hosts() = ranks.hosts();
  own_->in_hosts() = ranks.in_hosts();
#ifdef TUTTI_SIMULATED
  own_->use_topology(std::move(topology));
#else
  own_->find_topology();  // in the library's order
#endif
}

std::unique_ptr<Workload> make_neighbor_workload(Communicator& communicator, Collective collective,
                                                 std::size_t size) {
  return std::make_unique<NeighborWorkload>(communicator, collective, size);
}

}  // namespace tutti::run
