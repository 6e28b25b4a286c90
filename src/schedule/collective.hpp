#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace tutti {

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
  reduce,
  allreduce,
  reduce_scatter_block,
  reduce_scatter,
  scan,
  exscan
};

/// How a collective is called: returning when it is done, or at once, with a request.
enum class Mode : unsigned char { blocking, nonblocking };

/// What "the size" of a call is, in bytes: what rules, tables and benchmarks go by.
enum class SizeMeans : unsigned char {
  nothing,    ///< there is no size that all ranks know: one decision serves all calls
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
  /// The collective whose schedules serve this one: itself, or of an irregular variant the regular one.
  Collective regular;
  SizeMeans size_means;
  bool rooted;   ///< has a root
  bool reduces;  ///< combines values with an operation
  /// With MPI_IN_PLACE the same block of input and output is the same memory.
  bool aliases;
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
      CollectiveTraits{reduce, "reduce", "MPI_Reduce", "TUTTI_REDUCE", reduce, vector, yes, yes, yes},
      CollectiveTraits{allreduce, "allreduce", "MPI_Allreduce", "TUTTI_ALLREDUCE", allreduce, vector, no, yes, yes},
      CollectiveTraits{reduce_scatter_block, "reduce_scatter_block", "MPI_Reduce_scatter_block", "TUTTI_REDUCE_SCATTER_BLOCK", reduce_scatter_block, vector, no, yes, no},
      CollectiveTraits{reduce_scatter, "reduce_scatter", "MPI_Reduce_scatter", "TUTTI_REDUCE_SCATTER", reduce_scatter_block, vector, no, yes, no},
      CollectiveTraits{scan, "scan", "MPI_Scan", "TUTTI_SCAN", scan, vector, no, yes, yes},
      CollectiveTraits{exscan, "exscan", "MPI_Exscan", "TUTTI_EXSCAN", exscan, vector, no, yes, yes},
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

/// Whether schedules have one block for each rank, not a vector cut at will.
constexpr bool has_block_a_rank(Collective collective) {
  const Collective regular = traits(collective).regular;
  return traits(regular).size_means == SizeMeans::block || regular == Collective::reduce_scatter_block;
}

/// The collective of that name, or nothing.
constexpr std::optional<Collective> collective_named(std::string_view wanted) {
  for (const auto& entry : collectives)
    if (entry.name == wanted) return entry.collective;
  return std::nullopt;
}

/// A collective as it is called. Plans and schedules are the same for both; what is fastest is not.
struct Called {
  Collective collective;
  Mode mode = Mode::blocking;

  /// "bcast", "ibcast"
  std::string name() const {
    std::string name(traits(collective).name);
    if (mode == Mode::nonblocking) name.insert(0, 1, 'i');
    return name;
  }
  /// "MPI_Bcast", "MPI_Ibcast"
  std::string mpi_name() const {
    std::string name(traits(collective).mpi_name);
    constexpr std::size_t after_prefix = 4;
    if (mode == Mode::nonblocking) {
      name[after_prefix] = static_cast<char>(name[after_prefix] - 'A' + 'a');
      name.insert(after_prefix, 1, 'I');
    }
    return name;
  }
  /// "TUTTI_BCAST", "TUTTI_IBCAST"
  std::string variable() const {
    std::string name(traits(collective).variable);
    if (mode == Mode::nonblocking) name.insert(name.find('_') + 1, 1, 'I');
    return name;
  }

  /// That of such a name, or nothing.
  static std::optional<Called> named(std::string_view wanted) {
    if (const auto collective = collective_named(wanted)) return Called{*collective};
    if (!wanted.starts_with('i')) return std::nullopt;
    const auto collective = collective_named(wanted.substr(1));
    return collective ? std::optional(Called{*collective, Mode::nonblocking}) : std::nullopt;
  }
  friend auto operator<=>(const Called&, const Called&) = default;
};

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
  std::array<Value, 2 * collectives.size()> values_{};
};

/// Calls visit(called) for each collective in each mode.
template <typename Visit>
void for_each_called(Visit&& visit) {
  for (const Mode mode : {Mode::blocking, Mode::nonblocking})
    for (const CollectiveTraits& collective : collectives) visit(Called{collective.collective, mode});
}

}  // namespace tutti
