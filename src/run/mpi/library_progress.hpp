#pragma once

#include <atomic>

namespace tutti::run {

/// A function that the MPI library calls again and again wherever it waits; it returns how much has
/// happened, or 0, and the library may then let the processor go.
using Drive = int (*)();

/// Lets the MPI library call `drive` wherever it waits, in any thread, from now on. False where the
/// library has no occasion for that.
bool called_by_library(Drive drive);

/// Whether the MPI library does so.
bool may_be_called_by_library();

/// Ends that, before MPI ends: a library that begins again has forgotten whom it called.
void not_called_by_library(Drive drive);

/// What UCX' progress function stands for, which MPICH calls wherever it waits: whether it was
/// called so far, and what it calls on its way, or null.
struct UcxProgress {
  std::atomic<bool> is_seen = false;
  std::atomic<Drive> drive = nullptr;

  void pass() {
    if (!is_seen.load(std::memory_order_relaxed)) [[unlikely]]
      is_seen.store(true, std::memory_order_relaxed);
    if (const Drive known = drive.load(std::memory_order_relaxed)) known();
  }
};
inline constinit UcxProgress ucx_progress;

}  // namespace tutti::run
