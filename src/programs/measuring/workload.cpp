#include "programs/measuring/workload.hpp"

#include <algorithm>
#include <numeric>

#include "programs/measuring/neighbor_workload.hpp"
#include "programs/measuring/pattern.hpp"
#include "run/mpi/pause.hpp"
#include "run/process/start_nonblocking.hpp"
#include "run/requests/driven.hpp"

namespace tutti::run {
namespace {

using Bytes = std::vector<unsigned char>;

class Barrier final : public Workload {
 public:
  using Workload::Workload;
  void fill() override {}
  bool check() const override { return true; }
};

// Operations that move blocks of bytes.
class Movement final : public Workload {
 public:
  Movement(Communicator& c, Collective collective, std::size_t size, BlockLengths lengths)
      : Workload(c, collective),
        lengths_(lengths_of(has_lengths(collective) ? lengths : BlockLengths::equal, c.ranks(),
                            size * blocks(true))),
        send_(sends_all() ? size * blocks(true) : own()),
        receive_(size * blocks(receives_all())),
        counts_(lengths_.begin(), lengths_.end()),
        displacements_(blocks(true)),
        types_(blocks(true), MPI_BYTE) {
    std::exclusive_scan(counts_.begin(), counts_.end(), displacements_.begin(), 0);
    call_ = {.sendbuf = send_.data(),
             .sendcount = static_cast<int>(own()),
             .sendcounts = Numbers(counts_.data()),
             .senddispls = Numbers(displacements_.data()),
             .sendtype = MPI_BYTE,
             .recvbuf = receive_.data(),
             .recvcount = static_cast<int>(size),
             .recvcounts = Numbers(counts_.data()),
             .recvdispls = Numbers(displacements_.data()),
             .recvtype = MPI_BYTE};
    if (has_type_a_block(collective)) call_.sendtypes = call_.recvtypes = types_.data();
  }

  void fill() override {
    set_root(0);
    std::fill(receive_.begin(), receive_.end(), static_cast<unsigned char>(0));
    if (regular() == Collective::bcast && rank() == 0) fill_pattern(receive_.data(), own(), 0, 0);
    if (!sends_all()) return fill_pattern(send_.data(), own(), rank(), 0);
    for (std::size_t i = 0; i < blocks(true); ++i)
      fill_pattern(send_.data() + offset(i), lengths_[i], rank(), static_cast<Rank>(i));
  }

  bool check() const override {
    if (regular() == Collective::gather && rank() != 0) return true;
    for (std::size_t i = 0; i < blocks(receives_all()); ++i)
      if (!holds_block(static_cast<Rank>(i))) return false;
    return true;
  }

 private:
  Collective regular() const { return traits(collective_).regular; }
  bool sends_all() const { return regular() == Collective::scatter || regular() == Collective::alltoall; }
  bool receives_all() const {
    return regular() == Collective::gather || regular() == Collective::allgather ||
           regular() == Collective::alltoall;
  }
  std::size_t blocks(bool all) const { return all ? static_cast<std::size_t>(ranks()) : 1; }

  // Where output block i comes from and which of its sender's blocks it is.
  bool holds_block(Rank i) const {
    switch (regular()) {
      case Collective::bcast:
        return holds_pattern(0, 0, 0);
      case Collective::scatter:
        return holds_pattern(0, 0, rank());
      case Collective::alltoall:
        return holds_pattern(i, i, rank());
      default:
        return holds_pattern(i, i, 0);
    }
  }

  std::size_t own() const { return lengths_[static_cast<std::size_t>(rank())]; }
  std::ptrdiff_t offset(std::size_t block) const { return displacements_[block]; }
  bool holds_pattern(Rank block, Rank from, int which) const {
    const auto i = static_cast<std::size_t>(block);
    return run::holds_pattern(receive_.data() + offset(i), lengths_[i], from, which);
  }

  std::vector<std::size_t> lengths_;  // bytes of blocks, by rank
  Bytes send_, receive_;
  std::vector<int> counts_, displacements_;
  std::vector<MPI_Datatype> types_;
};

// Sums of doubles, as programs do them; where the size is no multiple of eight, bitwise or of
// bytes.
class Reducing final : public Workload {
 public:
  Reducing(Communicator& c, Collective collective, std::size_t size)
      : Workload(c, collective), doubles_(size % sizeof(double) == 0), elements_(size / element()) {
    const auto p = static_cast<std::size_t>(ranks());
    if (collective == Collective::reduce_scatter_block) elements_ = (elements_ + p - 1) / p * p;
    for (std::size_t i = 0; i < p; ++i)
      counts_.push_back(static_cast<int>(elements_ / p + (i < elements_ % p ? 1 : 0)));
    send_.resize(elements_ * element());
    receive_.resize(elements_ * element());
    const std::size_t count = collective == Collective::reduce_scatter_block ? elements_ / p : elements_;
    call_ = {.sendbuf = send_.data(),
             .recvbuf = receive_.data(),
             .recvcount = static_cast<int>(count),
             .recvcounts = Numbers(counts_.data()),
             .recvtype = doubles_ ? MPI_DOUBLE : MPI_BYTE,
             .op = doubles_ ? MPI_SUM : MPI_BOR};
  }

  void fill() override {
    set_root(0);
    for (std::size_t i = 0; i < elements_; ++i) {
      if (doubles_)
        reinterpret_cast<double*>(send_.data())[i] = term(rank(), i);
      else
        send_[i] = bit(rank());
    }
    std::fill(receive_.begin(), receive_.end(), static_cast<unsigned char>(0));
  }

  bool check() const override {
    std::size_t first = 0, count = elements_;  // of the vector, as far as it ends up here
    Rank contributors = ranks();
    switch (traits(collective_).regular) {
      case Collective::reduce:
        if (rank() != 0) return true;
        break;
      case Collective::reduce_scatter_block:
        first = static_cast<std::size_t>(std::accumulate(counts_.begin(), counts_.begin() + rank(), 0));
        count = static_cast<std::size_t>(counts_[static_cast<std::size_t>(rank())]);
        break;
      case Collective::scan:
        contributors = rank() + 1;
        break;
      case Collective::exscan:
        contributors = rank();
        break;
      default:
        break;
    }
    if (contributors == 0) return true;
    for (std::size_t i = 0; i < count; ++i)
      if (!is_total(i, first + i, contributors)) return false;
    return true;
  }

 private:
  // Whether result i is element `at` of the vector combined from the first ranks. Small whole
  // numbers: exact in any order. The terms repeat after eight ranks.
  bool is_total(std::size_t i, std::size_t at, Rank contributors) const {
    if (!doubles_) {
      unsigned char mask = 0;
      for (Rank r = 0; r < std::min(contributors, 8); ++r) mask = static_cast<unsigned char>(mask | bit(r));
      return receive_[i] == mask;
    }
    double sum = 0;
    for (Rank r = 0; r < 8; ++r) sum += term(r, at) * ((contributors - r + 7) / 8);
    return reinterpret_cast<const double*>(receive_.data())[i] == sum;
  }

  static double term(Rank rank, std::size_t i) {
    return static_cast<double>((static_cast<std::size_t>(rank) % 8 + 1) * (i % 5 + 1));
  }
  static unsigned char bit(Rank rank) { return static_cast<unsigned char>(1 << rank % 8); }
  std::size_t element() const { return doubles_ ? sizeof(double) : 1; }

  bool doubles_;
  std::size_t elements_;
  std::vector<int> counts_;
  Bytes send_, receive_;
};

// Takes that time without a call. Long ones leave the processor to others, as they would on hosts
// of their own.
void compute(double seconds) {
#ifdef TUTTI_SIMULATED
  smpi_execute(seconds);
#else
  constexpr double surely_slept = 200e-6;
  const double end = PMPI_Wtime() + seconds;
  if (seconds > surely_slept) pause(seconds - surely_slept / 2);
  while (PMPI_Wtime() < end) {
  }
#endif
}

}  // namespace

int Workload::run_behind(const Plan& plan, double computing_s) {
  constexpr int pieces = 16;
  MPI_Request request = MPI_REQUEST_NULL;
  Decision decision{.size_max = unlimited, .plan = &plan, .label = "", .use = {}};
  if (plan.uses_memory()) communicator_.share_memory_at_once();
  if (const int error = plan.is_native() ? start_natively(collective_, communicator_.user(), call_, &request)
                                         : start_by_plan(communicator_, decision, call_,
                                                         facts_of(collective_, communicator_, call_),
                                                         make_generalized_request(), &request);
      error != MPI_SUCCESS)
    return error;
  for (int piece = 0; computing_s > 0 && piece < pieces; ++piece) {
    compute(computing_s / pieces);
    progress();
    int done = 0;
    if (const int error = PMPI_Test(&request, &done, MPI_STATUS_IGNORE); error != MPI_SUCCESS) return error;
  }
  return any_under_way() ? wait(&request, MPI_STATUS_IGNORE) : PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

double workload_bytes(Collective collective, int ranks, std::size_t size) {
  const Collective regular = traits(collective).regular;
  if (traits(collective).on_neighbors) return 2.0 * default_stencil * static_cast<double>(size);
  const bool sends_all = regular == Collective::scatter || regular == Collective::alltoall;
  const bool receives_all =
      regular == Collective::gather || regular == Collective::allgather || regular == Collective::alltoall;
  return static_cast<double>(size) * ((sends_all ? ranks : 1.0) + (receives_all ? ranks : 1.0));
}

std::unique_ptr<Workload> make_workload(Communicator& c, Collective collective, std::size_t size,
                                        BlockLengths lengths) {
  if (collective == Collective::barrier) return std::make_unique<Barrier>(c, collective);
  if (traits(collective).reduces) return std::make_unique<Reducing>(c, collective, size);
  if (traits(collective).on_neighbors) return make_neighbor_workload(c, collective, size);
  return std::make_unique<Movement>(c, collective, size, lengths);
}

}  // namespace tutti::run
