#include "run/transport/waiting.hpp"

#include <sched.h>

namespace tutti::run {
namespace {

constexpr int spins = 2;  // looks before the processor is let go, where ranks outnumber them
// Looks before MPI is driven, and between two times after that: what comes at once is not kept from being
// seen, and of a wait that lasts as many looks go to MPI as to memory. Others may need this rank for messages
// and accesses of the program's own, and would have to wait as long as there is no look.
constexpr int before_drives = 64, before_drives_crowded = 24, between_drives = 2;

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
  if (crowded_ && looks_ > spins)
    sched_yield();
  else
    relax();
  if (looks_ < (crowded_ ? before_drives_crowded : before_drives) || looks_ % between_drives != 0)
    return MPI_SUCCESS;
  int flag = 0;
  return PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, MPI_STATUS_IGNORE);
}

}  // namespace tutti::run
