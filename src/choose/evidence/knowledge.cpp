#include "choose/evidence/knowledge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>

#include "choose/evidence/constants.hpp"
#include "choose/evidence/contrast.hpp"
#include "core/network/by_levels.hpp"

namespace tutti::inline choose {
namespace {

// Whether so little is left of what was seen that nothing follows from it.
bool is_forgotten(const Evidence& evidence, Day today) {
  return static_cast<double>(today - evidence.last) > evidence::forgotten_after_days && evidence.alone <= 0 &&
         evidence.against_others.empty() && evidence.seconds.count < evidence::forgotten_below &&
         evidence.against_native.count < evidence::forgotten_below;
}

// Returns whether it counts for less now.
bool fade_to(Day today, Day since, Evidence& evidence) {
  const Day from = std::max(evidence.last, since);
  if (from >= today) return false;
  const double left = std::exp2(-static_cast<double>(today - from) / evidence::half_life_days);
  evidence.seconds.fade(left);
  evidence.against_native.fade(left);
  evidence.untried_s *= left;
  for (auto& [other, contrasts] : evidence.against_others) contrasts.fade(left);
  std::erase_if(evidence.against_others,
                [](const auto& entry) { return entry.second.count < evidence::forgotten_below; });
  if (static_cast<double>(today - evidence.last) > evidence::half_life_days) evidence.alone = 0;
  return true;
}

void fade_to(Day today, Day since, Knowledge::Classes& classes) {
  for (auto& [key, plans] : classes)
    for (auto seen = plans.begin(); seen != plans.end();)
      seen = fade_to(today, since, seen->second) && is_forgotten(seen->second, today) ? plans.erase(seen)
                                                                                      : std::next(seen);
  std::erase_if(classes, [](const auto& entry) { return entry.second.empty(); });
}

void merge_into(Knowledge::Classes& classes, const Knowledge::Classes& others) {
  for (const auto& [key, plans] : others)
    for (const auto& [plan, evidence] : plans) classes[key][plan].merge(evidence);
}

}  // namespace

void Evidence::merge(const Evidence& other) {
  if (other.empty()) return;
  first = !empty() ? std::min(first, other.first) : other.first;
  if (other.alone > 0 && other.last >= last) alone = other.alone;
  last = std::max(last, other.last);
  calls += other.calls;
  untried_s += other.untried_s;
  seconds.merge(other.seconds);
  against_native.merge(other.against_native);
  for (const auto& [plan, contrasts] : other.against_others)
    if (contrasts.count > 0) against_others[plan].merge(contrasts);
}

Interval Evidence::ratio_to_native() const {
  return ratio_of_contrast(against_native.interval(0.01));
}

void Knowledge::merge(const Knowledge& other) {
  if (other.as_of < as_of) {
    Knowledge faded = other;
    faded.fade(as_of);
    return merge(faded);
  }
  fade(other.as_of);
  merge_into(classes, other.classes);
  merge_into(of_other_versions, other.of_other_versions);
  for (const auto& [stack, network] : other.networks) networks.insert_or_assign(stack, network);
  for (const FoundGroups& found : other.groups) add(groups, found);
}

Knowledge Knowledge::seen_from(const Fingerprint& here) const {
  Knowledge seen{.machine = machine, .classes = {}, .networks = {}, .groups = groups, .as_of = as_of};
  const auto agrees = [&](const std::string& transport, int hosts) {
    return transport.empty() || here.carrier(hosts).empty() || transport == here.carrier(hosts);
  };
  const auto take = [&](const Classes& from, Classes& into) {
    for (const auto& [key, plans] : from)
      if (key.mpi == here.mpi && agrees(key.transport, key.calls.placement.hosts))
        for (const auto& [plan, evidence] : plans) into[{key.mpi, key.calls}][plan].merge(evidence);
  };
  take(classes, seen.classes);
  take(of_other_versions, seen.of_other_versions);
  // A network of several hosts says more than one within a host, one that knows groups more than
  // one that does not, and where it was seen more than nothing.
  int most = -1;
  for (const auto& [stack, network] : networks) {
    const int hosts = count(network.hosts),
              told = 2 * (hosts + count_levels(network)) + !stack.transport.empty();
    if (stack.mpi != here.mpi || !agrees(stack.transport, hosts) || told <= most) continue;
    most = told;
    seen.networks.insert_or_assign({here.mpi}, network);
  }
  return seen;
}

std::vector<Fingerprint> Knowledge::places() const {
  std::map<std::string, std::array<std::set<std::string>, 2>> seen;  // by MPI: within hosts, between them
  for (const auto& [key, plans] : classes) seen[key.mpi][key.calls.placement.hosts > 1].insert(key.transport);
  std::vector<Fingerprint> all;
  for (auto& [mpi, transports] : seen) {
    for (auto& known : transports)
      if (known.size() != 1) known.erase("");  // counts as seen on each of the others
    for (const auto& within : transports[0].empty() ? std::set<std::string>{""} : transports[0])
      for (const auto& between : transports[1].empty() ? std::set<std::string>{""} : transports[1])
        all.push_back({mpi, machine, within, between});
  }
  return all;
}

void Knowledge::drop(const std::function<bool(const Key&)>& which) {
  for (Classes* all : {&classes, &of_other_versions})
    std::erase_if(*all, [&](const auto& entry) { return which(entry.first); });
}

// Files are written anew each time that a program adds to them, and nothing is to fade twice.
void Knowledge::fade(Day today) {
  if (today <= as_of) return;
  for (Classes* all : {&classes, &of_other_versions}) fade_to(today, as_of, *all);
  std::erase_if(groups, [&](const FoundGroups& found) { return is_outdated(found, today); });
  as_of = today;
}

void Knowledge::end_by(Day day) {
  as_of = std::min(as_of, day);
  for (Classes* all : {&classes, &of_other_versions})
    for (auto& [key, plans] : *all)
      for (auto& [plan, evidence] : plans) {
        evidence.first = std::min(evidence.first, day);
        evidence.last = std::min(evidence.last, day);
      }
  for (FoundGroups& found : groups) found.last = std::min(found.last, day);
}

void Knowledge::fade_as_of(Day day) {
  if (day < evidence::first_day) return;
  end_by(day);
  fade(day);
}

Network network_on(const Hosts& hosts, const Network& known) {
  Network network = known;
  network.hosts = hosts;
  network.groups.clear();
  network.torus.reset();
  if (known.links.size() == 1) return network;
  network.links = {known.links.back(), known.links.front()};
  network.link_on_host = 1;
  return network;
}

}  // namespace tutti::inline choose
