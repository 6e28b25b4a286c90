#include "run/execution/device.hpp"

#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "run/execution/cuda_rows.hpp"
#include "run/mpi/loaded_mpi.hpp"
#include "run/mpi/loaded_objects.hpp"

namespace tutti::run {
namespace {

template <typename Function>
bool look_up(void* library, const char* name, Function*& into) {
  into = reinterpret_cast<Function*>(c_library_lookup()(library, name));
  return into != nullptr;
}

std::uintptr_t number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

// Both interfaces' first stream, which waits for the others that do not say they won't be waited
// for, as plain copies do.
constexpr void* first_stream = nullptr;

// Begins rows by `together`, all at a time, or where that fails by `alone`, one after another.
bool begin_rows(const DeviceRows& rows, Towards towards, auto&& together, auto&& alone) {
  if (rows.count > 1 && together(rows, towards)) return true;
  for (std::size_t row = 0; row < rows.count; ++row) {
    char* const there = rows.there + row * rows.there_pitch;
    char* const here = rows.here + row * rows.here_pitch;
    if (!(towards == Towards::host ? alone(here, there, rows.width) : alone(there, here, rows.width)))
      return false;
  }
  return true;
}

// CUDA's functions that are needed, under their names there; the later ones may be missing.
int (*cuPointerGetAttribute)(void* data, int attribute, std::uint64_t address) = nullptr;
int (*cuMemcpyAsync)(std::uint64_t into, std::uint64_t from, std::size_t bytes, void* stream) = nullptr;
int (*cuStreamSynchronize)(void* stream) = nullptr;
int (*cuMemcpy2DAsync)(const CudaRows* rows, void* stream) = nullptr;
int (*cuMemHostRegister)(void* memory, std::size_t bytes, unsigned flags) = nullptr;
int (*cuMemHostUnregister)(void* memory) = nullptr;
int (*cuCtxGetCurrent)(void** context) = nullptr;
int (*cuCtxPushCurrent)(void* context) = nullptr;
int (*cuCtxPopCurrent)(void** context) = nullptr;
int (*cuCtxGetDevice)(int* device) = nullptr;
int (*cuDevicePrimaryCtxRetain)(void** context, int device) = nullptr;
int (*cuDevicePrimaryCtxRelease)(int device) = nullptr;

bool cuda_holds(const void* address) {
  constexpr int attribute_memory_type = 2;
  unsigned type = 0;
  const int error = cuPointerGetAttribute(&type, attribute_memory_type, number(address));
  return error == 0 && type != cuda_host;  // an error: not CUDA's
}
bool cuda_begins(const DeviceRows& rows, Towards towards) {
  const auto together = [](const DeviceRows& all, Towards where) {
    if (!cuMemcpy2DAsync) return false;
    const CudaPlace here{0, 0, cuda_host, all.here, 0, nullptr, all.here_pitch};
    const CudaPlace there{0, 0, cuda_device, nullptr, number(all.there), nullptr, all.there_pitch};
    const bool to_host = where == Towards::host;
    const CudaRows copy{to_host ? there : here, to_host ? here : there, all.width, all.count};
    return cuMemcpy2DAsync(&copy, first_stream) == 0;
  };
  return begin_rows(rows, towards, together, [](char* into, const char* from, std::size_t bytes) {
    return cuMemcpyAsync(number(into), number(from), bytes, first_stream) == 0;
  });
}
bool cuda_completes() {
  return cuStreamSynchronize(first_stream) == 0;
}
// Finds the context of what a device holds. Memory of a pool has none of its own, and is used by
// the thread's, if that is its device's, or by the first one of its device, which is there.
void* cuda_context_of(const void* address, void* current) {
  constexpr int attribute_context = 1, attribute_device = 9;
  void* context = nullptr;
  int device = 0, current_device = 0;
  if (cuPointerGetAttribute(&context, attribute_context, number(address)) != 0) return nullptr;
  if (context) return context;
  if (cuPointerGetAttribute(&device, attribute_device, number(address)) != 0) return nullptr;
  if (current && (!cuCtxGetDevice || cuCtxGetDevice(&current_device) != 0 || current_device == device))
    return current;
  if (!cuDevicePrimaryCtxRetain || !cuDevicePrimaryCtxRelease ||
      cuDevicePrimaryCtxRetain(&context, device) != 0)
    return nullptr;
  cuDevicePrimaryCtxRelease(device);
  return context;
}
// Host memory that the program has pinned has a context, too, which is none to be entered.
int cuda_enters(const void* address) {
  void* current = nullptr;
  if (!cuCtxGetCurrent || !cuCtxPushCurrent || !cuCtxPopCurrent || cuCtxGetCurrent(&current) != 0 ||
      !cuda_holds(address))
    return DeviceLibrary::stays;
  void* const context = cuda_context_of(address, current);
  return context && context != current && cuCtxPushCurrent(context) == 0 ? 0 : DeviceLibrary::stays;
}
void cuda_leaves(int) {
  void* context = nullptr;
  cuCtxPopCurrent(&context);
}
bool cuda_copies(void* into, const void* from, std::size_t bytes) {
  return cuMemcpyAsync(number(into), number(from), bytes, first_stream) == 0 && cuda_completes();
}
bool cuda_pins(void* memory, std::size_t bytes) {
  constexpr unsigned for_all_devices = 1;
  return cuMemHostRegister && cuMemHostUnregister && cuMemHostRegister(memory, bytes, for_all_devices) == 0;
}
bool cuda_unpins(void* memory) {
  return cuMemHostUnregister(memory) == 0;
}

// ROCm's, likewise. Up to ROCm 6 kinds of memory have other numbers; that there is an address for
// devices and none for the host means the same in all.
struct HipAttributes {
  int kind, device;
  void *device_address, *host_address;
  unsigned char further[240];
};
int (*hipPointerGetAttributes)(HipAttributes* attributes, const void* address) = nullptr;
int (*hipMemcpyAsync)(void* into, const void* from, std::size_t bytes, int kind, void* stream) = nullptr;
int (*hipStreamSynchronize)(void* stream) = nullptr;
int (*hipMemcpy2DAsync)(void* into, std::size_t into_pitch, const void* from, std::size_t from_pitch,
                        std::size_t width, std::size_t count, int kind, void* stream) = nullptr;
int (*hipHostRegister)(void* memory, std::size_t bytes, unsigned flags) = nullptr;
int (*hipHostUnregister)(void* memory) = nullptr;
int (*hipGetLastError)() = nullptr;
int (*hipGetDevice)(int* device) = nullptr;
int (*hipSetDevice)(int device) = nullptr;

constexpr int kind_by_addresses = 4;  // of a copy

// What is no error to us is none for the program to find.
bool hip_succeeds(int error) {
  if (error != 0 && hipGetLastError) hipGetLastError();
  return error == 0;
}
std::optional<int> hip_device_of(const void* address) {
  HipAttributes attributes{};
  const bool holds = hip_succeeds(hipPointerGetAttributes(&attributes, address)) &&
                     attributes.device_address && !attributes.host_address;
  return holds ? std::optional(attributes.device) : std::nullopt;
}
bool hip_holds(const void* address) {
  return hip_device_of(address).has_value();
}
bool hip_begins(const DeviceRows& rows, Towards towards) {
  const auto together = [](const DeviceRows& all, Towards where) {
    if (!hipMemcpy2DAsync) return false;
    return hip_succeeds(where == Towards::host
                            ? hipMemcpy2DAsync(all.here, all.here_pitch, all.there, all.there_pitch,
                                               all.width, all.count, kind_by_addresses, first_stream)
                            : hipMemcpy2DAsync(all.there, all.there_pitch, all.here, all.here_pitch,
                                               all.width, all.count, kind_by_addresses, first_stream));
  };
  return begin_rows(rows, towards, together, [](char* into, const char* from, std::size_t bytes) {
    return hip_succeeds(hipMemcpyAsync(into, from, bytes, kind_by_addresses, first_stream));
  });
}
bool hip_completes() {
  return hip_succeeds(hipStreamSynchronize(first_stream));
}
bool hip_copies(void* into, const void* from, std::size_t bytes) {
  return hip_succeeds(hipMemcpyAsync(into, from, bytes, kind_by_addresses, first_stream)) && hip_completes();
}
bool hip_pins(void* memory, std::size_t bytes) {
  constexpr unsigned for_all_devices = 1;
  return hipHostRegister && hipHostUnregister &&
         hip_succeeds(hipHostRegister(memory, bytes, for_all_devices));
}
bool hip_unpins(void* memory) {
  return hip_succeeds(hipHostUnregister(memory));
}
// Every thread has a device there, whose number leads back.
int hip_enters(const void* address) {
  int current = 0;
  if (!hipGetDevice || !hipSetDevice) return DeviceLibrary::stays;
  const auto device = hip_device_of(address);
  if (!device || !hip_succeeds(hipGetDevice(&current)) || current == *device) return DeviceLibrary::stays;
  return hip_succeeds(hipSetDevice(*device)) ? current : DeviceLibrary::stays;
}
void hip_leaves(int before) {
  hip_succeeds(hipSetDevice(before));
}

constexpr DeviceLibrary cuda{DeviceKind::cuda, cuda_holds,  cuda_begins, cuda_completes, cuda_copies,
                             cuda_pins,        cuda_unpins, cuda_enters, cuda_leaves},
    hip{DeviceKind::rocm, hip_holds,  hip_begins, hip_completes, hip_copies,
        hip_pins,         hip_unpins, hip_enters, hip_leaves};

bool find_cuda() {
  void* const library = loaded_library({"libcuda.so.1", "libcuda.so"});
  if (!library || !look_up(library, "cuPointerGetAttribute", cuPointerGetAttribute) ||
      !look_up(library, "cuMemcpyAsync", cuMemcpyAsync) ||
      !look_up(library, "cuStreamSynchronize", cuStreamSynchronize))
    return false;
  look_up(library, "cuMemcpy2DAsync_v2", cuMemcpy2DAsync);
  look_up(library, "cuMemHostRegister_v2", cuMemHostRegister);
  look_up(library, "cuMemHostUnregister", cuMemHostUnregister);
  look_up(library, "cuCtxGetCurrent", cuCtxGetCurrent);
  look_up(library, "cuCtxPushCurrent_v2", cuCtxPushCurrent);
  look_up(library, "cuCtxPopCurrent_v2", cuCtxPopCurrent);
  look_up(library, "cuCtxGetDevice", cuCtxGetDevice);
  look_up(library, "cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain);
  look_up(library, "cuDevicePrimaryCtxRelease_v2", cuDevicePrimaryCtxRelease);
  return true;
}

bool find_hip() {
  void* const library =
      loaded_library({"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"});
  if (!library || !look_up(library, "hipPointerGetAttributes", hipPointerGetAttributes) ||
      !look_up(library, "hipMemcpyAsync", hipMemcpyAsync) ||
      !look_up(library, "hipStreamSynchronize", hipStreamSynchronize))
    return false;
  look_up(library, "hipMemcpy2DAsync", hipMemcpy2DAsync);
  look_up(library, "hipHostRegister", hipHostRegister);
  look_up(library, "hipHostUnregister", hipHostUnregister);
  look_up(library, "hipGetLastError", hipGetLastError);
  look_up(library, "hipGetDevice", hipGetDevice);
  look_up(library, "hipSetDevice", hipSetDevice);
  return true;
}

// The loader appends what it loads to a list. We hold on to the last library there was, so that its
// record stays, and see by that whether another one has come.
std::atomic<const link_map*> last_seen{nullptr};
std::atomic<const DeviceLibrary*> library_found{nullptr};

bool nothing_new() {
  const link_map* last = last_seen.load(std::memory_order_acquire);
  return last && !*const_cast<link_map* const volatile*>(&last->l_next);
}

const link_map* hold_last() {
  const auto objects = loaded_objects();
  const auto last = std::find_if(objects.rbegin(), objects.rend(), [](const LoadedObject& object) {
    return object.file.find('/') != std::string::npos;
  });
  return last == objects.rend() ? nullptr
                                : static_cast<const link_map*>(loaded_library({last->file.c_str()}));
}

}  // namespace

const DeviceLibrary* loaded_device_library() {
  if (nothing_new()) [[likely]]
    return library_found.load(std::memory_order_relaxed);
  static std::mutex looking;
  const std::lock_guard lock(looking);
  if (const DeviceLibrary* library = library_found.load()) return library;
  const link_map* last = hold_last();
  library_found.store(find_cuda() ? &cuda : find_hip() ? &hip : nullptr, std::memory_order_relaxed);
  last_seen.store(last, std::memory_order_release);
  return library_found.load();
}

}  // namespace tutti::run
