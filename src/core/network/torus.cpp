#include "core/network/torus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace tutti::inline core {
namespace {

// Beyond all machines that there are, in hosts; routes may be as long as half of a side. It was
// chosen by hand.
constexpr std::size_t most_places = std::size_t{1} << 20;

// The way round that is taken: 1 where coordinates grow, else -1.
int direction_of(int from, int to, int side) {
  const int up = (to - from + side) % side;
  return 2 * up <= side ? 1 : -1;
}

int place_of(const std::vector<int>& coordinates, const std::vector<int>& sides) {
  int place = 0;
  for (std::size_t i = sides.size(); i-- > 0;) place = place * sides[i] + coordinates[i];
  return place;
}

}  // namespace

int steps_apart(int from, int to, int side) {
  const int up = (to - from + side) % side;
  return std::min(up, side - up);
}

std::vector<int> Torus::route(int from, int to) const {
  std::vector<int> links, at = coordinates[static_cast<std::size_t>(from)];
  const std::vector<int>& end = coordinates[static_cast<std::size_t>(to)];
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const int side = sides[i], by = direction_of(at[i], end[i], side);
    for (; at[i] != end[i]; at[i] = (at[i] + by + side) % side)
      links.push_back((place_of(at, sides) * static_cast<int>(sides.size()) + static_cast<int>(i)) * 2 +
                      (by > 0));
  }
  return links;
}

int Torus::distance(int from, int to) const {
  const auto &a = coordinates[static_cast<std::size_t>(from)], &b = coordinates[static_cast<std::size_t>(to)];
  int links = 0;
  for (std::size_t i = 0; i < sides.size(); ++i) links += steps_apart(a[i], b[i], sides[i]);
  return links;
}

Torus::Step Torus::step(int link) const {
  const auto dimension = static_cast<std::size_t>(link / 2) % sides.size();
  int place = link / 2 / static_cast<int>(sides.size());
  Step step;
  for (const int side : sides) {
    step.from.push_back(place % side);
    place /= side;
  }
  step.to = step.from;
  int& moved = step.to[dimension];
  moved = (moved + (link % 2 == 1 ? 1 : -1) + sides[dimension]) % sides[dimension];
  return step;
}

std::size_t Torus::places() const {
  std::size_t all = 1;
  for (const int side : sides) all *= static_cast<std::size_t>(side);
  return all;
}

Torus with_hosts(const Torus& torus, const std::vector<int>& hosts) {
  Torus some{torus.sides, {}, torus.seconds_per_byte, torus.hop};
  for (const int host : hosts) some.coordinates.push_back(torus.coordinates[static_cast<std::size_t>(host)]);
  return some;
}

std::optional<std::string> contradiction_of_torus(const Torus& torus, int hosts) {
  std::size_t places = 1;
  for (const int side : torus.sides) {
    if (side < 2) return fmt::format("a torus has a side of {}; leave out sides below 2", side);
    if ((places *= static_cast<std::size_t>(side)) > most_places)
      return fmt::format("a torus of {} has more places than there can be", text_of_sides(torus.sides));
  }
  if (torus.sides.empty()) return "a torus has no sides; name the number of hosts along each dimension";
  if (torus.coordinates.empty()) return "the torus has coordinates of no host; name those of every host";
  if (torus.coordinates.size() != static_cast<std::size_t>(hosts))
    return fmt::format("the torus has coordinates of {} hosts, and there are {} hosts",
                       torus.coordinates.size(), hosts);
  std::set<std::vector<int>> taken;
  for (std::size_t host = 0; host < torus.coordinates.size(); ++host) {
    const auto& at = torus.coordinates[host];
    bool fits = at.size() == torus.sides.size();
    for (std::size_t i = 0; fits && i < at.size(); ++i) fits = at[i] >= 0 && at[i] < torus.sides[i];
    if (!fits)
      return fmt::format("host {} is at {}, which is no place of a torus of {}", host, fmt::join(at, ","),
                         text_of_sides(torus.sides));
    if (!taken.insert(at).second) return fmt::format("two hosts are at {} of the torus", fmt::join(at, ","));
  }
  return std::nullopt;
}

std::string text_of_sides(const std::vector<int>& sides) {
  return fmt::format("{}", fmt::join(sides, "x"));
}

}  // namespace tutti::inline core
