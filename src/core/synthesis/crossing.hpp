#pragma once

#include <functional>
#include <vector>

#include "core/network/sites.hpp"

namespace tutti::inline core {

/// The pairs of hosts by which pieces go from one site to another. A wide-area connection carries
/// many messages at once, each at the rate of one, until they fill what they share: there are as
/// many pairs as fill it, and thousands at most.
class Crossing {
 public:
  struct Pair {
    Rank from, to;
    double free = 0;  ///< seconds
  };

  /// The pairs for pieces of `bytes` bytes.
  Crossing(const Network& network, const std::vector<Rank>& from, const std::vector<Rank>& to, double bytes);

  /// Sends a piece by the pair by which it is where it belongs first. `ready` says when a rank of
  /// the first site could have it, `onward` what it still has to go from a rank of the second.
  struct Passage {
    Rank from, to;
    double start, arrival;
  };
  Passage send(const std::function<double(Rank)>& ready, const std::function<double(Rank)>& onward);

  const std::vector<Pair>& pairs() const { return pairs_; }

 private:
  const Network& network_;
  double bytes_;
  std::vector<Pair> pairs_;
};

}  // namespace tutti::inline core
