#include "core/synthesis/crossing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tutti::inline core {

Crossing::Crossing(const Network& network, const std::vector<Rank>& from, const std::vector<Rank>& to,
                   double bytes)
    : network_(network), bytes_(bytes) {
  // Each sender's first pair, then each one's second, …: so that any number of pairs is spread
  // evenly.
  double rate = 0;
  for (std::size_t turn = 0; turn < to.size(); ++turn)
    for (std::size_t i = 0; i < from.size(); ++i) {
      pairs_.push_back({from[i], to[(i + turn) % to.size()]});
      rate += 1 / hockney_of(network.between(pairs_.back().from, pairs_.back().to)).beta;
    }
  const double trunk = trunk_between(network, from, to);
  if (trunk == 0) return;
  const double alone = rate / static_cast<double>(pairs_.size());
  const auto most = static_cast<std::size_t>(std::max(1.0, std::ceil(1 / trunk / alone)));
  if (most < pairs_.size()) pairs_.resize(most);
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
