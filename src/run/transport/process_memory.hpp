#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace tutti::run {

/// Copies out of another process' memory, without a copy between. Returns whether it could: a
/// system may not allow it, and some memory can't be read so.
bool read_memory_of(pid_t process, std::uintptr_t address, std::size_t bytes, char* into);
/// Copies into another process' memory, without a copy between. Returns whether it could.
bool write_memory_of(pid_t process, std::uintptr_t address, std::size_t bytes, const char* from);

}  // namespace tutti::run
