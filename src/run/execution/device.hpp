#pragma once

#include <cstddef>

namespace tutti::run {

/// The library behind a device's memory (CUDA's or ROCm's), where this process has loaded one.
/// Tutti links to none: what the program has is looked up.
struct DeviceLibrary {
  /// Whether the processor can't touch what is there.
  bool (*holds)(const void* address);
  /// Copies between any two kinds of memory. False if that fails.
  bool (*copy)(void* into, const void* from, std::size_t bytes);
};

/// Null if none is loaded. Libraries may be loaded at any time: this looks whether any has been
/// since the last call, a nanosecond.
const DeviceLibrary* loaded_device_library();

}  // namespace tutti::run
