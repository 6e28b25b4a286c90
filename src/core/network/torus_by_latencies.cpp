#include "core/network/torus_by_latencies.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace tutti::inline core {
namespace {

// Links between the farthest hosts at least: nearer ones are in some torus wherever they are. It
// was chosen by hand.
constexpr int least_diameter = 3;
// Links between the farthest hosts at most. It was chosen by hand.
constexpr int most_apart = 40;
// Part of a link's latency by which latencies may miss whole numbers of links. It was chosen by
// hand.
constexpr double most_missed = 0.2;
// Dimensions of a torus at most. It was chosen by hand.
constexpr std::size_t most_dimensions = 5;
// Places of a torus for each host that is measured, at most. It was chosen by hand.
constexpr int most_places_a_host = 3;
// Comparisons of places before a search ends, which are some seconds. It was chosen by hand.
constexpr std::int64_t most_comparisons = 400'000'000;

// How many links two hosts are apart, by a · hosts + b; 0 where that was not measured.
struct Distances {
  int hosts = 0, largest = 0;
  double hop = 0;  // seconds a link
  std::vector<int> of = {};
  int operator()(int a, int b) const {
    return of[static_cast<std::size_t>(a) * static_cast<std::size_t>(hosts) + static_cast<std::size_t>(b)];
  }
};

// The line through the latencies by their links, by least squares.
struct Line {
  double of_none = 0, hop = 0;  // seconds
};

Line line_through(const Latencies& latencies, const Distances& distances) {
  double pairs = 0, links = 0, seconds = 0, squares = 0, products = 0;
  for (int a = 0; a < distances.hosts; ++a)
    for (int b = 0; b < a; ++b)
      if (const double x = distances(a, b), y = latencies(a, b); x > 0) {
        ++pairs;
        links += x;
        seconds += y;
        squares += x * x;
        products += x * y;
      }
  const double hop = (pairs * products - links * seconds) / (pairs * squares - links * links);
  return {(seconds - hop * links) / pairs, hop};
}

bool is_on_line(const Latencies& latencies, const Distances& distances, const Line& line) {
  for (int a = 0; a < distances.hosts; ++a)
    for (int b = 0; b < a; ++b)
      if (const int links = distances(a, b);
          links > 0 &&
          std::abs(latencies(a, b) - line.of_none - links * line.hop) > most_missed * std::abs(line.hop))
        return false;
  return true;
}

// The nearest are neighbours, and all else is a whole number of the largest unit that explains it.
std::optional<Distances> distances_of(const Latencies& latencies) {
  const int hosts = latencies.hosts();
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (int a = 0; a < hosts; ++a)
    for (int b = 0; b < a; ++b)
      if (const double each = latencies(a, b); each > 0) {
        least = std::min(least, each);
        most = std::max(most, each);
      }
  if (most <= least) return std::nullopt;
  for (int apart = least_diameter; apart <= most_apart; ++apart) {
    const double step = (most - least) / (apart - 1);
    Distances distances{.hosts = hosts, .largest = apart};
    for (int a = 0; a < hosts; ++a)
      for (int b = 0; b < hosts; ++b) {
        const double each = a == b ? 0 : latencies(a, b);
        distances.of.push_back(each > 0 ? 1 + static_cast<int>(std::lround((each - least) / step)) : 0);
      }
    const Line line = line_through(latencies, distances);
    if (!is_on_line(latencies, distances, line)) continue;
    distances.hop = line.hop;
    return distances;
  }
  return std::nullopt;
}

// All ways to write a number of places as a product of sides, each in descending order.
void add_sides(int places, int largest, std::vector<int>& begun, std::vector<std::vector<int>>& all) {
  if (places == 1) return all.push_back(begun);
  if (begun.size() == most_dimensions) return;
  for (int side = std::min(places, largest); side >= 2; --side) {
    if (places % side != 0) continue;
    begun.push_back(side);
    add_sides(places / side, side, begun, all);
    begun.pop_back();
  }
}

// By distance, how many others a host has there at most.
std::vector<int> most_at_each(const Distances& distances) {
  std::vector<int> most(static_cast<std::size_t>(distances.largest) + 1);
  for (int host = 0; host < distances.hosts; ++host) {
    std::vector<int> own(most.size());
    for (int other = 0; other < distances.hosts; ++other)
      ++own[static_cast<std::size_t>(distances(host, other))];
    for (std::size_t away = 1; away < most.size(); ++away) most[away] = std::max(most[away], own[away]);
  }
  return most;
}

// Whether from each place in a torus there are as many others at every distance.
bool has_as_many(const std::vector<int>& sides, const std::vector<int>& wanted) {
  std::vector<int> there{1};
  for (const int side : sides) {
    std::vector<int> next(there.size() + static_cast<std::size_t>(side) / 2);
    for (int at = 0; at < side; ++at)
      for (std::size_t away = 0; away < there.size(); ++away)
        next[away + static_cast<std::size_t>(steps_apart(0, at, side))] += there[away];
    there = std::move(next);
  }
  if (there.size() < wanted.size()) return false;
  return std::equal(wanted.begin(), wanted.end(), there.begin(), std::less_equal());
}

// Places for hosts in a torus of certain sides, by trying: where few places are left for a host
// that one is next, and what it is given leaves few for others.
class Placing {
 public:
  Placing(const Distances& distances, const std::vector<int>& sides, std::int64_t& left)
      : distances_(distances), torus_{.sides = sides}, left_(left) {
    const auto places = static_cast<int>(torus_.places());
    for (int place = 0; place < places; ++place) {
      std::vector<int>& at = torus_.coordinates.emplace_back();
      int rest = place;
      for (const int side : sides) {
        at.push_back(rest % side);
        rest /= side;
      }
    }
  }

  // By host, its place.
  std::optional<std::vector<std::vector<int>>> run() {
    Open open(static_cast<std::size_t>(distances_.hosts), all_places());
    place(open, 0, 0);  // the torus looks the same from everywhere
    if (!complete(open)) return std::nullopt;
    std::vector<std::vector<int>> coordinates;
    for (const auto& places : open)
      coordinates.push_back(torus_.coordinates[static_cast<std::size_t>(places.front())]);
    return coordinates;
  }

 private:
  using Open = std::vector<std::vector<int>>;  // by host, the places that it may have

  std::vector<int> all_places() const {
    std::vector<int> all(torus_.coordinates.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  // Whether all others still have a place.
  bool place(Open& open, int host, int at) {
    open[static_cast<std::size_t>(host)] = {at};
    for (int other = 0; other < distances_.hosts; ++other) {
      if (other == host) continue;
      auto& places = open[static_cast<std::size_t>(other)];
      left_ -= static_cast<std::int64_t>(places.size());
      const int away = distances_(host, other);
      std::erase_if(places,
                    [&](int each) { return each == at || (away > 0 && torus_.distance(at, each) != away); });
      if (places.empty()) return false;
    }
    return true;
  }

  bool complete(Open& open, std::vector<bool> placed = {}) {
    if (placed.empty()) {
      placed.assign(open.size(), false);
      placed.front() = true;
    }
    while (left_ > 0) {
      left_ -= distances_.hosts;
      std::size_t next = open.size();
      for (std::size_t host = 0; host < open.size(); ++host)
        if (!placed[host] && (next == open.size() || open[host].size() < open[next].size())) next = host;
      if (next == open.size()) return true;
      placed[next] = true;
      const std::vector<int> choices = open[next];
      if (choices.size() == 1) {
        if (!place(open, static_cast<int>(next), choices.front())) return false;
        continue;
      }
      for (const int choice : choices) {
        Open tried = open;
        for (const auto& places : tried) left_ -= static_cast<std::int64_t>(places.size());
        if (!place(tried, static_cast<int>(next), choice) || !complete(tried, placed)) continue;
        open = std::move(tried);
        return true;
      }
      return false;
    }
    return false;
  }

  const Distances& distances_;
  Torus torus_;  // with a host at every place
  std::int64_t& left_;
};

}  // namespace

std::optional<Torus> torus_by_latencies(const Latencies& latencies) {
  if (latencies.hosts() < fewest_hosts_of_a_torus) return std::nullopt;
  const auto distances = distances_of(latencies);
  if (!distances) return std::nullopt;
  const std::vector<int> wanted = most_at_each(*distances);
  std::int64_t left = most_comparisons;
  for (int places = distances->hosts; places <= most_places_a_host * distances->hosts; ++places) {
    std::vector<std::vector<int>> all;
    std::vector<int> begun;
    add_sides(places, places, begun, all);
    std::ranges::stable_sort(all, {}, [](const std::vector<int>& sides) { return sides.size(); });
    std::erase_if(all, [&](const std::vector<int>& sides) { return !has_as_many(sides, wanted); });
    for (const auto& sides : all) {
      if (left <= 0) return std::nullopt;
      if (auto coordinates = Placing(*distances, sides, left).run())
        return Torus{.sides = sides, .coordinates = std::move(*coordinates), .hop = distances->hop};
    }
  }
  return std::nullopt;
}

}  // namespace tutti::inline core
