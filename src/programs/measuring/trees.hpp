#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "run/calls/communicator.hpp"

namespace tutti::run {

/// What the ranks of a communicator tell each other around measurements: up and down binomial trees
/// of ours, so that it takes a message less than there are ranks whatever the library's own
/// operations are like. All are collective.
class Trees {
 public:
  /// A communicator on which plans can run.
  explicit Trees(Communicator& communicator) : communicator_(communicator) {}

  /// Rank 0's bytes, on all ranks.
  void tell(void* data, std::size_t bytes) const;
  template <typename T>
  T tell(T value) const {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    tell(&value, sizeof value);
    return value;
  }
  /// A text of rank 0's.
  std::string tell(std::string text) const;

  /// Element by element the largest of the ranks' values, on rank 0.
  std::vector<double> largest(const std::vector<double>& mine) const;
  /// The largest of the ranks' values, on all of them.
  double largest(double mine) const { return tell(largest(std::vector{mine}).front()); }

  /// The ranks' values, on all of them: for what has to be known of each once.
  std::vector<std::uint64_t> everyones(std::uint64_t mine) const;

 private:
  // The ranks' values, combined on rank 0.
  template <typename T>
  std::vector<T> combined(const std::vector<T>& mine, MPI_Datatype type, MPI_Op operation) const;

  Communicator& communicator_;
};

}  // namespace tutti::run
