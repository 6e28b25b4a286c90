#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::inline core {

/// A collective operation of MPI, by its standard name.
enum class Collective : unsigned char {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter_block,
  reduce_scatter,
  scan,
  exscan,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw
};

/// How a collective is called: returning when it is done; or at once, with a request; or with a
/// request that starts it any number of times.
enum class Mode : unsigned char { blocking, nonblocking, persistent };

/// What "the size" of a call is, in bytes: what rules, tables and benchmarks go by.
enum class SizeMeans : unsigned char {
  nothing,    ///< there is no size that all ranks know, or none at all (barrier)
  vector,     ///< the whole vector
  block,      ///< what one rank contributes, or gets, or sends to each other rank
  mean_block  ///< that of the average rank
};

/// "the whole vector"
constexpr std::string_view describe(SizeMeans means) {
  constexpr std::array<std::string_view, 4> texts{"nothing", "the whole vector", "the block of one rank",
                                                  "the average rank's block"};
  return texts[static_cast<std::size_t>(means)];
}

/// What the rest of Tutti needs to know of a collective, stated once.
struct CollectiveTraits {
  Collective collective;
  std::string_view name;      ///< lower case, as in plans, tables and on the command line
  std::string_view mpi_name;  ///< the entry point of MPI
  std::string_view variable;  ///< the environment variable that forces a plan
  /// The collective whose schedules serve this one: itself, or of an irregular variant the regular
  /// one.
  Collective regular;
  SizeMeans size_means;
  bool rooted;   ///< has a root
  bool reduces;  ///< combines values with an operation
  /// With MPI_IN_PLACE the same block of input and output is the same memory.
  bool aliases;
  bool on_neighbors = false;  ///< moves blocks between neighbours in a topology
};

// clang-format off
inline constexpr std::array collectives = [] {
  using enum Collective;
  using enum SizeMeans;
  constexpr bool yes = true, no = false;
  return std::array{
      // …, regular, size_means, rooted, reduces, aliases
      CollectiveTraits{barrier, "barrier", "MPI_Barrier", "TUTTI_BARRIER", barrier, nothing, no, no, no},
      CollectiveTraits{bcast, "bcast", "MPI_Bcast", "TUTTI_BCAST", bcast, vector, yes, no, no},
      CollectiveTraits{gather, "gather", "MPI_Gather", "TUTTI_GATHER", gather, block, yes, no, yes},
      CollectiveTraits{gatherv, "gatherv", "MPI_Gatherv", "TUTTI_GATHERV", gather, nothing, yes, no, yes},
      CollectiveTraits{scatter, "scatter", "MPI_Scatter", "TUTTI_SCATTER", scatter, block, yes, no, yes},
      CollectiveTraits{scatterv, "scatterv", "MPI_Scatterv", "TUTTI_SCATTERV", scatter, nothing, yes, no, yes},
      CollectiveTraits{allgather, "allgather", "MPI_Allgather", "TUTTI_ALLGATHER", allgather, block, no, no, yes},
      CollectiveTraits{allgatherv, "allgatherv", "MPI_Allgatherv", "TUTTI_ALLGATHERV", allgather, mean_block, no, no, yes},
      CollectiveTraits{alltoall, "alltoall", "MPI_Alltoall", "TUTTI_ALLTOALL", alltoall, block, no, no, no},
      CollectiveTraits{alltoallv, "alltoallv", "MPI_Alltoallv", "TUTTI_ALLTOALLV", alltoall, nothing, no, no, no},
      CollectiveTraits{alltoallw, "alltoallw", "MPI_Alltoallw", "TUTTI_ALLTOALLW", alltoall, nothing, no, no, no},
      CollectiveTraits{reduce, "reduce", "MPI_Reduce", "TUTTI_REDUCE", reduce, vector, yes, yes, yes},
      CollectiveTraits{allreduce, "allreduce", "MPI_Allreduce", "TUTTI_ALLREDUCE", allreduce, vector, no, yes, yes},
      CollectiveTraits{reduce_scatter_block, "reduce_scatter_block", "MPI_Reduce_scatter_block", "TUTTI_REDUCE_SCATTER_BLOCK", reduce_scatter_block, vector, no, yes, no},
      CollectiveTraits{reduce_scatter, "reduce_scatter", "MPI_Reduce_scatter", "TUTTI_REDUCE_SCATTER", reduce_scatter_block, vector, no, yes, no},
      CollectiveTraits{scan, "scan", "MPI_Scan", "TUTTI_SCAN", scan, vector, no, yes, yes},
      CollectiveTraits{exscan, "exscan", "MPI_Exscan", "TUTTI_EXSCAN", exscan, vector, no, yes, yes},
      CollectiveTraits{neighbor_allgather, "neighbor_allgather", "MPI_Neighbor_allgather", "TUTTI_NEIGHBOR_ALLGATHER", neighbor_allgather, block, no, no, no, yes},
      CollectiveTraits{neighbor_allgatherv, "neighbor_allgatherv", "MPI_Neighbor_allgatherv", "TUTTI_NEIGHBOR_ALLGATHERV", neighbor_allgather, nothing, no, no, no, yes},
      CollectiveTraits{neighbor_alltoall, "neighbor_alltoall", "MPI_Neighbor_alltoall", "TUTTI_NEIGHBOR_ALLTOALL", neighbor_alltoall, block, no, no, no, yes},
      CollectiveTraits{neighbor_alltoallv, "neighbor_alltoallv", "MPI_Neighbor_alltoallv", "TUTTI_NEIGHBOR_ALLTOALLV", neighbor_alltoall, nothing, no, no, no, yes},
      CollectiveTraits{neighbor_alltoallw, "neighbor_alltoallw", "MPI_Neighbor_alltoallw", "TUTTI_NEIGHBOR_ALLTOALLW", neighbor_alltoall, nothing, no, no, no, yes},
  };
}();
// clang-format on

constexpr const CollectiveTraits& traits(Collective collective) {
  return collectives[static_cast<std::size_t>(collective)];
}

constexpr std::string_view name(Collective collective) {
  return traits(collective).name;
}

constexpr bool is_irregular(Collective collective) {
  return traits(collective).regular != collective;
}

/// Whether every rank's result needs something of every other rank: a rank that comes late keeps
/// all others waiting. Irregular collectives' empty blocks are left out of account.
constexpr bool all_wait_for_all(Collective collective) {
  return !traits(collective).rooted && !traits(collective).on_neighbors && collective != Collective::scan &&
         collective != Collective::exscan;
}

/// Whether blocks have types of their own, and displacements in bytes.
constexpr bool has_type_a_block(Collective collective) {
  return collective == Collective::alltoallw || collective == Collective::neighbor_alltoallw;
}

/// Whether schedules have one block for each rank, not a vector cut at will.
constexpr bool has_block_a_rank(Collective collective) {
  const Collective regular = traits(collective).regular;
  return !traits(collective).on_neighbors &&
         (traits(regular).size_means == SizeMeans::block || regular == Collective::reduce_scatter_block);
}

/// The collective of that name, or nothing.
constexpr std::optional<Collective> collective_named(std::string_view wanted) {
  for (const auto& entry : collectives)
    if (entry.name == wanted) return entry.collective;
  return std::nullopt;
}

/// A collective as it is called. Plans and schedules are the same for all modes; what is fastest is
/// not.
struct Called {
  Collective collective;
  Mode mode = Mode::blocking;

  /// "bcast", "ibcast", "bcast_init"
  std::string name() const { return named_as(traits(collective).name, 0, "i", "_init"); }
  /// "MPI_Bcast", "MPI_Ibcast", "MPI_Bcast_init"
  std::string mpi_name() const {
    constexpr std::size_t after_prefix = 4;
    std::string name = named_as(traits(collective).mpi_name, after_prefix, "I", "_init");
    char& first = name[after_prefix + 1];
    if (mode == Mode::nonblocking) first = static_cast<char>(first - 'A' + 'a');
    return name;
  }
  /// "TUTTI_BCAST", "TUTTI_IBCAST", "TUTTI_BCAST_INIT"
  std::string variable() const {
    constexpr std::size_t after_prefix = 6;
    return named_as(traits(collective).variable, after_prefix, "I", "_INIT");
  }

  /// The call of such a name, or nothing.
  static std::optional<Called> named(std::string_view wanted) {
    constexpr std::string_view init = "_init";
    if (const auto collective = collective_named(wanted)) return Called{*collective};
    Mode mode = Mode::nonblocking;
    if (wanted.ends_with(init)) {
      mode = Mode::persistent;
      wanted.remove_suffix(init.size());
    } else if (wanted.starts_with('i')) {
      wanted.remove_prefix(1);
    } else {
      return std::nullopt;
    }
    const auto collective = collective_named(wanted);
    return collective ? std::optional(Called{*collective, mode}) : std::nullopt;
  }
  friend auto operator<=>(const Called&, const Called&) = default;

 private:
  std::string named_as(std::string_view blocking, std::size_t at, std::string_view nonblocking,
                       std::string_view persistent) const {
    std::string name(blocking.substr(0, at));
    if (mode == Mode::nonblocking) name.append(nonblocking);
    name.append(blocking.substr(at));
    if (mode == Mode::persistent) name.append(persistent);
    return name;
  }
};

inline constexpr std::array all_modes{Mode::blocking, Mode::nonblocking, Mode::persistent};

/// Something for each collective in each mode.
template <typename Value>
class ByCalled {
 public:
  Value& operator[](Called called) { return values_[place(called)]; }
  const Value& operator[](Called called) const { return values_[place(called)]; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  static constexpr std::size_t place(Called called) {
    return static_cast<std::size_t>(called.mode) * collectives.size() +
           static_cast<std::size_t>(called.collective);
  }
  std::array<Value, all_modes.size() * collectives.size()> values_{};
};

/// Calls visit(called) for each collective in each mode.
template <typename Visit>
void for_each_called(Visit&& visit) {
  for (const Mode mode : all_modes)
    for (const CollectiveTraits& collective : collectives) visit(Called{collective.collective, mode});
}

}  // namespace tutti::inline core
