#pragma once

#include <cstddef>

#include "core/schedule/collective.hpp"
#include "run/mpi/handles.hpp"
#include "run/transport/host_memory.hpp"
#include "run/transport/waiting.hpp"

namespace tutti::run {

/// What one rank gives to a reduction, and gets.
struct Vectors {
  const char* from = nullptr;
  char* into = nullptr;  ///< null where it gets nothing; may be the same as `from`
  std::size_t elements = 0;
  std::size_t element = 1;  ///< bytes of one, which has no gaps
  MPI_Datatype type = MPI_BYTE;
  MPI_Op op = MPI_OP_NULL;  ///< operands may change places
};

/// A collective of all ranks of a host in the memory that they share, in stages
/// (run/transport/stages.hpp).
///
/// A barrier is a stage. In reductions everyone shows what it gives. Of short vectors everyone
/// combines all; of longer ones each rank combines a slice and shows the result, chunk by chunk. An
/// element's operands are combined in one order, whoever looks at it. Lengths that differ are
/// MPI_ERR_TRUNCATE on all ranks.
class InMemory {
 public:
  InMemory(HostMemory& memory, MPI_Comm comm)
      : memory_(memory), shared_(memory.stage_memory()), comm_(comm) {}

  /// A barrier, reduce or allreduce. Returns MPI's error code.
  int carry_out(Collective collective, const Vectors& vectors);

 private:
  struct Slice {
    std::size_t begin, end;  // elements
  };

  int meet();
  int meet_with(std::size_t bytes);
  int see(int rank);
  int combine_all(const Vectors& vectors);
  int combine_slices(const Vectors& chunk, std::size_t whole);  // bytes of all chunks
  Slice slice(int rank, std::size_t elements) const;
  int ranks() const { return static_cast<int>(memory_.ranks()); }
  int me() const { return memory_.own_number(); }
  // A rank's place in this stage.
  char* place(int rank) { return shared_.place(rank, stages().place()); }
  Stages<std::uint64_t>& stages() { return memory_.stages(); }

  HostMemory& memory_;
  StageMemory& shared_;
  MPI_Comm comm_;
};

}  // namespace tutti::run
