#include "run/process/here.hpp"

#include <cctype>

#include "run/mpi/handles.hpp"
#include "run/mpi/library_version.hpp"

namespace tutti::run {
namespace {

#ifdef TUTTI_SIMULATED
// Hosts of one simulated cluster differ in number only.
std::string machine() {
  char text[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  PMPI_Get_processor_name(text, &length);
  std::string name(text);
  std::erase_if(name, [](unsigned char c) { return std::isdigit(c); });
  return "simulated " + name;
}
#else
std::string machine() {
  return local_machine();
}
#endif

}  // namespace

Fingerprint fingerprint_here() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(version, &length);
  return {library_version(version), machine()};
}

}  // namespace tutti::run
