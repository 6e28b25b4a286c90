#include "choose/evidence/found_groups.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "choose/evidence/constants.hpp"
#include "core/schedule/fnv1a.hpp"

namespace tutti::inline choose {
namespace {

// The innermost group of each host, by fnv1a of its name.
std::map<std::uint64_t, int> innermost_groups(const Whereabouts& whereabouts) {
  std::map<std::uint64_t, int> groups;
  for (const auto& [host, group] : whereabouts.group_of) groups.emplace(fnv1a(host), group);
  return groups;
}

bool has_all_of(const Whereabouts& whereabouts, const Whereabouts& others) {
  return std::ranges::all_of(others.group_of,
                             [&](const auto& entry) { return whereabouts.group_of.contains(entry.first); });
}

}  // namespace

void add(std::vector<FoundGroups>& known, FoundGroups found) {
  const auto says_more = [](const FoundGroups& one, const FoundGroups& other) {
    return one.last >= other.last && has_all_of(one.whereabouts, other.whereabouts);
  };
  if (std::ranges::any_of(known, [&](const FoundGroups& each) { return says_more(each, found); })) return;
  std::erase_if(known, [&](const FoundGroups& each) { return says_more(found, each); });
  known.push_back(std::move(found));
  std::ranges::stable_sort(known, {}, &FoundGroups::last);
  if (known.size() > evidence::most_found_groups) known.erase(known.begin());
}

const FoundGroups* found_of(const std::vector<FoundGroups>& known, const std::vector<std::uint64_t>& hosts) {
  const std::set<std::uint64_t> wanted(hosts.begin(), hosts.end());
  const auto has_them = [&](const FoundGroups& found) {
    const auto groups = innermost_groups(found.whereabouts);
    return std::ranges::all_of(wanted, [&](std::uint64_t host) { return groups.contains(host); });
  };
  const auto last = std::find_if(known.rbegin(), known.rend(), has_them);
  return last == known.rend() ? nullptr : &*last;
}

std::vector<std::vector<std::uint64_t>> groups_of_hosts(const Whereabouts& whereabouts,
                                                        const std::vector<std::uint64_t>& hosts) {
  const auto innermost = innermost_groups(whereabouts);
  std::vector<std::vector<std::uint64_t>> all;
  for (const std::uint64_t host : hosts) {
    auto& around = all.emplace_back();
    const auto known = innermost.find(host);
    for (int at = known == innermost.end() ? Network::Group::none : known->second; at != Network::Group::none;
         at = whereabouts.groups[static_cast<std::size_t>(at)].within)
      around.push_back(static_cast<std::uint64_t>(at) + 1);
    std::ranges::reverse(around);
  }
  return all;
}

bool is_outdated(const FoundGroups& found, Day today) {
  return static_cast<double>(today - found.last) > evidence::groups_hold_for_days;
}

}  // namespace tutti::inline choose
