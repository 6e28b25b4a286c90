#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace tutti {

/// A collective operation of MPI, by its standard name.
enum class Collective : unsigned char { bcast, allgather, allreduce };

/// What the rest of Tutti needs to know of a collective, stated once.
struct CollectiveTraits {
  Collective collective;
  std::string_view name;        ///< lower case, as in plans, tables and on the command line
  std::string_view mpi_name;    ///< the entry point of MPI
  std::string_view variable;    ///< the environment variable that forces a plan
  std::string_view size_means;  ///< what "the size" of a call is, in bytes
  bool rooted;                  ///< has a root
  bool reduces;                 ///< combines values with an operation
};

inline constexpr std::array collectives{
    CollectiveTraits{Collective::bcast, "bcast", "MPI_Bcast", "TUTTI_BCAST", "the whole vector", true, false},
    CollectiveTraits{Collective::allgather, "allgather", "MPI_Allgather", "TUTTI_ALLGATHER",
                     "one rank's contribution", false, false},
    CollectiveTraits{Collective::allreduce, "allreduce", "MPI_Allreduce", "TUTTI_ALLREDUCE",
                     "the whole vector", false, true},
};

constexpr const CollectiveTraits& traits(Collective collective) {
  return collectives[static_cast<std::size_t>(collective)];
}

constexpr std::string_view name(Collective collective) {
  return traits(collective).name;
}

/// The collective of that name, or nothing.
constexpr std::optional<Collective> collective_named(std::string_view wanted) {
  for (const auto& entry : collectives)
    if (entry.name == wanted) return entry.collective;
  return std::nullopt;
}

}  // namespace tutti
