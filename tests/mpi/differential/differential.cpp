// Draws random collective calls and compares every result with an oracle: for data that are moved the MPI
// library's own operation (support.hpp), for reductions a computation by hand. Data and
// integers have to be equal bit for bit, gaps included; floating-point sums within the bound of reordering,
// and those of an allreduce the same bits on all ranks.
//
// Usage: differential CALLS SEED. All ranks draw the same calls. Exit status 1 and a line for the first
// difference.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "reductions.hpp"

namespace differential {
namespace {

class Differential : public Reductions {
 public:
  Differential(int calls, unsigned seed) : Reductions(seed), calls_(calls), seed_(seed) {}

  int run() {
    for (call_ = 0; call_ < calls_ && failure_.empty(); ++call_) {
      // Every rank draws the same, also what only some of them use. One call of each kind on all ranks comes
      // first, so that a plan has something to do however few calls there are.
      const auto call = static_cast<std::size_t>(call_);
      first_calls_ = call < std::size(kinds);
      const std::size_t comm = first_calls_ ? 0 : draw(comms_.size());
      const std::size_t kind = first_calls_ ? call : draw(std::size(kinds));
      const auto data_seed = static_cast<unsigned>(random_());
      const std::mt19937 before = random_;
      if (comms_[comm] != MPI_COMM_NULL) {
        comm_ = comms_[comm];
        MPI_Comm_size(comm_, &ranks_);
        MPI_Comm_rank(comm_, &rank_);
        shared_seed_ = data_seed;
        own_seed_ = data_seed + static_cast<unsigned>(rank_) * 7919;
        large_ = draw(4) == 0;
        (this->*kinds[kind])();
      }
      random_ = before;
      random_.discard(64);
      if (anyone_failed()) return 1;
    }
    free_all();
    return 0;
  }

 private:
  bool anyone_failed() {
    int bad = !failure_.empty(), any = 0;
    TUTTI_ORACLE(Allreduce, Iallreduce)(&bad, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (bad)
      std::fprintf(stderr, "differential: seed %u, call %d, world rank %d: %s\n", seed_, call_, world_rank_,
                   failure_.c_str());
    return any != 0;
  }

  using Kind = void (Differential::*)();
  static constexpr Kind kinds[] = {&Differential::barrier,
                                   &Differential::bcast,
                                   &Differential::gather,
                                   &Differential::gatherv,
                                   &Differential::scatter,
                                   &Differential::scatterv,
                                   &Differential::allgather,
                                   &Differential::allgatherv,
                                   &Differential::alltoall,
                                   &Differential::alltoallv,
                                   &Differential::reduce,
                                   &Differential::allreduce,
                                   &Differential::reduce_scatter_block,
                                   &Differential::reduce_scatter,
                                   &Differential::scan,
                                   &Differential::exscan};

  int calls_;
  unsigned seed_;
  int call_ = 0;
};

}  // namespace
}  // namespace differential

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) return 2;
  const int status =
      differential::Differential(std::atoi(argv[1]), static_cast<unsigned>(std::atoi(argv[2]))).run();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && status == 0) std::printf("differential: %s calls agree, seed %s\n", argv[1], argv[2]);
  MPI_Finalize();
  return status;
}
