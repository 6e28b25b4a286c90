// Lets Open MPI listen to which of its own algorithms it is to use, where plans name some, or may
// do so as they are learnt. It looks at those switches when it makes communicators, but asks only
// once, before MPI begins, whether it will; as long as no switch is set it chooses as ever.

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "choose/evidence/library_component.hpp"
#include "choose/settings/configuration.hpp"
#include "run/mpi/launcher.hpp"

namespace tutti {
namespace {

// What the user has said of these algorithms without this parameter would come into force by it.
bool says_something_of_them() {
  for (char** entry = environ; *entry; ++entry)
    if (std::string_view(*entry).starts_with("OMPI_MCA_coll_tuned_")) return true;
  return false;
}

[[gnu::constructor]] void listen_to_switches() {
  if (run::launcher::rank() && !is_switched_off() && !says_something_of_them() &&
      (asks_to_learn() || names_library_algorithms()))
    setenv(listens_parameter, "1", 0);
}

}  // namespace
}  // namespace tutti
