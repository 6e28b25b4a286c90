#include "core/network/situation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>

namespace tutti::inline core {
namespace {

constexpr std::array<std::string_view, 3> place_names{"spread", "packed", "within"};

// From each rank to the next one above it, as most of the group have it.
int stride_of(std::vector<Rank> group) {
  std::sort(group.begin(), group.end());
  std::map<int, int> steps;
  for (std::size_t i = 1; i < group.size(); ++i) ++steps[group[i] - group[i - 1]];
  const auto most = std::max_element(steps.begin(), steps.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == steps.end() ? 1 : most->first;
}

std::string_view words(Place place) {
  switch (place) {
    case Place::spread:
      return "one rank a host";
    case Place::packed:
      return "several ranks a host";
    case Place::within:
      return "on one host";
  }
  return "";
}

}  // namespace

std::string_view name(Place place) {
  return place_names[static_cast<std::size_t>(place)];
}

Place place_named(std::string_view name) {
  for (std::size_t i = 0; i < place_names.size(); ++i)
    if (place_names[i] == name) return static_cast<Place>(i);
  throw std::invalid_argument(fmt::format("no group's ranks lie '{}'", name));
}

std::string describe(const Situation& situation) {
  return fmt::format("{}, {}, {}{}",
                     situation.groups == 1 ? "one group" : fmt::format("{} groups at once", situation.groups),
                     situation.stride == 1 ? "neighbours" : fmt::format("{} ranks apart", situation.stride),
                     words(situation.place),
                     situation.sharing == 1 ? "" : fmt::format(" with {} groups", situation.sharing));
}

std::string describe(const Situation::Kind& kind) {
  return fmt::format("{}, {}, {}", kind.beside ? "at once" : "alone", kind.strided ? "apart" : "neighbours",
                     words(kind.place));
}

Situation situation_of(const std::vector<std::vector<Rank>>& groups, const Hosts& hosts) {
  const auto host = [&](Rank rank) { return hosts.empty() ? rank : hosts[static_cast<std::size_t>(rank)]; };
  Situation situation{.groups = static_cast<int>(groups.size()), .stride = stride_of(groups.front())};
  std::map<int, int> sharing;  // groups by host
  bool within = true, spread = true;
  for (const auto& group : groups) {
    std::set<int> own;
    for (const Rank rank : group) own.insert(host(rank));
    within = within && own.size() == 1;
    spread = spread && own.size() == group.size();
    for (const int each : own) situation.sharing = std::max(situation.sharing, ++sharing[each]);
  }
  situation.place = spread ? Place::spread : within ? Place::within : Place::packed;
  return situation;
}

}  // namespace tutti::inline core
