// What libFuzzer calls.

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  try_text(std::string(reinterpret_cast<const char*>(bytes), count));
  return 0;
}
