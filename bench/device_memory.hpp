#pragma once

// Memory of an NVIDIA device, by CUDA's driver library, which is looked up.

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "run/execution/cuda_rows.hpp"

/// The first device of this machine and its memory. A call that fails ends the program.
class DeviceMemory {
 public:
  /// Null where there is no device, or no library of it.
  static const DeviceMemory* find() {
    static const DeviceMemory memory;
    return memory.is_there_ ? &memory : nullptr;
  }

  void* allocate(std::size_t bytes) const {
    std::uint64_t address = 0;
    expect(cuMemAlloc(&address, bytes));
    return reinterpret_cast<void*>(address);
  }
  void release(void* address) const { expect(cuMemFree(number(address))); }
  /// Host memory that the device reaches by itself.
  void* allocate_pinned(std::size_t bytes) const {
    void* address = nullptr;
    expect(cuMemHostAlloc(&address, bytes, 0));
    return address;
  }
  void release_pinned(void* address) const { expect(cuMemFreeHost(address)); }
  void copy(void* into, const void* from, std::size_t bytes) const {
    expect(cuMemcpy(number(into), number(from), bytes));
  }
  /// Copies rows between the device and packed host memory.
  void copy_rows(char* device, std::size_t pitch, char* host, std::size_t width, std::size_t rows,
                 bool to_host) const {
    const tutti::run::CudaPlace there{0, 0, tutti::run::cuda_device, nullptr, number(device), nullptr, pitch};
    const tutti::run::CudaPlace here{0, 0, tutti::run::cuda_host, host, 0, nullptr, width};
    const tutti::run::CudaRows copy{to_host ? there : here, to_host ? here : there, width, rows};
    expect(cuMemcpy2D(&copy));
  }

 private:
  DeviceMemory() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) return;
    const auto look_up = [library](const char* name, auto& into) {
      into = reinterpret_cast<std::remove_reference_t<decltype(into)>>(dlsym(library, name));
      return into != nullptr;
    };
    int (*initialize)(unsigned) = nullptr;
    int (*retain)(void**, int) = nullptr;
    int (*set)(void*) = nullptr;
    void* context = nullptr;
    is_there_ = look_up("cuInit", initialize) && look_up("cuDevicePrimaryCtxRetain", retain) &&
                look_up("cuCtxSetCurrent", set) && look_up("cuMemAlloc_v2", cuMemAlloc) &&
                look_up("cuMemFree_v2", cuMemFree) && look_up("cuMemHostAlloc", cuMemHostAlloc) &&
                look_up("cuMemFreeHost", cuMemFreeHost) && look_up("cuMemcpy", cuMemcpy) &&
                look_up("cuMemcpy2D_v2", cuMemcpy2D) && initialize(0) == 0 && retain(&context, 0) == 0 &&
                set(context) == 0;
  }

  static std::uint64_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }
  static void expect(int error) {
    if (error == 0) return;
    std::fprintf(stderr, "device: CUDA's error %d\n", error);
    std::abort();
  }

  bool is_there_ = false;
  int (*cuMemAlloc)(std::uint64_t*, std::size_t) = nullptr;
  int (*cuMemFree)(std::uint64_t) = nullptr;
  int (*cuMemHostAlloc)(void**, std::size_t, unsigned) = nullptr;
  int (*cuMemFreeHost)(void*) = nullptr;
  int (*cuMemcpy)(std::uint64_t, std::uint64_t, std::size_t) = nullptr;
  int (*cuMemcpy2D)(const tutti::run::CudaRows*) = nullptr;
};
