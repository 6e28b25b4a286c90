// How Open MPI watches its connections: by default with poll(2), which looks at all of them whenever a rank
// waits, so that each connection that a plan makes slows down whatever waits. With epoll(7) their number
// costs nothing.

#include <cstdlib>
#include <cstring>

#include "mpi/launcher.hpp"
#include "mpi/watching.hpp"
#include "settings/variables.hpp"

namespace tutti {
namespace {

bool is_off() {
  const char* off = var_off.value();
  return off && std::strcmp(off, "1") == 0;
}

// Before MPI_Init reads it; what the user has set stays. Not in launchers: their standard input may be a
// file, which epoll refuses.
[[gnu::constructor]] void watch_by_epoll() {
  if (runtime::launcher::has_several_hosts() && !is_off()) setenv(watching_parameter, "epoll", 0);
}

}  // namespace
}  // namespace tutti
