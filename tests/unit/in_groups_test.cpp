// What a table keeps of groups of hosts, and the networks of other ranks that follow.

#include "core/network/in_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/network/by_hosts.hpp"
#include "core/network/groups.hpp"
#include "core/network/parts_apart.hpp"

namespace tutti {
namespace {

// Two groups of two hosts, with two ranks and two sockets on each host, within one group of all.
Network of_two_groups() {
  Network network = Network::uniform({1e-5, 1e-9});
  network.groups = {{.within = 3, .out = 1e-9}, {.within = 3, .out = 3e-9, .in = 2e-9}, {}};
  network.groups.push_back({.between = 5e-9});
  for (int host = 0; host < 4; ++host) {
    const auto around = static_cast<int>(network.groups.size());
    network.groups.push_back({.name = "host", .within = host / 2});
    for (int socket = 0; socket < 2; ++socket) {
      network.hosts.push_back(host);
      network.group_of.push_back(static_cast<int>(network.groups.size()));
      network.groups.push_back({.within = around, .out = 1e-10, .part = HostPart::socket});
    }
    network.host_names.push_back("h" + std::to_string(host));
  }
  return network;
}

TEST(InGroups, TheModelHasGroupsOfHostsAndNoPartsOfThese) {
  const Network network = of_two_groups();
  ASSERT_EQ(contradiction_of_groups(network), std::nullopt);
  const Network model = by_hosts_in_groups(network);
  EXPECT_EQ(contradiction_of_groups(model), std::nullopt);
  EXPECT_EQ(model.hosts, network.hosts);
  EXPECT_EQ(model.host_names, network.host_names);
  ASSERT_EQ(model.groups.size(), 3u);
  EXPECT_EQ(model.group_of, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(model.groups[0].within, 2);
  EXPECT_EQ(model.groups[1].in, 2e-9);
  EXPECT_EQ(model.groups[2].between, 5e-9);
}

TEST(InGroups, WhereNothingIsNarrowTheModelIsByHostsAlone) {
  Network network = of_two_groups();
  for (Network::Group& group : network.groups)
    if (!group.part) group.out = group.in = group.between = 0;
  EXPECT_EQ(by_hosts_in_groups(network), by_hosts(network));
  Network alone = Network::uniform({1e-5, 1e-9});
  alone.hosts = {0, 0, 1};
  EXPECT_EQ(by_hosts_in_groups(alone), by_hosts(alone));
  EXPECT_EQ(network_in_groups(alone, {0, 1}, nullptr).groups, by_hosts(alone).groups);
}

TEST(InGroups, TheModelHasTheTrunksOfItsSites) {
  Network network = of_two_groups();
  network.trunks = {{1, 5, 7e-9}, {5, 1, 0}};
  const auto narrow_ways = [](const Network& of) {
    return std::ranges::any_of(of.groups, &Network::Group::has_narrow_ways);
  };
  for (const bool others_are_narrow : {true, false}) {
    if (!others_are_narrow)
      for (Network::Group& group : network.groups)
        if (!group.part) group.out = group.in = group.between = 0;
    const Network model = by_hosts_in_groups(network);
    EXPECT_EQ(contradiction_of_groups(model), std::nullopt);
    EXPECT_EQ(narrow_ways(model), others_are_narrow);
    EXPECT_EQ(shared_trunks(model), (std::map<std::pair<int, int>, double>{{{0, 1}, 7e-9}}));
    const Network network_of_same = network_in_groups(model, model.hosts, &model);
    EXPECT_EQ(network_of_same.trunks, model.trunks);
    EXPECT_EQ(network_of_same.groups, model.groups);
  }
}

TEST(InGroups, GroupsOfOtherHostsHaveTheWaysOfTheirLevel) {
  const Network model = by_hosts_in_groups(of_two_groups());
  // Three groups that somebody told, and none around them.
  const Hosts hosts{0, 1, 2, 3, 4, 5};
  const Network told = with_groups_around({.hosts = hosts}, {{7}, {8}, {9}, {7}, {8}, {9}});
  const Network network = network_in_groups(model, hosts, &told);
  EXPECT_EQ(contradiction_of_groups(network), std::nullopt);
  EXPECT_EQ(network.hosts, hosts);
  EXPECT_EQ(network.links, model.links);
  ASSERT_EQ(count_groups_of_all(network, 6), 1);
  const auto around = groups_around(network, 4);
  ASSERT_EQ(around.size(), 2u);
  EXPECT_EQ(network.groups[static_cast<std::size_t>(around[0])].out, 3e-9) << "the upper one of two";
  EXPECT_EQ(network.groups[static_cast<std::size_t>(around[1])].between, 5e-9);

  // Ways that are known are not guessed, nor those of more levels than the model has.
  Network known = told;
  known.groups.front().in = 4e-9;
  EXPECT_EQ(network_in_groups(model, hosts, &known).groups, known.groups);
  const Network deep = with_groups_around(
      {.hosts = hosts},
      {{1, 2, 7, 11}, {1, 2, 8, 12}, {1, 3, 9, 13}, {1, 2, 7, 11}, {1, 2, 8, 12}, {1, 3, 9, 13}});
  for (const Network::Group& group : network_in_groups(model, hosts, &deep).groups)
    EXPECT_FALSE(group.has_narrow_ways());
  EXPECT_TRUE(network_in_groups(model, hosts, nullptr).groups.empty());
}

}  // namespace
}  // namespace tutti
