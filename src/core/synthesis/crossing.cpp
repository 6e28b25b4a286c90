#include "core/synthesis/crossing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tutti::inline core {
namespace {

// Pairs of two sites at most, of which each piece looks at every one. It was chosen by hand: no
// connection is known to need more to be full.
constexpr std::size_t most_pairs = 4096;

}  // namespace

Crossing::Crossing(const Network& network, const std::vector<Rank>& from, const std::vector<Rank>& to,
                   double bytes)
    : network_(network), bytes_(bytes) {
  // Each sender's first pair, then each one's second, …: so that any number of pairs is spread
  // evenly.
  double rate = 0;
  const std::size_t all = std::min(from.size() * to.size(), most_pairs);
  for (std::size_t number = 0; number < all; ++number) {
    const std::size_t i = number % from.size(), turn = number / from.size();
    pairs_.push_back({from[i], to[(i + turn) % to.size()]});
    rate += 1 / hockney_of(network.between(pairs_.back().from, pairs_.back().to)).beta;
  }
  const double trunk = trunk_between(network, from, to);
  if (trunk == 0) return;
  const double alone = rate / static_cast<double>(pairs_.size());
  const double most = std::max(1.0, std::ceil(1 / trunk / alone));
  if (most < static_cast<double>(pairs_.size())) pairs_.resize(static_cast<std::size_t>(most));
}

Crossing::Passage Crossing::send(const std::function<double(Rank)>& ready,
                                 const std::function<double(Rank)>& onward) {
  Pair* best = &pairs_.front();
  double best_end = std::numeric_limits<double>::infinity();
  for (Pair& pair : pairs_) {
    const double end = std::max(pair.free, ready(pair.from)) +
                       network_.between(pair.from, pair.to).time(bytes_) + onward(pair.to);
    if (end < best_end) {
      best_end = end;
      best = &pair;
    }
  }
  const Link& link = network_.between(best->from, best->to);
  const double start = std::max(best->free, ready(best->from));
  best->free = start + link.gap(bytes_);
  return {best->from, best->to, start, start + link.time(bytes_)};
}

}  // namespace tutti::inline core
