#pragma once

// What a stand-in for a device's library has seen so far, as its function stand_in_counts tells.
struct StandInCounts {
  long copies, strided;      // begun
  long pinned, most_pinned;  // blocks of host memory, now and at most
  long unpinned_copies;      // begun with host memory that was not pinned
  long astray;               // begun while the thread was on another device
  long late;                 // not waited for when the program looked at the memory
};
