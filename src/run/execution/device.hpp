#pragma once

#include <cstddef>

#include "run/mpi/device_support.hpp"

namespace tutti::run {

/// Rows of bytes in a device's memory, and as many in host memory.
struct DeviceRows {
  char* there;
  std::size_t there_pitch;  ///< bytes from one row to the next
  char* here;
  std::size_t here_pitch;
  std::size_t width, count;  ///< bytes of a row; how many there are

  std::size_t bytes() const { return width * count; }
};

enum class Towards { host, device };

/// The library behind a device's memory (CUDA's or ROCm's), where this process has loaded one.
/// Tutti links to none: what the program has is looked up. Copies go in the order of the first
/// stream of the device that the thread is on, behind what the program has begun there.
struct DeviceLibrary {
  DeviceKind kind;
  /// Whether the processor can't touch what is there.
  bool (*holds)(const void* address);
  /// Begins to copy rows, by one call where the library takes several at a time. False if it can't.
  bool (*begin)(const DeviceRows& rows, Towards towards);
  /// Waits for all copies that have begun on this thread's device. False if one has failed.
  bool (*complete)();
  /// Copies between any two kinds of memory. False if that fails.
  bool (*copy)(void* into, const void* from, std::size_t bytes);
  /// Lets the device reach host memory by itself, until it is unpinned. False if that
  /// fails.
  bool (*pin)(void* memory, std::size_t bytes);
  bool (*unpin)(void* memory);
  /// Makes the device that holds the address the one that this thread works on. Returns what
  /// `leave` is to be told, or `stays` where the thread is there already or no device holds it.
  int (*enter)(const void* address);
  void (*leave)(int entered);
  static constexpr int stays = -1;
};

/// While it lives, this thread works on the device that holds an address; then again on the one
/// that it had before, if any. Where no device holds it, or another can't be entered, the thread
/// stays.
class OnDevice {
 public:
  OnDevice(const DeviceLibrary& library, const void* address)
      : library_(library), entered_(library.enter(address)) {}
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() {
    if (has_entered()) library_.leave(entered_);
  }

  bool has_entered() const { return entered_ != DeviceLibrary::stays; }

 private:
  const DeviceLibrary& library_;
  int entered_;
};

/// Whether addresses on devices may be handed to the MPI library. Ranks need not agree on it.
inline constinit bool mpi_may_be_handed_devices = true;

/// Null if none is loaded. Libraries may be loaded at any time: this looks whether any has been
/// since the last call, a nanosecond.
const DeviceLibrary* loaded_device_library();

}  // namespace tutti::run
