#include "transport/waiting.hpp"

#include <sched.h>

namespace tutti::runtime {
namespace {

constexpr int spins = 2;             // looks before the processor is let go, where ranks outnumber them
constexpr int between_drives = 256;  // looks; as many yields take some time longer

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
  if (looks_ % between_drives != 0) return MPI_SUCCESS;
  int flag = 0;
  return PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, MPI_STATUS_IGNORE);
}

}  // namespace tutti::runtime
