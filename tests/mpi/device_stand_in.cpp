// Stands in for a device's library: memory that this process can't touch but through the library's own
// copies. Built under the names of CUDA's driver library and, with STAND_IN_FOR_HIP, of ROCm's.

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>

namespace {

std::map<char*, std::size_t>& regions() {
  static std::map<char*, std::size_t> all;
  return all;
}

bool holds(const void* address) {
  const auto next = regions().upper_bound(static_cast<char*>(const_cast<void*>(address)));
  if (next == regions().begin()) return false;
  const auto& [begin, bytes] = *std::prev(next);
  return static_cast<const char*>(address) < begin + bytes;
}

void protect(int how) {
  for (const auto& [begin, bytes] : regions()) mprotect(begin, bytes, how);
}

void copy(void* into, const void* from, std::size_t bytes) {
  protect(PROT_READ | PROT_WRITE);
  std::memmove(into, from, bytes);
  protect(PROT_NONE);
}

}  // namespace

extern "C" {

void* stand_in_allocate(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  const std::size_t whole = (bytes / page + 1) * page;
  auto* const begin = static_cast<char*>(mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  regions()[begin] = whole;
  return begin;
}
void stand_in_free(void* begin) {
  munmap(begin, regions()[static_cast<char*>(begin)]);
  regions().erase(static_cast<char*>(begin));
}
void stand_in_copy(void* into, const void* from, std::size_t bytes) {
  copy(into, from, bytes);
}

#ifdef STAND_IN_FOR_HIP
struct hipPointerAttribute_t {
  int kind, device;
  void *device_address, *host_address;
  int managed;
  unsigned flags;
};
int hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* address) {
  constexpr int invalid_value = 1;
  if (!holds(address)) return invalid_value;
  *attributes = {2, 0, const_cast<void*>(address), nullptr, 0, 0};
  return 0;
}
int hipMemcpy(void* into, const void* from, std::size_t bytes, int) {
  copy(into, from, bytes);
  return 0;
}
#else
int cuPointerGetAttribute(void* data, int attribute, std::uint64_t address) {
  constexpr int invalid_value = 1, memory_type = 2;
  constexpr unsigned device = 2;
  if (attribute != memory_type || !holds(reinterpret_cast<void*>(address))) return invalid_value;
  *static_cast<unsigned*>(data) = device;
  return 0;
}
int cuMemcpy(std::uint64_t into, std::uint64_t from, std::size_t bytes) {
  copy(reinterpret_cast<void*>(into), reinterpret_cast<void*>(from), bytes);
  return 0;
}
#endif
}
