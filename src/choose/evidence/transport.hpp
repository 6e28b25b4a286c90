#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::inline choose {

/// What a process that runs MPI sees of how its messages go.
struct TransportFacts {
  std::string library;                    ///< the long text of MPI_Get_library_version
  std::vector<std::string> loaded_files;  ///< names of shared libraries, without folders
  /// Names of MPI's control variables; asked for only where Open MPI's components are no files.
  std::function<std::vector<std::string>()> control_variables;
  std::function<const char*(const char* name)> environment;  ///< a variable, or null
};

/// What carries messages, by the names that MPI libraries have for it.
struct Transport {
  std::string within;   ///< a host: "ob1 (vader)", "ch4:ucx (UCX_TLS=tcp)"
  std::string between;  ///< hosts: "ob1 (tcp)"
};
Transport transport_of(const TransportFacts& facts);

}  // namespace tutti::inline choose
