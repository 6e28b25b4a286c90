// Networks whose hosts have names serve jobs on these hosts, in whatever order and however many of
// them there are.

#include "core/network/stand_ins.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/network/group_levels.hpp"
#include "core/network/groups.hpp"
#include "core/network/network_file.hpp"
#include "core/network/quantised.hpp"
#include "core/schedule/by_place.hpp"
#include "core/schedule/fnv1a.hpp"
#include "core/synthesis/known_network.hpp"

namespace tutti {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Link far = Link::swift({.alpha = 1e-5, .beta = 1e-8}),
           near = Link::swift({.alpha = 1e-6, .beta = 1e-9});

// Hosts a and b at one switch, c and d at another, two ranks on each.
Network two_switches() {
  return {.links = {far, near},
          .link_on_host = 1,
          .hosts = {0, 0, 1, 1, 2, 2, 3, 3},
          .host_names = {"a", "b", "c", "d"},
          .groups = {{.name = "left", .out = 1e-9}, {.name = "right", .out = 1e-9}},
          .group_of = {0, 0, 0, 0, 1, 1, 1, 1}};
}

// The same hosts with a link for every two ranks, which are nearer to each other at one switch.
Network two_switches_by_pairs() {
  Network network = two_switches();
  network.groups.clear();
  network.group_of.clear();
  network.ranks = 8;
  for (Rank from = 0; from < 8; ++from)
    for (Rank to = 0; to < 8; ++to) network.link_of.push_back(from / 4 == to / 4);
  return network;
}

std::vector<std::uint64_t> on(const std::vector<std::string>& hosts) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& host : hosts) numbers.push_back(fnv1a(host));
  return numbers;
}

TEST(StandIns, FollowHostsInWhateverOrder) {
  const Network network = two_switches();
  EXPECT_THAT(StandIns::of(network, on({"a", "a", "b", "b", "c", "c", "d", "d"})).ranks,
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  const StandIns job = StandIns::of(network, on({"d", "a", "c", "b", "d", "a", "c", "b"}));
  EXPECT_THAT(job.ranks, ElementsAre(6, 0, 4, 2, 7, 1, 5, 3));
  EXPECT_FALSE(job.any_has_more);
  const Network there = network_between(network, job);
  EXPECT_THAT(there.hosts, ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
  EXPECT_THAT(there.host_names, ElementsAre("d", "a", "c", "b"));
  EXPECT_FALSE(contradiction_of_groups(there));
  EXPECT_THAT(GroupLevels::of(there, 8).switches, ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
  EXPECT_THAT(GroupLevels::of(there, 8).order, ElementsAre(0, 4, 2, 6, 1, 5, 3, 7));
}

TEST(StandIns, OfSomeHostsHaveTheLinksBetweenThese) {
  const Network network = two_switches_by_pairs();
  const StandIns job = StandIns::of(network, on({"c", "a", "d"}));
  EXPECT_THAT(job.ranks, ElementsAre(4, 0, 6));
  ASSERT_TRUE(knows_links(network, job));
  const Network there = network_between(network, job);
  EXPECT_EQ(there.between(0, 1), far);
  EXPECT_EQ(there.between(0, 2), near);
  EXPECT_EQ(there.known_ranks(), 3U);
  EXPECT_THAT(job.among({2, 1}).ranks, ElementsAre(6, 0)) << "of a communicator within the job";
}

TEST(StandIns, MayBeFewerThanTheRanksOfAHost) {
  // Where links go by hosts, those of more ranks are known.
  const Network network = two_switches();
  const StandIns job = StandIns::of(network, on({"d", "d", "d", "a", "a", "a"}));
  EXPECT_THAT(job.ranks, ElementsAre(6, 7, 6, 0, 1, 0));
  EXPECT_TRUE(job.any_has_more);
  ASSERT_TRUE(knows_links(network, job));
  EXPECT_EQ(network_between(network, job).between(0, 2), near);
  EXPECT_EQ(network_between(network, job).between(2, 5), far);
  // Else they are not, but groups of hosts are.
  Network by_pairs = two_switches_by_pairs();
  by_pairs.groups = network.groups;
  by_pairs.group_of = network.group_of;
  const StandIns more = StandIns::of(by_pairs, on({"d", "d", "d", "a", "a", "c"}));
  EXPECT_FALSE(knows_links(by_pairs, more));
  EXPECT_THAT(GroupLevels::of(groups_between(by_pairs, more), 6).switches, ElementsAre(0, 0, 0, 1, 1, 0));
  // One rank a host was probed: what messages take within one was not seen.
  Network one_each = two_switches();
  one_each.links = {far};
  one_each.link_on_host = 0;
  one_each.hosts = {0, 1, 2, 3};
  one_each.group_of = {0, 0, 1, 1};
  EXPECT_FALSE(knows_links(one_each, StandIns::of(one_each, on({"d", "d", "a"}))));
  EXPECT_TRUE(knows_links(one_each, StandIns::of(one_each, on({"d", "a"}))));
}

// Of eight ranks on four hosts.
PlacesInHosts two_sockets_each() {
  PlacesInHosts places;
  places[HostPart::socket] = {0, 1, 0, 1, 0, 1, 0, 1};
  return places;
}

TEST(StandIns, OfMoreRanksSayNothingOfSockets) {
  Network network = with_parts_of_hosts(two_switches(), two_sockets_each());
  const auto sockets_on = [&](const std::vector<std::string>& hosts) {
    const StandIns job = StandIns::of(network, on(hosts));
    EXPECT_FALSE(contradiction_of_groups(groups_between(network, job)));
    const auto levels = GroupLevels::of(groups_between(network, job), static_cast<int>(hosts.size()));
    EXPECT_FALSE(levels.switches.empty());
    return levels.in_hosts[HostPart::socket];
  };
  EXPECT_THAT(sockets_on({"d", "d", "c", "a", "a"}), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(sockets_on({"d", "d", "c", "a", "a", "a"}), IsEmpty());
}

TEST(StandIns, OfMoreRanksSayNothingOfPartsOfParts) {
  Network network = two_switches();
  network.hosts = {0, 0, 0, 0, 1, 1, 1, 1};
  network.host_names = {"a", "b"};
  network.group_of = {0, 0, 0, 0, 1, 1, 1, 1};
  PlacesInHosts places;
  places[HostPart::socket] = {0, 0, 0, 1, 2, 2, 2, 3};
  places[HostPart::cache] = {0, 0, 1, 2, 3, 3, 4, 5};
  network = with_parts_of_hosts(network, places);
  const StandIns job = StandIns::of(network, on({"a", "a", "a", "a", "a", "b"}));
  ASSERT_TRUE(job.any_has_more);
  EXPECT_EQ(GroupLevels::of(groups_between(network, job), 6).in_hosts, PlacesInHosts());
}

// A trunk's end is one rank of its site; a job may be without that one.
TEST(StandIns, KeepTrunksOfTheirSites) {
  Network network = two_switches();
  network.trunks = {{0, 4, 1e-8}};
  const auto between = [&](const std::vector<std::string>& hosts) {
    std::vector<std::pair<Rank, Rank>> ends;
    for (const Trunk& trunk : network_between(network, StandIns::of(network, on(hosts))).trunks)
      ends.emplace_back(trunk.from, trunk.to);
    return ends;
  };
  EXPECT_THAT(between({"a", "b", "c"}), ElementsAre(testing::Pair(0, 2)));
  EXPECT_THAT(between({"d", "b"}), ElementsAre(testing::Pair(1, 0)));
  EXPECT_THAT(between({"a", "b"}), IsEmpty());
}

TEST(StandIns, LackWhereAHostIsStrange) {
  const Network network = two_switches();
  const StandIns job = StandIns::of(network, on({"a", "b", "x", "c", "y"}));
  EXPECT_EQ(job.on_strange_host, 2);
  EXPECT_THAT(job.ranks, IsEmpty());
  EXPECT_FALSE(knows_links(network, job));
  EXPECT_THAT(job.among({0, 1}).ranks, IsEmpty());
}

TEST(StandIns, GoByOrderWhereHostsAreAlike) {
  EXPECT_TRUE(tells_hosts_apart(two_switches()));
  EXPECT_TRUE(tells_hosts_apart(two_switches_by_pairs()));
  Network alike = two_switches();
  alike.groups.clear();
  alike.group_of.clear();
  EXPECT_FALSE(tells_hosts_apart(alike));
  EXPECT_THAT(StandIns::of(alike, on({"x", "y", "x", "z"})).ranks, ElementsAre(0, 2, 1, 4));
  EXPECT_EQ(StandIns::of(alike, on({"v", "w", "x", "y", "z"})).on_strange_host, 0) << "more than it has";
  alike = with_parts_of_hosts(alike, two_sockets_each());
  EXPECT_FALSE(tells_hosts_apart(alike)) << "what is within each";
  alike.trunks = {{0, 4, 1e-8}};
  EXPECT_TRUE(tells_hosts_apart(alike));
}

TEST(StandIns, OfAMeasuringProgramKeepTheNetworkAsItIsOnTheSameHosts) {
  Network network = two_switches();
  network.lmo = Lmo{{1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, std::vector<double>(64, 1.0)};
  const Hosts by_pairs{0, 0, 1, 1, 2, 2, 3, 3};
  EXPECT_EQ(network_on(network, by_pairs, {"a", "b", "c", "d"}).value(), network);
  const auto other = network_on(network, by_pairs, {"c", "a", "d", "b"});
  ASSERT_TRUE(other);
  EXPECT_THAT(other->host_names, ElementsAre("c", "a", "d", "b"));
  EXPECT_THAT(other->group_of, ElementsAre(1, 1, 0, 0, 1, 1, 0, 0));
  EXPECT_THAT(network_on(network, {0, 0, 1}, {"a", "x"}).error().message,
              HasSubstr("host x of rank 2 is not in it; probe with that host"));
  Network nameless = network;
  nameless.host_names.clear();
  EXPECT_EQ(network_on(nameless, {0, 0, 1}, {"a", "x"}).value(), nameless);
  Network by_links = two_switches_by_pairs();
  EXPECT_THAT(network_on(by_links, {0, 0, 0}, {"a"}).error().message, HasSubstr("probe with as many"));
}

TEST(HostNames, AreKeptInFiles) {
  const Network network = two_switches();
  EXPECT_EQ(parse_network(to_text(network), "network").value().host_names, network.host_names);
  const auto error_of = [](const std::string& names) {
    const auto read = parse_network(R"({"$schema": "tutti-network-1", "hosts": [0, 0, 1],
                                        "links": [{"alpha_s": 1, "beta_s_per_byte": 1}], "host_names": )" +
                                        names + "}",
                                    "network");
    return read ? "" : read.error().message;
  };
  EXPECT_EQ(error_of(R"(["a", "b"])"), "");
  EXPECT_EQ(error_of("[]"), "");
  EXPECT_THAT(error_of(R"(["a", "b", "c"])"), HasSubstr("there are names of 3 hosts, and 2 hosts"));
  EXPECT_THAT(error_of(R"(["a", "a"])"), HasSubstr("two hosts are called a"));
  EXPECT_THAT(error_of(R"(["a", ""])"), HasSubstr("a host has an empty name"));
  EXPECT_THAT(error_of(R"(["a", 1])"), HasSubstr("network"));
}

TEST(HostNames, GiveEachRankAHostWhereNothingElseIsSaidOfThem) {
  const auto read = parse_network(R"({"$schema": "tutti-network-1", "group_of": [0, 0, 1], "groups": [{}, {}],
                                      "links": [{"alpha_s": 1, "beta_s_per_byte": 1}], "host_names": ["a", "b", "c"]})",
                                  "network");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->hosts, ElementsAre(0, 1, 2));
}

// Schedules are kept by the network's fingerprint: other hosts that are alike may use them.
TEST(HostNames, AreNothingThatSchedulesGoBy) {
  Network network = two_switches();
  const auto before = KnownNetwork::of(network, 8).fingerprint;
  network.host_names = {"e", "f", "g", "h"};
  EXPECT_EQ(KnownNetwork::of(network, 8).fingerprint, before);
}

}  // namespace
}  // namespace tutti
