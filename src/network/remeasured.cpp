#include "network/remeasured.hpp"

#include <algorithm>
#include <map>

namespace tutti {
namespace {

// So that a message of so many bytes takes so many seconds.
Link stretched(const Link& link, double bytes, double seconds) {
  const double latency = hockney_of(link).alpha;
  const double factor = std::max(seconds - latency, 0.01 * seconds) / std::max(link.time(bytes) - latency, 1e-12);
  const auto stretch = [factor](const Curve& curve, double at_zero) {
    std::vector<Curve::Point> points = curve.points();
    for (auto& [size, value] : points) value = at_zero + factor * std::max(0.0, value - at_zero);
    return Curve(std::move(points));
  };
  Link now = link;
  now.time = stretch(link.time, latency);
  now.gap = stretch(link.gap, 0);
  now.send = stretch(link.send, 0);
  return now;
}

}  // namespace

Network remeasured(const Network& network, int ranks, double bytes, const std::vector<PairTime>& times) {
  constexpr double tenth = 1.1;
  Network result = network;
  const auto p = static_cast<std::size_t>(ranks);
  if (result.link_of.empty()) {
    result.link_of.assign(p * p, 0);
    result.ranks = ranks;
  }
  for (const auto& [a, b, seconds] : times) {
    const Link& link = network.between(a, b);
    const double expected = link.time(bytes);
    if (seconds <= expected * tenth && expected <= seconds * tenth) continue;
    const auto number = static_cast<int>(result.links.size());
    result.links.push_back(stretched(link, bytes, seconds));
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
      result.link_of[static_cast<std::size_t>(from) * p + static_cast<std::size_t>(to)] = number;
  }
  return result;
}

}  // namespace tutti
