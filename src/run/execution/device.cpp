#include "run/execution/device.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <mutex>
#include <string>

namespace tutti::run {
namespace {

// The functions of the two libraries' interfaces that are needed, under their names there.
int (*cuPointerGetAttribute)(void* data, int attribute, std::uint64_t address) = nullptr;
int (*cuMemcpy)(std::uint64_t into, std::uint64_t from, std::size_t bytes) = nullptr;

// Up to ROCm 6 kinds of memory have other numbers; that there is an address for devices and none
// for the host means the same in all.
struct HipAttributes {
  int kind, device;
  void *device_address, *host_address;
  unsigned char further[240];
};
int (*hipPointerGetAttributes)(HipAttributes* attributes, const void* address) = nullptr;
int (*hipMemcpy)(void* into, const void* from, std::size_t bytes, int kind) = nullptr;
int (*hipGetLastError)() = nullptr;

bool cuda_holds(const void* address) {
  constexpr int attribute_memory_type = 2;
  constexpr unsigned memory_of_host = 1;
  unsigned type = 0;
  const int error =
      cuPointerGetAttribute(&type, attribute_memory_type, reinterpret_cast<std::uintptr_t>(address));
  return error == 0 && type != memory_of_host;  // an error: not CUDA's
}
bool cuda_copies(void* into, const void* from, std::size_t bytes) {
  return cuMemcpy(reinterpret_cast<std::uintptr_t>(into), reinterpret_cast<std::uintptr_t>(from), bytes) == 0;
}

bool hip_holds(const void* address) {
  HipAttributes attributes{};
  if (hipPointerGetAttributes(&attributes, address) == 0)
    return attributes.device_address && !attributes.host_address;
  if (hipGetLastError) hipGetLastError();  // not ROCm's: no error for the program to find
  return false;
}
bool hip_copies(void* into, const void* from, std::size_t bytes) {
  constexpr int kind_by_addresses = 4;
  return hipMemcpy(into, from, bytes, kind_by_addresses) == 0;
}

constexpr DeviceLibrary cuda{cuda_holds, cuda_copies}, hip{hip_holds, hip_copies};

// A library if it is loaded already.
void* loaded(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) return library;
  return nullptr;
}

template <typename Function>
bool look_up(void* library, const char* name, Function*& into) {
  into = reinterpret_cast<Function*>(dlsym(library, name));
  return into != nullptr;
}

const DeviceLibrary* find() {
  if (void* library = loaded({"libcuda.so.1", "libcuda.so"}))
    if (look_up(library, "cuPointerGetAttribute", cuPointerGetAttribute) &&
        look_up(library, "cuMemcpy", cuMemcpy))
      return &cuda;
  if (void* library = loaded({"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"}))
    if (look_up(library, "hipPointerGetAttributes", hipPointerGetAttributes) &&
        look_up(library, "hipMemcpy", hipMemcpy)) {
      look_up(library, "hipGetLastError", hipGetLastError);
      return &hip;
    }
  return nullptr;
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
  std::string last;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        if (info->dlpi_name && std::strchr(info->dlpi_name, '/'))
          *static_cast<std::string*>(into) = info->dlpi_name;
        return 0;
      },
      &last);
  return last.empty() ? nullptr : static_cast<const link_map*>(loaded({last.c_str()}));
}

}  // namespace

const DeviceLibrary* loaded_device_library() {
  if (nothing_new()) [[likely]]
    return library_found.load(std::memory_order_relaxed);
  static std::mutex looking;
  const std::lock_guard lock(looking);
  if (const DeviceLibrary* library = library_found.load()) return library;
  const link_map* last = hold_last();
  library_found.store(find(), std::memory_order_relaxed);
  last_seen.store(last, std::memory_order_release);
  return library_found.load();
}

}  // namespace tutti::run
