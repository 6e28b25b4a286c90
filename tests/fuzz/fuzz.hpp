#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

/// Ends the process where something that has to hold does not: that is what a fuzzer, or ctest,
/// looks for.
inline void require(bool condition) {
  if (!condition) std::abort();
}

/// What is done with a text, of any bytes. Each program of this folder defines it.
void try_text(const std::string& text);
