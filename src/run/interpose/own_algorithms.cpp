// Lets Open MPI listen to which of its own algorithms it is to use, where plans name some, or may
// do so as they are learnt. It looks at those switches when it makes communicators, but asks only
// once, before MPI begins, whether it will; as long as no switch is set it chooses as ever.

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "base/split.hpp"
#include "choose/evidence/library_component.hpp"
#include "choose/settings/configuration.hpp"
#include "run/mpi/launcher.hpp"

namespace tutti {
namespace {

constexpr std::string_view of_them = "coll_tuned_";

bool is_said_in(const std::string& file) {
  const auto text = read_file(file);
  return text && std::ranges::any_of(split(*text, '\n'), [](const std::string& line) {
           return trimmed(line).starts_with(of_them);
         });
}

// What the user has said of these algorithms without this parameter would come into force by it: in
// the environment, or in a file of the user's or the machine's.
bool says_something_of_them() {
  constexpr std::string_view parameter = "OMPI_MCA_";
  for (char** entry = environ; *entry; ++entry)
    if (const std::string_view said(*entry);
        said.starts_with(parameter) && said.substr(parameter.size()).starts_with(of_them))
      return true;
  const char* const home = std::getenv("HOME");
  return (home && is_said_in(std::string(home) + "/.openmpi/mca-params.conf")) ||
         is_said_in("/etc/openmpi/openmpi-mca-params.conf");
}

[[gnu::constructor]] void listen_to_switches() {
  if (run::launcher::rank() && !is_switched_off() && (asks_to_learn() || names_library_algorithms()) &&
      !says_something_of_them())
    setenv(listens_parameter, "1", 0);
}

}  // namespace
}  // namespace tutti
