#include "run/mpi/library_text.hpp"

#include <mpi.h>

#include <vector>

namespace tutti::run {

const std::string& library_text() {
  static const std::string& known = [] () -> const std::string& {
    std::vector<char> text(1 << 14);  // longer than the texts of all libraries
    int length = 0;
    PMPI_Get_library_version(text.data(), &length);
    return *new std::string(text.data());  // calls may come when statics are gone
  }();
  return known;
}

bool is_open_mpi() {
  static const bool is = library_text().starts_with("Open MPI");
  return is;
}

}  // namespace tutti::run
