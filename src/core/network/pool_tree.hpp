#pragma once

#include <string>
#include <vector>

#include "core/network/network.hpp"

namespace tutti::inline core {

/// Bytes per second between all pairs of ranks, both directions averaged: by rank · ranks + rank.
class Bandwidths {
 public:
  Bandwidths(int ranks, std::vector<double> values) : ranks_(ranks), values_(std::move(values)) {}
  /// The bandwidths of the straight lines of a network's links.
  Bandwidths(const Network& network, int ranks);
  int ranks() const { return ranks_; }
  double operator()(Rank a, Rank b) const {
    return values_[static_cast<std::size_t>(a) * static_cast<std::size_t>(ranks_) +
                   static_cast<std::size_t>(b)];
  }

 private:
  int ranks_;
  std::vector<double> values_;
};

/// Ranks that are near to each other, and the nearer ones among them.
struct Pool {
  double threshold;         ///< bytes per second: what its ranks have to the others of it, on the average
  std::vector<Rank> ranks;  ///< ascending
  std::vector<Pool> pools;  ///< it splits into them; empty: into its ranks
  friend bool operator==(const Pool&, const Pool&) = default;
};

/// The values at which a network may fall apart, ascending: bandwidths are sorted and cut into sets
/// that span a tenth, and the largest of each set is a threshold.
std::vector<double> bandwidth_thresholds(const Bandwidths& bandwidths);

/// Splits all ranks by ever higher thresholds. A pool splits where its ranks form groups, each rank
/// with an average bandwidth to the others of its group that is at most a fifth below the
/// threshold, and where groups are clearly farther from each other than the ranks within them:
/// measurements scatter.
///
/// Source: Gupta, Vadhiyar, An Efficient MPI_Allgather for Grids, 2007, section 5.1; the condition
/// on the distance of groups is ours.
Pool pool_tree(const Bandwidths& bandwidths);
Pool pool_tree(const Bandwidths& bandwidths, const std::vector<double>& thresholds);
/// The tree of a network's first `ranks` ranks. Where links go by hosts it is these, or one pool,
/// which takes no table of all pairs.
Pool pool_tree(const Network& network, int ranks);

}  // namespace tutti::inline core
