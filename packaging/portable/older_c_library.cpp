// What GCC 12's C++ library, linked statically, asks of a C library of glibc 2.36, for one of 2.31.

#include <sys/random.h>

#include <cstdint>

extern "C" {

// Whether the process has one thread only (glibc 2.32). False is always right, and costs atomics.
[[gnu::visibility("hidden")]] char __libc_single_threaded = 0;

// A random number (glibc 2.36).
[[gnu::visibility("hidden")]] std::uint32_t arc4random() {
  std::uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return number;
}
}
