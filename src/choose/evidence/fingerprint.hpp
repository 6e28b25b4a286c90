#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::inline choose {

/// Where something was measured. Evidence serves only where all fields agree but the binding; "any"
/// agrees with everything, and so does "", which says that a field is not known.
struct Fingerprint {
  std::string mpi;             ///< the MPI library and its version
  std::string machine;         ///< processor and cores of a host, or the simulated hosts
  std::string transport = {};  ///< what carries messages within a host: "ob1 (vader)"
  std::string fabric = {};     ///< and between hosts: "ob1 (tcp), Ethernet 10 Gb/s"
  std::string binding = {};    ///< what a rank is bound to: see local_binding

  /// What carries messages between ranks on so many hosts.
  const std::string& carrier(int hosts) const { return hosts > 1 ? fabric : transport; }
  /// Whether the library is MPICH itself: others that are made of it have algorithms of their own.
  bool is_of_mpich() const { return mpi.starts_with("MPICH "); }
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// A field of fingerprints, by its name in files, and how a sentence names what was measured there.
struct FingerprintField {
  std::string_view name, measured;
  std::string Fingerprint::*value;
  bool decides;  ///< evidence does not serve where it differs
};
inline constexpr std::array fingerprint_fields{
    FingerprintField{"mpi", "was tuned for", &Fingerprint::mpi, true},
    FingerprintField{"machine", "was tuned on", &Fingerprint::machine, true},
    FingerprintField{"transport", "was tuned within hosts over", &Fingerprint::transport, true},
    FingerprintField{"fabric", "was tuned between hosts over", &Fingerprint::fabric, true},
    FingerprintField{"binding", "was tuned with ranks bound to", &Fingerprint::binding, false}};

/// Why a table of that fingerprint can't serve here, with the field that differs and how to use it
/// all the same; or nothing.
std::optional<std::string> foreign(const Fingerprint& table, const Fingerprint& here);

/// What differs that a table serves in spite of, to be told; or nothing.
std::optional<std::string> unlike(const Fingerprint& table, const Fingerprint& here);

/// "Open MPI 4.1.4 over ob1 (vader); ob1 (tcp), Ethernet 10 Gb/s".
std::string stack_text(const Fingerprint& fingerprint);

/// The machine this process runs on: "AMD EPYC 7763, 64 cores".
std::string local_machine();

}  // namespace tutti::inline choose
