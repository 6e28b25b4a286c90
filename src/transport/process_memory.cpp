#include "transport/process_memory.hpp"

#include <sys/uio.h>

namespace tutti::runtime {

bool read_memory_of(pid_t process, std::uintptr_t address, std::size_t bytes, char* into) {
  while (bytes > 0) {
    const iovec here{into, bytes}, there{reinterpret_cast<void*>(address), bytes};
    const ssize_t got = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (got <= 0) return false;
    const auto read = static_cast<std::size_t>(got);
    into += read;
    address += read;
    bytes -= read;
  }
  return true;
}

}  // namespace tutti::runtime
