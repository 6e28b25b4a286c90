#pragma once

#include <cstring>

#include "choose/settings/variables.hpp"

namespace tutti::interpose {

/// Whether the user has switched Tutti off, as can be told before MPI begins.
inline bool is_off() {
  const char* off = in_environment(variable::off);
  return off && std::strcmp(off, "1") == 0;
}

}  // namespace tutti::interpose
