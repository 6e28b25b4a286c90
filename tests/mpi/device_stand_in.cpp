// Stands in for a library of two devices: memory that this process can't touch but through the
// library's own copies, which happen only when they are waited for on the device that they were
// begun on. Memory lies on either device in turn, half of it in pools. Built under the names of
// CUDA's driver library and, with STAND_IN_FOR_HIP, of ROCm's. With STAND_IN=mapped the processor
// can touch the memory, as an MPI library does in its ways; with STAND_IN=plain nothing can be
// pinned, and rows are copied one by one.

#include "device_stand_in.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "run/execution/cuda_rows.hpp"

namespace {

struct Region {
  std::size_t bytes;
  int device = 0;
  bool is_of_pool = false;
};
using Regions = std::map<const char*, Region>;
constexpr int devices = 2;
Regions device, pinned;
std::vector<std::function<void()>> under_way[devices];
StandInCounts counts;
int allocations = 0;

bool is(const char* mode) {
  const char* set = std::getenv("STAND_IN");
  return set && std::string_view(set) == mode;
}

const Region* region_in(const Regions& regions, const void* address, std::size_t bytes = 1) {
  const auto* at = static_cast<const char*>(address);
  const auto next = regions.upper_bound(at);
  if (next == regions.begin()) return nullptr;
  const auto& [begin, region] = *std::prev(next);
  return at + bytes <= begin + region.bytes ? &region : nullptr;
}

#ifdef STAND_IN_FOR_HIP
// Every thread has a device.
thread_local int thread_device = 0;

int device_of_thread() {
  return thread_device;
}
void use_some_device() {}
#else
// Threads get their first device with their first memory.
constexpr int none = -1;
thread_local std::vector<int> entered;

int device_of_thread() {
  return entered.empty() ? none : entered.back();
}
void use_some_device() {
  if (entered.empty()) entered.push_back(0);
}
#endif

void protect(int how) {
  if (is("mapped")) return;
  for (const auto& [begin, region] : device) mprotect(const_cast<char*>(begin), region.bytes, how);
}

void copy(void* into, const void* from, std::size_t width, std::size_t count = 1, std::size_t into_pitch = 0,
          std::size_t from_pitch = 0) {
  protect(PROT_READ | PROT_WRITE);
  for (std::size_t row = 0; row < count; ++row)
    std::memmove(static_cast<char*>(into) + row * into_pitch,
                 static_cast<const char*>(from) + row * from_pitch, width);
  protect(PROT_NONE);
}

void begin(void* into, const void* from, std::size_t width, std::size_t count = 1, std::size_t into_pitch = 0,
           std::size_t from_pitch = 0) {
  ++counts.copies;
  counts.strided += count > 1;
  for (const auto& [address, pitch] :
       {std::pair<const void*, std::size_t>(into, into_pitch), {from, from_pitch}})
    if (!region_in(device, address) && !region_in(pinned, address, (count - 1) * pitch + width))
      ++counts.unpinned_copies;
  // A copy from one device to another belongs on the first.
  const Region *source = region_in(device, from), *target = region_in(device, into);
  const Region* const on = source ? source : target;
  counts.astray += on && on->device != device_of_thread();
  under_way[device_of_thread()].push_back([=] { copy(into, from, width, count, into_pitch, from_pitch); });
}

int complete() {
  for (const auto& one : under_way[device_of_thread()]) one();
  under_way[device_of_thread()].clear();
  return 0;
}

constexpr int invalid_value = 1;

int pin(void* memory, std::size_t bytes) {
  if (is("plain")) return invalid_value;
  pinned[static_cast<char*>(memory)] = {bytes};
  counts.pinned = static_cast<long>(pinned.size());
  counts.most_pinned = counts.pinned > counts.most_pinned ? counts.pinned : counts.most_pinned;
  return 0;
}

int unpin(void* memory) {
  const bool was = pinned.erase(static_cast<char*>(memory)) == 1;
  counts.pinned = static_cast<long>(pinned.size());
  return was ? 0 : invalid_value;
}

}  // namespace

extern "C" {

void* stand_in_allocate(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  const std::size_t whole = (bytes / page + 1) * page;
  const int how = is("mapped") ? PROT_READ | PROT_WRITE : PROT_NONE;
  auto* const begin = static_cast<char*>(mmap(nullptr, whole, how, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  device[begin] = {whole, allocations % devices, allocations / devices % 2 == 1};
  ++allocations;
  use_some_device();
  return begin;
}
void stand_in_free(void* begin) {
  munmap(begin, device[static_cast<char*>(begin)].bytes);
  device.erase(static_cast<char*>(begin));
}
void stand_in_copy(void* into, const void* from, std::size_t bytes) {
  for (const auto& list : under_way) counts.late += static_cast<long>(list.size());
  copy(into, from, bytes);
}
StandInCounts stand_in_counts() {
  return counts;
}
int stand_in_device_of_thread() {
  return device_of_thread();
}

#ifdef STAND_IN_FOR_HIP
struct hipPointerAttribute_t {
  int kind, device;
  void *device_address, *host_address;
  int managed;
  unsigned flags;
};
int hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* address) {
  const Region* const region = region_in(device, address);
  if (!region) return invalid_value;
  *attributes = {2, region->device, const_cast<void*>(address), nullptr, 0, 0};
  return 0;
}
int hipGetDevice(int* into) {
  *into = thread_device;
  return 0;
}
int hipSetDevice(int number) {
  thread_device = number;
  return 0;
}
int hipMemcpyAsync(void* into, const void* from, std::size_t bytes, int, void*) {
  begin(into, from, bytes);
  return 0;
}
int hipMemcpy2DAsync(void* into, std::size_t into_pitch, const void* from, std::size_t from_pitch,
                     std::size_t width, std::size_t count, int, void*) {
  if (is("plain")) return invalid_value;
  begin(into, from, width, count, into_pitch, from_pitch);
  return 0;
}
int hipStreamSynchronize(void*) {
  return complete();
}
int hipHostRegister(void* memory, std::size_t bytes, unsigned) {
  return pin(memory, bytes);
}
int hipHostUnregister(void* memory) {
  return unpin(memory);
}
#else
namespace {

char contexts[devices];

int number_of(const void* context) {
  return static_cast<int>(static_cast<const char*>(context) - contexts);
}

void* address(const tutti::run::CudaPlace& place) {
  return place.kind == tutti::run::cuda_host ? const_cast<void*>(place.host)
                                             : reinterpret_cast<void*>(place.device);
}

}  // namespace

constexpr int invalid_context = 201;

int cuPointerGetAttribute(void* data, int attribute, std::uint64_t address) {
  constexpr int of_context = 1, of_memory_type = 2, of_device = 9;
  const Region* const region = region_in(device, reinterpret_cast<void*>(address));
  if (!region) return invalid_value;
  if (attribute == of_memory_type)
    *static_cast<unsigned*>(data) = 2;
  else if (attribute == of_context)
    *static_cast<void**>(data) = region->is_of_pool ? nullptr : &contexts[region->device];
  else if (attribute == of_device)
    *static_cast<int*>(data) = region->device;
  else
    return invalid_value;
  return 0;
}
int cuMemcpyAsync(std::uint64_t into, std::uint64_t from, std::size_t bytes, void*) {
  if (entered.empty()) return invalid_context;
  begin(reinterpret_cast<void*>(into), reinterpret_cast<void*>(from), bytes);
  return 0;
}
int cuMemcpy2DAsync_v2(const tutti::run::CudaRows* rows, void*) {
  if (entered.empty()) return invalid_context;
  if (is("plain") || rows->from.pitch < rows->width || rows->into.pitch < rows->width) return invalid_value;
  begin(address(rows->into), address(rows->from), rows->width, rows->count, rows->into.pitch,
        rows->from.pitch);
  return 0;
}
int cuStreamSynchronize(void*) {
  return entered.empty() ? invalid_context : complete();
}
int cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned) {
  return entered.empty() ? invalid_context : pin(memory, bytes);
}
int cuMemHostUnregister(void* memory) {
  return unpin(memory);
}
int cuCtxGetCurrent(void** into) {
  *into = entered.empty() ? nullptr : &contexts[entered.back()];
  return 0;
}
int cuCtxPushCurrent_v2(void* pushed) {
  entered.push_back(number_of(pushed));
  return 0;
}
int cuCtxPopCurrent_v2(void** popped) {
  if (entered.empty()) return invalid_context;
  *popped = &contexts[entered.back()];
  entered.pop_back();
  return 0;
}
int cuCtxGetDevice(int* into) {
  if (entered.empty()) return invalid_context;
  *into = entered.back();
  return 0;
}
int cuDevicePrimaryCtxRetain(void** into, int number) {
  *into = &contexts[number];
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  return 0;
}
#endif
}
