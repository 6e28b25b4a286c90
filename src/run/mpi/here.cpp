#include "run/mpi/here.hpp"

#include <cctype>
#include <cstdlib>

#include "choose/evidence/local_place.hpp"
#include "choose/evidence/transport.hpp"
#include "run/mpi/handles.hpp"
#include "run/mpi/library_text.hpp"
#include "run/mpi/library_version.hpp"
#include "run/mpi/loaded_objects.hpp"
#include "run/mpi/tool_interface.hpp"

namespace tutti::run {
namespace {

#ifdef TUTTI_SIMULATED

// Hosts of one simulated cluster differ in number only, and its platform says what connects them.
Fingerprint place(const std::string&) {
  char text[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  PMPI_Get_processor_name(text, &length);
  std::string name(text);
  std::erase_if(name, [](unsigned char c) { return std::isdigit(c); });
  return {.mpi = {}, .machine = "simulated " + name};
}

#else

Fingerprint place(const std::string& library) {
  const Transport transport =
      transport_of({.library = library,
                    .loaded_files = loaded_files(),
                    .control_variables = [] { return ToolInterface().names(); },
                    .environment = [](const char* name) { return std::getenv(name); }});
  const std::string fabric = local_fabric();
  return {.mpi = {},
          .machine = local_machine(),
          .transport = transport.within,
          .fabric = fabric.empty() ? transport.between : transport.between + ", " + fabric,
          .binding = local_binding(own_processors())};
}

#endif

}  // namespace

Fingerprint fingerprint_here() {
  Fingerprint here = place(library_text());
  here.mpi = library_version(library_text());
  return here;
}

}  // namespace tutti::run
