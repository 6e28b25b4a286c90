#pragma once

#include <map>
#include <memory>
#include <vector>

#include "selection.hpp"

namespace tutti::ort {

/// A grid of processes on MPI, the communicators of the calling process' groups, and the sections
/// it executes.
class Structure {
 public:
  /// Collective over `comm`; the sizes are known to be alike everywhere and to fit. An error's
  /// number if MPI fails.
  static int make(std::span<const int> sizes, MPI_Comm comm, std::unique_ptr<Structure>& made);

  /// Frees the communicators: collective.
  ~Structure();
  Structure(const Structure&) = delete;
  Structure& operator=(const Structure&) = delete;

  std::span<const int> sizes() const { return sizes_; }
  std::span<const int> coordinates() const { return coordinates_; }  ///< empty if idle
  int rank_at(std::span<const int> position) const;                  ///< the last dimension varies fastest
  bool is_idle() const { return grid_ == MPI_COMM_NULL; }

  /// The communicator of the calling process' group with that pattern, made now if it has to be:
  /// then all processes of the group have to ask for it. Not for idle processes.
  int communicator(Pattern pattern, MPI_Comm& comm);

  /// Selections of the sections that the calling process executes, the innermost last.
  std::vector<std::vector<int>> active;

 private:
  explicit Structure(std::span<const int> sizes) : sizes_(sizes.begin(), sizes.end()) {}
  int make_all();
  int make_one(Pattern pattern, MPI_Comm& comm) const;
  std::vector<int> members(Pattern pattern) const;

  std::vector<int> sizes_, coordinates_;
  MPI_Comm grid_ = MPI_COMM_NULL;
  // In order, for communicators are freed together: processes may have made them one after the
  // other in another order.
  std::map<Pattern, MPI_Comm> groups_;
};

}  // namespace tutti::ort
