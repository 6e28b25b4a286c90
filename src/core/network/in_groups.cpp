#include "core/network/in_groups.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/network/by_hosts.hpp"
#include "core/network/group_members.hpp"
#include "core/network/groups.hpp"
#include "core/network/median.hpp"

namespace tutti::inline core {
namespace {

using Group = Network::Group;

std::map<int, std::size_t> heights_in(const Network& network) {
  std::vector<std::vector<int>> around;
  for (Rank rank = 0; rank < static_cast<Rank>(network.group_of.size()); ++rank)
    around.push_back(groups_around(network, rank));
  return heights_of(around);
}

// Keeps the groups that have ranks of several hosts, or of one that is in no parts.
void take_groups_of_hosts(const Network& network, Network& result) {
  const auto members = members_of_groups(network);
  std::set<int> left_out = parts_of_hosts(network);
  for (const int part : std::set<int>(left_out))
    if (const int around = network.groups[static_cast<std::size_t>(part)].within;
        around != Group::none && members.at(around).hosts.size() == 1)
      left_out.insert(around);
  std::map<int, int> numbers{{Group::none, Group::none}};
  for (const auto& [group, of] : members)
    if (!left_out.contains(group)) numbers.emplace(group, static_cast<int>(numbers.size()) - 1);
  const auto kept = [&](int group) {
    while (!numbers.contains(group)) group = network.groups[static_cast<std::size_t>(group)].within;
    return numbers.at(group);
  };
  result.groups.resize(numbers.size() - 1);
  for (const auto& [group, number] : numbers)
    if (number != Group::none) {
      Group& mine = result.groups[static_cast<std::size_t>(number)];
      mine = network.groups[static_cast<std::size_t>(group)];
      mine.within = kept(mine.within);
    }
  for (const int group : network.group_of) result.group_of.push_back(kept(group));
}

bool has_narrow_groups(const Network& network) {
  return std::ranges::any_of(network.groups, &Group::has_narrow_ways);
}

// A group of all around those that are in none, for what they send to each other.
void add_group_of_all(Network& network) {
  const auto all = static_cast<int>(network.groups.size());
  for (Group& group : network.groups)
    if (group.within == Group::none) group.within = all;
  for (int& group : network.group_of)
    if (group == Group::none) group = all;
  network.groups.emplace_back();
}

// By height, the middle ones of the ways that ranks' groups have.
std::map<std::size_t, Group> usual_ways(const Network& model) {
  const auto heights = heights_in(model);
  std::map<std::size_t, std::array<std::vector<double>, 3>> seen;
  for (Rank rank = 0; rank < static_cast<Rank>(model.group_of.size()); ++rank)
    for (const int number : groups_around(model, rank)) {
      const Group& group = model.groups[static_cast<std::size_t>(number)];
      auto& [out, in, between] = seen[heights.at(number)];
      out.push_back(group.out);
      in.push_back(group.in);
      between.push_back(group.between);
    }
  std::map<std::size_t, Group> usual;
  for (auto& [height, ways] : seen)
    usual[height] = {.out = median(ways[0]), .in = median(ways[1]), .between = median(ways[2])};
  return usual;
}

void give_usual_ways(const Network& model, Network& network) {
  const int of_all = count_groups_of_all(network, static_cast<int>(network.group_of.size()));
  if (of_all == 0 && count_groups_of_all(model, static_cast<int>(model.group_of.size())) > 0)
    add_group_of_all(network);
  const auto usual = usual_ways(model);
  const auto heights = heights_in(network);
  // Where there are more levels nobody knows which of them the model lacks.
  if (std::ranges::any_of(heights, [&](const auto& each) { return !usual.contains(each.second); })) return;
  for (const auto& [number, height] : heights) {
    const Group& ways = usual.at(height);
    Group& group = network.groups[static_cast<std::size_t>(number)];
    group.out = ways.out;
    group.in = ways.in;
    group.between = ways.between;
  }
}

}  // namespace

Network by_hosts_in_groups(const Network& network) {
  Network result = by_hosts(network);
  if (network.group_of.empty()) return result;
  Network in_groups = result;
  take_groups_of_hosts(network, in_groups);
  for (const Trunk& trunk : network.trunks)
    if (trunk.seconds_per_byte > 0)
      in_groups.trunks.push_back({trunk.from, trunk.to, trunk.seconds_per_byte});
  if (!has_narrow_groups(in_groups) && in_groups.trunks.empty()) return result;
  in_groups.hosts = network.hosts;
  in_groups.host_names = network.host_names;
  return in_groups;
}

Network network_in_groups(const Network& model, const Hosts& hosts, const Network* groups) {
  Network network = by_hosts(model);
  network.hosts = hosts;
  if (!groups || model.group_of.empty()) return network;
  network.groups = groups->groups;
  network.group_of = groups->group_of;
  network.trunks = groups->trunks;
  if (!has_narrow_groups(network) && network.trunks.empty()) give_usual_ways(model, network);
  return network;
}

}  // namespace tutti::inline core
