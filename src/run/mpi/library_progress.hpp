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

/// Whether it may turn out to, as far as can be told before MPI begins.
bool may_come_to_be_called();

/// Whether the library may wait for the launcher where it makes a communicator, and calls nobody
/// then: Open MPI, from version 5 on.
bool may_wait_for_launcher();

/// Ends that, before MPI ends: a library that begins again has forgotten whom it called.
void not_called_by_library(Drive drive);

/// What Tutti's function does that stands in for UCX' progress function, which MPICH calls wherever
/// it waits: it notes that it was called, and calls what there is to call on its way.
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
