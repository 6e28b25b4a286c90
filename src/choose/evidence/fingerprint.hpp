#pragma once

#include <optional>
#include <string>

namespace tutti::inline choose {

/// Where a table was measured. A table serves only where both agree; "any" agrees with everything.
struct Fingerprint {
  std::string mpi;      ///< the MPI library and its version
  std::string machine;  ///< processor and cores of a host, or the simulated hosts
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// Why a table of that fingerprint can't serve here, or nothing. What is not known here ("") is not
/// compared.
std::optional<std::string> foreign(const Fingerprint& table, const Fingerprint& here);

/// The machine this process runs on: "AMD EPYC 7763, 64 cores".
std::string local_machine();

}  // namespace tutti::inline choose
