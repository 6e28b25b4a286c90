#include "run/transport/process_memory.hpp"

#include <sys/uio.h>

namespace tutti::run {
namespace {

// Calls process_vm_readv or process_vm_writev until all is copied.
template <typename Copy>
bool copy_all(Copy copy, pid_t process, std::uintptr_t address, std::size_t bytes, char* here) {
  while (bytes > 0) {
    const iovec own{here, bytes}, other{reinterpret_cast<void*>(address), bytes};
    const ssize_t copied = copy(process, &own, 1, &other, 1, 0);
    if (copied <= 0) return false;
    here += copied;
    address += static_cast<std::size_t>(copied);
    bytes -= static_cast<std::size_t>(copied);
  }
  return true;
}

}  // namespace

bool read_memory_of(pid_t process, std::uintptr_t address, std::size_t bytes, char* into) {
  return copy_all(process_vm_readv, process, address, bytes, into);
}

bool write_memory_of(pid_t process, std::uintptr_t address, std::size_t bytes, const char* from) {
  return copy_all(process_vm_writev, process, address, bytes, const_cast<char*>(from));
}

}  // namespace tutti::run
