// What is known of a network by levels of groups: how a quick probe finds it out, how it is kept,
// and what prices follow from it for the plans that a program tries.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "choose/evidence/knowledge.hpp"
#include "choose/planner/online_candidates.hpp"
#include "choose/planner/quick_model.hpp"
#include "choose/probing/quick_levels.hpp"
#include "core/network/by_levels.hpp"
#include "core/network/groups.hpp"
#include "core/network/price.hpp"
#include "core/plan/compositions/near.hpp"
#include "core/schedule/by_place.hpp"

namespace tutti {
namespace {

constexpr double per_byte = 1e-9;

// Latency keeps ports busy for a part of it only.
Link steep_line(double alpha) {
  return {.time = Curve::line(alpha, per_byte), .gap = Curve::line(alpha / 5, per_byte)};
}

// A network of one level of groups, whose ways let through a fourth of what their hosts send.
Network tapered_levels(int hosts_a_group) {
  Network known{
      .links = {steep_line(1e-5), steep_line(1.5e-5)}, .hosts = {0, 1}, .groups = {{.within = 1}, {}}};
  known.groups.front().out = known.groups.front().in = 4 * per_byte / hosts_a_group;
  return known;
}

// Ranks on hosts that are in groups of equally many.
struct RanksInGroups {
  Hosts hosts;
  GroupLevels levels;

  // `order`: by place on hosts, the host's number.
  RanksInGroups(const std::vector<int>& order, int ranks_a_host, int hosts_a_group) {
    std::vector<int> numbers;
    std::vector<std::vector<std::uint64_t>> around;
    for (const int host : order)
      for (int i = 0; i < ranks_a_host; ++i) {
        numbers.push_back(host);
        around.push_back({1 + static_cast<std::uint64_t>(host / hosts_a_group)});
      }
    hosts = numbered(numbers);
    levels = GroupLevels::of(with_groups_around({.hosts = hosts}, around), ranks());
  }
  int ranks() const { return static_cast<int>(hosts.size()); }
  Setting setting() const { return {.ranks = ranks(), .hosts = &hosts, .levels = &levels}; }
};

std::vector<int> in_number_order(int hosts) {
  std::vector<int> order(static_cast<std::size_t>(hosts));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void expect_pairs(const Exchange& exchange) {
  for (std::size_t rank = 0; rank < exchange.partner.size(); ++rank) {
    if (exchange.partner[rank] == Exchange::nobody) {
      EXPECT_FALSE(exchange.sends[rank]);
      continue;
    }
    const auto other = static_cast<std::size_t>(exchange.partner[rank]);
    EXPECT_EQ(exchange.partner[other], static_cast<Rank>(rank));
    EXPECT_NE(exchange.sends[other], exchange.sends[rank]);
  }
}

TEST(QuickLevels, PairNeighborsWithinTheSamePlace) {
  const Hosts hosts{0, 0, 1, 1, 1, 2, 3}, groups{0, 0, 1, 1, 1, 0, 1};
  const Exchange on_hosts = between_neighbors({0, 1, 2, 3, 4, 5, 6}, hosts);
  EXPECT_THAT(on_hosts.partner, testing::ElementsAre(1, 0, 3, 2, -1, -1, -1));
  const Exchange in_groups = between_neighbors(hosts, groups);
  EXPECT_THAT(in_groups.partner, testing::ElementsAre(5, -1, 6, -1, -1, 0, 2));
  const Exchange of_groups = between_neighbors(groups, Hosts(hosts.size(), 0));
  EXPECT_THAT(of_groups.partner, testing::ElementsAre(2, -1, 0, -1, -1, -1, -1));
  for (const Exchange* each : {&on_hosts, &in_groups, &of_groups}) expect_pairs(*each);
}

// All hosts of every other group send, to hosts of one group or of all that don't.
TEST(QuickLevels, PairHostsAcrossGroups) {
  std::mt19937 random(71);
  for (const int groups : {2, 3, 4, 7, 8}) {
    std::vector<int> order = in_number_order(5 * groups);
    std::ranges::shuffle(order, random);
    const RanksInGroups ranks(order, 2, 5);
    const Hosts& places = ranks.levels.groups;
    for (const bool to_all : {false, true}) {
      const Exchange exchange = across(ranks.hosts, places, Hosts(ranks.hosts.size(), 0), to_all);
      expect_pairs(exchange);
      EXPECT_EQ(exchange.pairs(), groups / 2 * 5);
      for (int group = 0; group < groups; ++group) {
        std::set<int> to;
        for (std::size_t rank = 0; rank < places.size(); ++rank)
          if (places[rank] == group && exchange.sends[rank])
            to.insert(places[static_cast<std::size_t>(exchange.partner[rank])]);
        const bool sends = group % 2 == 0 && group + 1 < groups;
        EXPECT_EQ(static_cast<int>(to.size()), !sends ? 0 : to_all ? groups / 2 : 1);
      }
    }
  }
}

// Four groups of six hosts: what all hosts of a group take beside each other tells what a way lets
// through, and which way it is.
TEST(QuickLevels, FindTheWaysThatAreNarrow) {
  const RanksInGroups ranks(in_number_order(24), 1, 6);
  const Hosts everywhere(24, 0);
  const auto found = [&](double to_one, double to_all) {
    const auto slower = [](double by) {
      return Link{.time = Curve::line(1.5e-5, by * per_byte), .gap = Curve::line(0, by * per_byte)};
    };
    return network_of_levels(
        {{}, steep_line(1e-5)}, ranks.hosts,
        {{&ranks.levels.groups, &everywhere, steep_line(1.5e-5), slower(to_one), slower(to_all)}});
  };
  const Network wide = found(1, 1), tree = found(4, 4), dragonfly = found(6, 3);
  for (const Network* network : {&wide, &tree, &dragonfly}) {
    EXPECT_EQ(count_levels(*network), 1);
    EXPECT_EQ(network->links.size(), 2u);
    EXPECT_EQ(contradiction_of_groups(*network), std::nullopt);
  }
  EXPECT_EQ(wide.groups[0].out, 0);
  EXPECT_EQ(wide.groups[1].between, 0);
  EXPECT_NEAR(tree.groups[0].out, 4 * per_byte / 6, 1e-6 * per_byte);
  EXPECT_EQ(tree.groups[0].in, tree.groups[0].out);
  EXPECT_EQ(tree.groups[1].between, 0);
  // Half of what all hosts of a group send goes to each of two groups.
  EXPECT_EQ(dragonfly.groups[0].out, 0);
  EXPECT_NEAR(dragonfly.groups[1].between, 6 * per_byte / 6, 1e-6 * per_byte);
}

// What a probe that had no time did not see makes nothing narrow, and is not looked for again.
TEST(QuickLevels, DoWithoutWhatWasNotSeen) {
  const RanksInGroups ranks(in_number_order(8), 1, 4);
  const Hosts everywhere(8, 0);
  const std::vector<SeenLevel> unseen{{&ranks.levels.groups, &everywhere, {}, {}, {}}};
  const Network network = network_of_levels({{}, steep_line(1e-5)}, ranks.hosts, unseen);
  EXPECT_EQ(count_levels(network), 1);
  EXPECT_EQ(network.links, std::vector(2, steep_line(1e-5)));
  EXPECT_TRUE(network_of_levels({}, ranks.hosts, unseen).links.empty());
}

// No two hosts of one group are there to be seen where each is in a group of its own.
TEST(QuickLevels, HaveHostsThatAreAloneInTheirGroups) {
  const RanksInGroups ranks(in_number_order(4), 1, 1);
  const Hosts everywhere(4, 0);
  const Network network = network_of_levels(
      {}, ranks.hosts, {{&ranks.hosts, &everywhere, steep_line(1e-5), steep_line(1e-5), steep_line(1e-5)}});
  EXPECT_EQ(count_levels(network), 1);
  EXPECT_EQ(network.links, std::vector(2, steep_line(1e-5)));
}

// A level of which no two hosts were seen to exchange messages has the links of the next.
TEST(QuickLevels, HaveALinkOfEachLevel) {
  const RanksInGroups ranks(in_number_order(4), 2, 2);
  const Hosts everywhere(8, 0);
  const Link far = steep_line(1e-5);
  const Network network = network_of_levels({steep_line(1e-6), {}}, ranks.hosts,
                                            {{&ranks.levels.switches, &everywhere, far, far, far}});
  EXPECT_EQ(count_levels(network), 1);
  EXPECT_EQ(network.links, (std::vector{steep_line(1e-6), far, far}));
}

// A damaged file may have more groups than links.
TEST(QuickLevels, AreNoneWhereLinksAreMissing) {
  Network known = tapered_levels(8);
  known.links.pop_back();
  EXPECT_EQ(count_levels(known), 0);
}

TEST(QuickLevels, AreLinksAndWaysOfAnyRanks) {
  Network known{
      .links = {steep_line(1e-6), steep_line(1e-5), steep_line(1.5e-5), steep_line(2e-5)},
      .hosts = {0, 0, 1},
      .groups = {
          {.within = 1, .out = 3 * per_byte}, {.within = 2, .out = 5 * per_byte}, {.between = per_byte}}};
  ASSERT_EQ(count_levels(known), 2);
  // Two hosts a switch, two switches a group, two groups.
  Hosts hosts;
  std::vector<std::vector<std::uint64_t>> around;
  for (Rank rank = 0; rank < 16; ++rank) {
    hosts.push_back(rank / 2);
    around.push_back({1 + static_cast<std::uint64_t>(rank / 8), 1 + static_cast<std::uint64_t>(rank / 4)});
  }
  const GroupLevels levels = GroupLevels::of(with_groups_around({.hosts = hosts}, around), 16);
  const Network network = network_on_levels(hosts, levels, known);
  EXPECT_EQ(contradiction_of_groups(network), std::nullopt);
  EXPECT_EQ(network.between(0, 1), known.links[0]);
  EXPECT_EQ(network.between(0, 2), known.links[1]);
  EXPECT_EQ(network.between(0, 4), known.links[2]);
  EXPECT_EQ(network.between(15, 0), known.links[3]);
  const auto around_first = groups_around(network, 0);
  ASSERT_EQ(around_first.size(), 3u);
  EXPECT_EQ(network.groups[static_cast<std::size_t>(around_first[0])].out, 3 * per_byte);
  EXPECT_EQ(network.groups[static_cast<std::size_t>(around_first[1])].out, 5 * per_byte);
  EXPECT_EQ(network.groups[static_cast<std::size_t>(around_first[2])].between, per_byte);
  EXPECT_EQ(GroupLevels::of(network, 16).groups, levels.groups);

  // Ranks of one group need no more than its links.
  const std::vector<std::vector<std::uint64_t>> of_one(around.begin(), around.begin() + 8);
  const Hosts four(hosts.begin(), hosts.begin() + 8);
  const Network part =
      network_on_levels(four, GroupLevels::of(with_groups_around({.hosts = four}, of_one), 8), known);
  EXPECT_EQ(contradiction_of_groups(part), std::nullopt);
  EXPECT_EQ(part.between(0, 7), known.links[2]);
}

// Files of versions that know nothing of levels stay readable, and the other way round: what these
// take of a network is its first and its last link.
TEST(QuickLevels, AreKeptWithTheKnowledge) {
  const Network by_hosts{.links = {steep_line(1e-6), steep_line(1.5e-5)}, .hosts = {0, 0, 1}};
  const Network by_levels = tapered_levels(8);
  EXPECT_EQ(count_levels(by_hosts), 0);
  const Knowledge known{.machine = "m", .classes = {}, .networks = {{{"an MPI", "zz"}, by_levels}}};
  const auto read = parse_knowledge(to_text(known), "k.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(count_levels(read->networks.begin()->second), 1);
  EXPECT_EQ(read->networks.begin()->second.groups, by_levels.groups);
  const Network seen_by_hosts = network_on({0, 1, 2, 3}, by_levels);
  EXPECT_EQ(seen_by_hosts.between(0, 3), by_levels.links.back());
  EXPECT_TRUE(seen_by_hosts.groups.empty());

  Knowledge both = known;
  both.networks.insert_or_assign({"an MPI", ""}, by_hosts);
  both.networks.insert_or_assign({"an MPI", "here"}, by_hosts);
  const Knowledge seen = both.seen_from({"an MPI", "m", "", ""});
  EXPECT_EQ(count_levels(seen.networks.at({"an MPI"})), 1);
}

// What learning thinks is fastest is so by the price of all ranks, or nearly.
TEST(QuickLevels, TellWhichCandidateIsFastest) {
  const unsigned seed = std::random_device()();
  RecordProperty("seed", static_cast<int>(seed));
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (const int hosts : {64, 128})
    for (const bool is_scattered : {false, true}) {
      const int hosts_a_group = hosts == 64 ? 8 : 16;
      std::vector<int> order = in_number_order(hosts);
      if (is_scattered) std::ranges::shuffle(order, random);
      const RanksInGroups ranks(order, 1, hosts_a_group);
      const Network known = tapered_levels(hosts_a_group);
      const Network network = network_on_levels(ranks.hosts, ranks.levels, known);
      for (const Collective collective :
           {Collective::allgather, Collective::reduce_scatter, Collective::allreduce, Collective::bcast}) {
        // Longer broadcasts go in segments, in more operations than are priced.
        const double most = collective == Collective::bcast       ? 3e4
                            : collective == Collective::allgather ? 5e4
                                                                  : 4e6;
        const auto size = static_cast<std::size_t>(
            std::exp(std::uniform_real_distribution(std::log(8.0), std::log(most))(random)));
        const CallClass calls{collective, {hosts, hosts}, SizeClass::of(size)};
        const Setting setting = ranks.setting();
        const std::size_t bytes = total_bytes(collective, setting, calls.typical_size());
        std::vector<double> seconds;
        std::string texts;
        for (const Priced& one : cheapest(calls, setting, &known, {})) {
          const Shape shape = shape_of(one.plan, setting, 0, bytes);
          seconds.push_back(price(generate(one.plan, shape), bytes, network).seconds);
          texts += "\n" + one.plan.text() + ": " + std::to_string(seconds.back() / one.seconds);
        }
        ASSERT_FALSE(seconds.empty());
        EXPECT_LE(seconds.front(), 1.1 * *std::ranges::min_element(seconds))
            << name(collective) << " of " << calls.typical_size() << " on " << hosts
            << (is_scattered ? " scattered" : "") << texts;
      }
    }
}

// There what has no closed form was taken for faster than it is between groups.
TEST(QuickLevels, TellWhichCandidateIsFastestOnManyRanks) {
  constexpr int hosts = 512, hosts_a_group = 16;
  std::vector<int> order = in_number_order(hosts);
  std::ranges::shuffle(order, std::mt19937(71));
  const RanksInGroups ranks(order, 1, hosts_a_group);
  const Network known = tapered_levels(hosts_a_group);
  const Network network = network_on_levels(ranks.hosts, ranks.levels, known);
  const CallClass calls{Collective::allreduce, {hosts, hosts}, SizeClass::of(100'000)};
  const Setting setting = ranks.setting();
  std::vector<double> seconds;
  for (const Priced& one : cheapest(calls, setting, &known, {})) {
    const Schedule schedule = generate(one.plan, shape_of(one.plan, setting, 0, calls.typical_size()));
    seconds.push_back(price(schedule, calls.typical_size(), network).seconds);
  }
  ASSERT_FALSE(seconds.empty());
  EXPECT_LE(seconds.front(), 1.1 * *std::ranges::min_element(seconds));
}

}  // namespace
}  // namespace tutti
