// How Open MPI watches its connections: by default with poll(2), which looks at all of them
// whenever a rank waits, so that each connection that a plan makes slows down whatever waits. With
// epoll(7) their number costs nothing, but each message that comes costs more: worth it where there
// are many connections. From version 5 on Open MPI does so by itself, where nobody says otherwise.

#include <cstdlib>

#include "choose/settings/configuration.hpp"
#include "run/mpi/launcher.hpp"
#include "run/mpi/watching.hpp"

namespace tutti {
namespace {

constexpr int many = 16;  // ranks

// Sets the parameter before MPI_Init reads it; what the user has set stays. Launchers are left
// alone: their standard input may be a file, which epoll refuses.
[[gnu::constructor]] void watch_by_epoll() {
  using namespace run::launcher;
  if (has_several_hosts() && ranks().value_or(0) >= many && !is_switched_off())
    setenv(watching_parameter, "epoll", 0);
}

}  // namespace
}  // namespace tutti
