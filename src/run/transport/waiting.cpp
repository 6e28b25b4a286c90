#include "run/transport/waiting.hpp"

#include <sched.h>

#include "run/transport/constants.hpp"

namespace tutti::run {
namespace {

inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

}  // namespace

int Waiting::pause() {
  ++looks_;
  if (crowded_ && looks_ > transport::spins)
    sched_yield();
  else
    relax();
  if (looks_ < (crowded_ ? transport::before_drives_crowded : transport::before_drives) ||
      looks_ % transport::between_drives != 0)
    return MPI_SUCCESS;
  if (const int error = trouble_ ? trouble_->load(std::memory_order_relaxed) : MPI_SUCCESS;
      error != MPI_SUCCESS)
    return error;
  // Libraries drive messages on only where a probe finds none. No rank sends itself any here.
  int own_rank = 0, flag = 0;
  PMPI_Comm_rank(comm_, &own_rank);
  return PMPI_Iprobe(own_rank, MPI_ANY_TAG, comm_, &flag, MPI_STATUS_IGNORE);
}

}  // namespace tutti::run
