// Groups of the network: what they share is queued for, one level of them is what ports are, and
// plans carried out near go by them.

#include "core/network/groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "core/network/by_hosts.hpp"
#include "core/network/groups_at.hpp"
#include "core/network/network_file.hpp"
#include "core/network/price.hpp"
#include "core/network/quantised.hpp"
#include "core/network/sites.hpp"
#include "core/plan/composition_template.hpp"
#include "core/plan/compositions/near.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/prove.hpp"
#include "core/schedule/by_place.hpp"
#include "core/schedule/verify.hpp"
#include "core/synthesis/known_network.hpp"

namespace tutti {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double alpha_of_groups = 1e-5, beta_of_groups = 1e-9;
constexpr int no_group = Network::Group::none;

Network swift_hosts(PortUse ports) {
  return {.links = {Link::swift({.alpha = alpha_of_groups, .beta = beta_of_groups})}, .ports = ports};
}

// Ranks at these sockets.
PlacesInHosts sockets_at(const Hosts& sockets) {
  PlacesInHosts places;
  places[HostPart::socket] = sockets;
  return places;
}

// Groups of `each` ranks, one after the other, all of them in one.
Network grouped(PortUse ports, int ranks, int each, const Network::Group& ways, double between = 0) {
  Network network = swift_hosts(ports);
  network.groups = {{.name = "all", .between = between}};
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (rank % each == 0) {
      network.groups.push_back(ways);
      network.groups.back().within = 0;
    }
    network.group_of.push_back(static_cast<int>(network.groups.size()) - 1);
  }
  return network;
}

double seconds(const Plan& plan, int ranks, std::size_t bytes, const Network& network) {
  return price(generate(plan, shape_of(plan, {.ranks = ranks}, 0, bytes)), bytes, network).seconds;
}

double seconds(Collective collective, const char* plan, int ranks, std::size_t bytes,
               const Network& network) {
  return seconds(make_plan(collective, plan).value(), ranks, bytes, network);
}

// Plans of all collectives between all ranks.
template <typename Visit>
void for_each_plan(int ranks, Visit visit) {
  for (const CollectiveTraits& each : collectives) {
    if (each.on_neighbors || each.regular != each.collective) continue;
    for (const Plan& plan : known_plans(each.collective, ranks))
      if (!plan.is_native() && !plan.is_computed() && !plan.uses_memory()) visit(plan);
  }
}

// What is said of ways within hosts is of messages of the MPI library's.
TEST(Groups, WithinHostsAreNotInTheWayOfMemory) {
  Network network = swift_hosts(PortUse::in_turn);
  network.hosts = {0, 0, 0, 0};
  network.memory = network.links.front();
  const auto takes = [&](const char* text) {
    const Plan plan = make_plan(Collective::allreduce, text).value();
    const Shape shape = shape_of(plan, {.ranks = 4, .hosts = &network.hosts}, 0, 1 << 20);
    return price(generate(plan, shape), 1 << 20, network).seconds;
  };
  const double free = takes("memory(recursive_doubling)");
  network = with_parts_of_hosts(network, sockets_at({0, 0, 1, 1}));
  network.groups.front().between = 10 * beta_of_groups;
  EXPECT_DOUBLE_EQ(takes("memory(recursive_doubling)"), free);
  EXPECT_GT(takes("recursive_doubling"), 2 * free);
  EXPECT_EQ(lower_bound_of_groups(Collective::allreduce, 1 << 20, network, 4), 0);
}

// A network whose links alone tell sites apart does so, too, where its hosts have parts.
TEST(Groups, WithinHostsHideNoPools) {
  Network network = swift_hosts(PortUse::in_turn);
  network.links.push_back(Link::swift({.alpha = 100 * alpha_of_groups, .beta = 100 * beta_of_groups}));
  network.hosts = {0, 0, 1, 1, 2, 2, 3, 3};
  network.ranks = 8;
  for (Rank from = 0; from < 8; ++from)
    for (Rank to = 0; to < 8; ++to) network.link_of.push_back(from / 4 != to / 4);
  const GroupLevels before = KnownNetwork::of(network, 8).levels;
  ASSERT_TRUE(before.tells_hosts_apart());
  const GroupLevels after =
      KnownNetwork::of(with_parts_of_hosts(network, sockets_at({0, 1, 2, 3, 4, 5, 6, 7})), 8).levels;
  EXPECT_EQ(after.groups, before.groups);
  EXPECT_EQ(after.switches, before.switches);
  EXPECT_THAT(after.in_hosts[HostPart::socket], ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(Groups, OfOneHostEachAreItsPorts) {
  constexpr int ranks = 12;
  const Network::Group port{.out = beta_of_groups, .in = beta_of_groups};
  const Network in_groups = grouped(PortUse::multiport, ranks, 1, port),
                shared = swift_hosts(PortUse::shared);
  for_each_plan(ranks, [&](const Plan& plan) {
    EXPECT_EQ(seconds(plan, ranks, 9'600, in_groups), seconds(plan, ranks, 9'600, shared))
        << name(plan.collective()) << " " << plan.text();
  });
}

TEST(Groups, ThatShareNothingNarrowChangeNoPrice) {
  constexpr int ranks = 12;
  for (const PortUse ports : {PortUse::in_turn, PortUse::shared, PortUse::multiport})
    for (const Network::Group& ways :
         {Network::Group{}, Network::Group{.out = beta_of_groups / 64, .in = beta_of_groups / 64}})
      for_each_plan(ranks, [&](const Plan& plan) {
        // Messages one after the other come to a wide way one after the other, too.
        if (ports == PortUse::in_turn && ways.out > 0) return;
        EXPECT_EQ(seconds(plan, ranks, 9'600, grouped(ports, ranks, 3, ways)),
                  seconds(plan, ranks, 9'600, swift_hosts(ports)))
            << name(plan.collective()) << " " << plan.text();
      });
}

TEST(Groups, QueueWhatLeavesThemAndWhatEntersThem) {
  constexpr std::size_t n = 1'000'000;
  constexpr double one = static_cast<double>(n) * beta_of_groups;
  const auto doubling = [](const Network& network) {
    return seconds(Collective::allreduce, "recursive_doubling", 8, n, network);
  };
  for (const PortUse ports : {PortUse::in_turn, PortUse::shared, PortUse::multiport}) {
    EXPECT_NEAR(doubling(grouped(ports, 8, 4, {})), 3 * alpha_of_groups + 3 * one, 1e-12);
    EXPECT_NEAR(doubling(grouped(ports, 8, 4, {.out = beta_of_groups})), 3 * alpha_of_groups + 6 * one,
                1e-12);
    EXPECT_NEAR(doubling(grouped(ports, 8, 4, {.in = beta_of_groups})), 3 * alpha_of_groups + 6 * one, 1e-12);
    EXPECT_NEAR(doubling(grouped(ports, 8, 4, {}, beta_of_groups)), 3 * alpha_of_groups + 6 * one, 1e-12);
    EXPECT_NEAR(doubling(grouped(ports, 8, 4, {.out = 2 * beta_of_groups})), 3 * alpha_of_groups + 10 * one,
                1e-12)
        << "narrower than a port";
  }
  EXPECT_NEAR(doubling(grouped(PortUse::shared, 8, 4, {.out = beta_of_groups / 2})),
              3 * alpha_of_groups + 4 * one, 1e-12);
  // One after the other the last one starts when the way is free of the others.
  EXPECT_NEAR(doubling(grouped(PortUse::in_turn, 8, 4, {.out = beta_of_groups / 2})),
              3 * alpha_of_groups + 4.5 * one, 1e-12);
}

TEST(Groups, BetweenTwoPartsIsAnotherWayThanBetweenTwoOthers) {
  constexpr std::size_t n = 1'000'000;
  const Network network = grouped(PortUse::shared, 8, 2, {}, beta_of_groups);
  // Two parts exchange two messages each time they are far apart, and so do the hosts of one.
  EXPECT_NEAR(seconds(Collective::allreduce, "recursive_doubling", 8, n, network),
              3 * alpha_of_groups + 5 * n * beta_of_groups, 1e-12);
}

TEST(Groups, OfSeveralLevelsAllCount) {
  // Sockets of two ranks, hosts of two sockets, and four hosts on two switches.
  constexpr std::size_t n = 1'000'000;
  Network network = swift_hosts(PortUse::multiport);
  for (const int host : {0, 1, 2, 3}) network.hosts.insert(network.hosts.end(), 4, host);
  network.groups = {{.name = "left", .out = beta_of_groups}, {.name = "right", .out = beta_of_groups}};
  for (const int socket : {0, 1, 2, 3, 4, 5, 6, 7})
    network.groups.push_back({.within = socket / 4, .out = beta_of_groups / 2});
  for (Rank rank = 0; rank < 16; ++rank) network.group_of.push_back(2 + rank / 2);
  EXPECT_FALSE(contradiction_of_groups(network));
  // Within sockets 1; out of a socket two messages at half of what one takes, twice; out of a
  // switch eight.
  EXPECT_NEAR(seconds(Collective::allreduce, "recursive_doubling", 16, n, network),
              4 * alpha_of_groups + (1 + 1 + 1 + 8) * n * beta_of_groups, 1e-12);
}

TEST(Groups, ShareTrunksOfTheirOwn) {
  constexpr std::size_t n = 1'000'000;
  Network network = grouped(PortUse::shared, 8, 4, {}, beta_of_groups);
  network.trunks = {{.from = 1, .to = 6, .seconds_per_byte = 2 * beta_of_groups}};
  EXPECT_NEAR(seconds(Collective::allreduce, "recursive_doubling", 8, n, network),
              3 * alpha_of_groups + 10 * n * beta_of_groups, 1e-12)
      << "the slower direction";
}

// Two sites of two switches of two hosts each, whose ranks are dealt out to the sites in turn.
Network switches_in_sites() {
  Network network = grouped(PortUse::shared, 8, 2, {.out = beta_of_groups});
  network.group_of = {1, 3, 1, 3, 2, 4, 2, 4};
  network.trunks = {{.from = 0, .to = 1, .seconds_per_byte = 1.5 * beta_of_groups},
                    {.from = 1, .to = 0, .seconds_per_byte = 1.25 * beta_of_groups}};
  return with_groups_at(network, {0, 1, 0, 1, 0, 1, 0, 1});
}

TEST(Groups, ShareTheTrunksOfTheSitesAroundThem) {
  constexpr std::size_t n = 1'000'000;
  const Network network = switches_in_sites();
  EXPECT_EQ(contradiction_of_groups(network), std::nullopt);
  EXPECT_EQ(parse_network(to_text(network), "here").value(), network);
  // Four messages over a trunk, two within switches, and two out of each of them.
  EXPECT_NEAR(seconds(Collective::allreduce, "recursive_doubling", 8, n, network),
              3 * alpha_of_groups + (4 * 1.5 + 1 + 2) * n * beta_of_groups, 1e-12);
  const Plan plan = make_plan(Collective::allreduce, "recursive_doubling").value();
  EXPECT_EQ(price(generate(plan, shape_of(plan, {.ranks = 8}, 0, n)), n, network).busy_way.name,
            "from group 5 to group 6");
  // Other ranks of the same sites share the same.
  const Network some = restricted(network, std::vector<Rank>{7, 6, 5, 4});
  EXPECT_NEAR(seconds(Collective::allreduce, "recursive_doubling", 4, n, some),
              2 * alpha_of_groups + (2 * 1.5 + 1) * n * beta_of_groups, 1e-12);
}

TEST(Groups, AreBoundByTheTrunksOfTheSitesAroundThem) {
  const Network network = switches_in_sites();
  EXPECT_DOUBLE_EQ(lower_bound_of_groups(Collective::allreduce, 1'000, network, 8), 1'500 * beta_of_groups);
  Network one_way = network;
  one_way.trunks.pop_back();
  EXPECT_DOUBLE_EQ(lower_bound_of_groups(Collective::bcast, 1'000, one_way, 8), 1'500 * beta_of_groups)
      << "what comes back is free, and is nothing";
  for_each_plan(8, [&](const Plan& plan) {
    const std::size_t size = 4'800, bytes = total_bytes(plan.collective(), 8, size);
    EXPECT_GE(seconds(plan, 8, bytes, network) * (1 + 1e-9),
              lower_bound_of_groups(plan.collective(), size, network, 8))
        << name(plan.collective()) << " " << plan.text();
  });
}

TEST(Groups, StandAmongThoseThatAreThere) {
  std::minstd_rand random(50);
  // Where there are none they are those that are told by themselves.
  for (int drawn = 0; drawn < 20; ++drawn) {
    std::vector<std::size_t> places;
    std::vector<std::vector<std::uint64_t>> around;
    for (Rank rank = 0; rank < 12; ++rank) {
      places.push_back(random() % 4);
      around.push_back({places.back()});
    }
    Network network = swift_hosts(PortUse::shared);
    network.hosts = drawn % 2 == 0 ? Hosts{} : Hosts{0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9};
    EXPECT_EQ(with_groups_at(network, places), with_groups_around(network, around)) << drawn;
  }
  const Network network = grouped(PortUse::shared, 6, 2, {});
  EXPECT_EQ(with_groups_at(network, {4, 4, 7, 7, 1, 1}), network) << "they are those that are there";
  EXPECT_EQ(with_groups_at(network, {0, 0, 0, 1, 1, 1}), network) << "a group would be torn";
  const Network sites = with_groups_at(network, {0, 0, 0, 0, 1, 1});
  EXPECT_THAT(groups_around(sites, 0), ElementsAre(1, 4, 0));
  EXPECT_THAT(groups_around(sites, 3), ElementsAre(2, 4, 0));
  EXPECT_THAT(groups_around(sites, 5), ElementsAre(3, 0));
  Network of_one = network;
  of_one.group_of[3] = 0;
  EXPECT_THAT(groups_around(with_groups_at(of_one, {0, 0, 1, 1, 1, 1}), 3), ElementsAre(4, 0));
}

// Sites and groups that were told need not be the same.
TEST(Groups, HaveTrunksOfTheirHostsOnly) {
  constexpr std::size_t n = 1'000'000;
  Network network = grouped(PortUse::multiport, 8, 4, {});
  network.trunks = {{.from = 0, .to = 1, .seconds_per_byte = 100 * beta_of_groups}};
  EXPECT_NEAR(seconds(Collective::allreduce, "recursive_doubling", 8, n, network),
              3 * alpha_of_groups + (100 + 1 + 1) * n * beta_of_groups, 1e-12)
      << "nobody but the two shares it";
}

TEST(Groups, QueueWhatPortsTakeNoTimeFor) {
  constexpr std::size_t n = 1'000'000;
  for (const PortUse ports : {PortUse::in_turn, PortUse::shared, PortUse::multiport}) {
    Network network = grouped(ports, 8, 4, {.out = beta_of_groups});
    network.links = {Link::swift({.alpha = alpha_of_groups, .beta = 0})};
    EXPECT_NEAR(seconds(Collective::allreduce, "recursive_doubling", 8, n, network),
                3 * alpha_of_groups + 4 * n * beta_of_groups, 1e-12);
  }
}

TEST(Groups, SayWhichWayIsBusiest) {
  Network network = grouped(PortUse::shared, 8, 4, {.out = beta_of_groups, .in = beta_of_groups / 2});
  const auto way = [&] {
    const Plan plan = make_plan(Collective::gather, "linear").value();
    return price(generate(plan, shape_of(plan, {.ranks = 8}, 0, 800)), 800, network).busy_way;
  };
  EXPECT_EQ(way().name, "out of group 2");
  EXPECT_DOUBLE_EQ(way().seconds, 400 * beta_of_groups);
  network.groups[2].name = "rack 7";
  EXPECT_EQ(way().name, "out of rack 7");
  network.groups[0].between = 2 * beta_of_groups;
  EXPECT_EQ(way().name, "from rack 7 to group 1");
  network.group_of.clear();
  EXPECT_EQ(way().name, "");
}

TEST(Groups, BoundWhatAnyPlanTakes) {
  constexpr int ranks = 12;
  const Network network = grouped(PortUse::shared, ranks, 4,
                                  {.out = beta_of_groups / 2, .in = beta_of_groups / 3}, beta_of_groups);
  for_each_plan(ranks, [&](const Plan& plan) {
    const std::size_t size = 4'800, bytes = total_bytes(plan.collective(), ranks, size);
    EXPECT_GE(seconds(plan, ranks, bytes, network) * (1 + 1e-9),
              lower_bound_of_groups(plan.collective(), size, network, ranks))
        << name(plan.collective()) << " " << plan.text();
  });
  EXPECT_DOUBLE_EQ(lower_bound_of_groups(Collective::allgather, 1'000, network, ranks),
                   4'000 * beta_of_groups)
      << "two ways lead into a part";
  EXPECT_EQ(lower_bound_of_groups(Collective::allgather, 1'000, swift_hosts(PortUse::shared), ranks), 0);
}

TEST(Groups, AreInFiles) {
  Network network =
      grouped(PortUse::shared, 6, 3, {.name = "rack", .out = beta_of_groups, .in = beta_of_groups / 2},
              beta_of_groups / 3);
  network.hosts = {0, 0, 0, 1, 1, 2};
  EXPECT_EQ(parse_network(to_text(network), "here").value(), network);
  const auto error = [&](auto change) {
    Network wrong = network;
    change(wrong);
    const auto read = parse_network(to_text(wrong), "net.json");
    return read ? "" : read.error().message;
  };
  EXPECT_THAT(error([](Network& n) { n.groups[1].within = 2, n.groups[2].within = 1; }),
              HasSubstr("net.json: rack is within itself"));
  EXPECT_THAT(error([](Network& n) {
                while (n.groups.size() < 70)
                  n.groups.push_back({.within = static_cast<int>(n.groups.size()) - 1});
              }),
              HasSubstr("within more than 64 groups"));
  EXPECT_THAT(error([](Network& n) { n.groups[0].within = 7; }),
              HasSubstr("all is within group 7, there are 3"));
  EXPECT_THAT(error([](Network& n) { n.trunks = {{.from = 0, .to = 6}}; }),
              HasSubstr("a trunk is at rank 6, there are 6"));
  EXPECT_THAT(error([](Network& n) { n.group_of[3] = 9; }), HasSubstr("a rank is in group 9, there are 3"));
  EXPECT_THAT(error([](Network& n) { n.group_of.pop_back(); }), HasSubstr("groups of 5 ranks, not 6"));
  EXPECT_THAT(error([](Network& n) { n.group_of[2] = 2; }),
              HasSubstr("host 0 is partly in rack, which has ranks of other hosts"));
}

TEST(Groups, GoWithTheirRanks) {
  Network network = grouped(PortUse::shared, 6, 2, {.out = beta_of_groups});
  const std::vector<Rank> some{4, 1, 5};
  EXPECT_THAT(restricted(network, some).group_of, ElementsAre(3, 1, 3));
  EXPECT_EQ(restricted(network, some).groups, network.groups);
  EXPECT_EQ(quantised(network).group_of, network.group_of);
  Network wider = network;
  wider.groups[1].out = beta_of_groups / 3;
  EXPECT_NE(fingerprint(quantised(network)), fingerprint(quantised(wider)));
}

TEST(Groups, OrderRanksByTheTree) {
  Network network = swift_hosts(PortUse::shared);
  network.hosts = {0, 1, 2, 0, 1, 2, 3, 3};
  network.groups = {{}, {}};
  network.group_of = {0, 1, 0, 0, 1, 0, 1, 1};
  EXPECT_THAT(in_order_of_groups(network, 8), ElementsAre(0, 3, 2, 5, 1, 4, 6, 7));
  network.groups.insert(network.groups.end(), {{.within = 0}, {.within = 0}});
  network.group_of = {2, 1, 0, 3, 1, 0, 1, 1};  // the ranks of host 0 on two sockets
  EXPECT_FALSE(contradiction_of_groups(network));
  EXPECT_THAT(in_order_of_groups(network, 8), ElementsAre(0, 3, 2, 5, 1, 4, 6, 7));
  network.group_of.assign(8, no_group);
  EXPECT_THAT(in_order_of_groups(network, 8), ElementsAre(0, 3, 1, 4, 2, 5, 6, 7));
}

// Ranks on hosts, drawn at random; hosts are numbered in the order of their first ranks.
Hosts drawn_hosts(int ranks, std::minstd_rand& random) {
  Hosts drawn;
  std::map<int, int> numbers;
  const auto hosts = static_cast<int>(1 + random() % static_cast<unsigned>(ranks));
  for (Rank rank = 0; rank < ranks; ++rank)
    drawn.push_back(numbers.try_emplace(static_cast<int>(random()) % hosts, static_cast<int>(numbers.size()))
                        .first->second);
  return drawn;
}

std::string wrong_where_drawn(Collective collective, const std::string& text, std::minstd_rand& random) {
  const Plan plan = make_plan(collective, text).value();
  for (const int ranks : {1, 2, 3, 5, 8, 12, 17}) {
    const Hosts hosts = drawn_hosts(ranks, random);
    const std::array<Rank, 2> roots{0, static_cast<Rank>(random() % static_cast<unsigned>(ranks))};
    const bool rooted = traits(collective).rooted;
    if (const Proof proof = prove(plan, ranks, std::span(roots).first(rooted ? 2 : 1), &hosts);
        !proof.violation.empty())
      return text + ": " + proof.violation;
  }
  return "";
}

TEST(Near, IsRightInAnyOrder) {
  std::minstd_rand random(47);
  for (const CollectiveTraits& each : collectives) {
    if (each.on_neighbors || each.regular != each.collective) continue;
    for (const Plan& plan : known_plans(each.collective)) {
      if (plan.is_native() || plan.is_computed() || plan.uses_memory()) continue;
      EXPECT_EQ(wrong_where_drawn(each.collective, "near(" + plan.text() + ")", random), "")
          << name(each.collective);
    }
  }
  for (const Collective collective :
       {Collective::allgather, Collective::alltoall, Collective::gather, Collective::scatter})
    for (const char* inner : {"split(100)[linear]", "grid(balanced)[linear]", "native"}) {
      const auto plan = make_plan(collective, "near(" + std::string(inner) + ")");
      ASSERT_TRUE(plan) << plan.error().message;
      EXPECT_EQ(wrong_where_drawn(collective, plan->text(), random), "") << name(collective);
    }
}

TEST(Near, RefusesWhatGoesByTheOrderOfRanks) {
  const Hosts dealt{0, 1, 0, 1}, filled{0, 0, 1, 1};
  const auto refusal = [](Collective collective, const Hosts& hosts, bool commutative) {
    const Plan plan =
        make_plan(collective, "near(binomial)")
            .value_or(make_plan(collective, "near(recursive_doubling)").value_or(Plan::native(collective)));
    return plan.refusal({.ranks = 4, .commutative = commutative, .hosts = &hosts}).value_or("");
  };
  EXPECT_EQ(refusal(Collective::reduce, dealt, true), "");
  EXPECT_THAT(refusal(Collective::reduce, dealt, false),
              HasSubstr("near(binomial): the operation does not commute"));
  EXPECT_EQ(refusal(Collective::reduce, filled, false), "");
  EXPECT_THAT(refusal(Collective::scan, dealt, true), HasSubstr("a prefix goes by the ranks' own order"));
  EXPECT_EQ(refusal(Collective::scan, filled, true), "");
}

TEST(Near, GoesByTheGroupsOfTheNetwork) {
  // Two groups of four, their ranks dealt out in turn.
  Network network = grouped(PortUse::shared, 8, 4, {.out = beta_of_groups, .in = beta_of_groups});
  for (Rank rank = 0; rank < 8; ++rank) network.group_of[static_cast<std::size_t>(rank)] = 1 + rank % 2;
  const KnownNetwork known = KnownNetwork::of(network, 8);
  EXPECT_THAT(known.levels.order, ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  const auto on_it = [&](const char* text) {
    const Plan plan = make_plan(Collective::allgather, text).value();
    const Setting setting{.ranks = 8, .network = &known};
    return price(generate(plan, shape_of(plan, setting, 0, 800'000)), 800'000, network).seconds;
  };
  EXPECT_LT(on_it("near(ring)"), 0.3 * on_it("ring"));
  EXPECT_TRUE(make_plan(Collective::allgather, "near(ring)")->goes_by_network());
  EXPECT_TRUE(make_plan(Collective::allgather, "memory(near(ring))")->goes_by_network());
}

// Where nobody has told of groups, the pools of the network are some.
TEST(Near, GoesByPoolsElse) {
  Network network = swift_hosts(PortUse::shared);
  network.links.push_back(Link::swift({.alpha = 30 * alpha_of_groups, .beta = 30 * beta_of_groups}));
  network.ranks = 6;
  for (Rank from = 0; from < 6; ++from)
    for (Rank to = 0; to < 6; ++to) network.link_of.push_back(from % 2 != to % 2);
  EXPECT_THAT(KnownNetwork::of(network, 6).levels.order, ElementsAre(0, 2, 4, 1, 3, 5));
}

TEST(Near, GoesByWhatIsBetweenTheFirstRanksWhereThereAreFewer) {
  Network network = swift_hosts(PortUse::shared);
  network.links.push_back(Link::swift({.alpha = 30 * alpha_of_groups, .beta = 30 * beta_of_groups}));
  network.ranks = 9;
  network.hosts = dealt_hosts(9, 9);
  for (Rank from = 0; from < 9; ++from)
    for (Rank to = 0; to < 9; ++to) network.link_of.push_back(from % 2 != to % 2);
  const KnownNetwork known = KnownNetwork::of(network, 6);
  EXPECT_THAT(known.levels.order, ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_EQ(known.network.hosts, dealt_hosts(6, 6));
}

TEST(Near, IsWrittenAsItIsRead) {
  const auto text = [](const char* written) {
    const auto plan = make_plan(Collective::allgather, written);
    return plan ? plan->text() : plan.error().message;
  };
  EXPECT_EQ(text("near(ring)"), "near(ring)");
  EXPECT_EQ(text(" near( bruck ) "), "near(bruck)");
  EXPECT_EQ(text("near(grid(2x3)[ring,native])"), "near(grid(2x3)[ring,native])");
  EXPECT_EQ(text("memory(near(ring))"), "memory(near(ring))");
  EXPECT_EQ(text("near(native)"), "near");
  EXPECT_EQ(text("near"), "near");
  EXPECT_THAT(text("near(rong)"), HasSubstr("column 6: allgather has no plan 'rong'"));
  EXPECT_THAT(text("near(ring"), HasSubstr("the text ends where ')' should be"));
  EXPECT_THAT(text("near[ring,ring]"), HasSubstr("near goes around one plan, such as near(ring)"));
  EXPECT_THAT(text("near(near(ring))"), HasSubstr("for the whole communicator only"));
  EXPECT_THAT(text("grid(2x3)[near(ring)]"), HasSubstr("for the whole communicator only"));
  EXPECT_THAT(text("near(grid(node)[ring])"), HasSubstr("for the whole communicator only"));
}

TEST(Groups, TellRanksApartOutermostFirst) {
  Network network = grouped(PortUse::shared, 6, 2, {});
  EXPECT_THAT(outermost_groups(network, 6), ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(outermost_groups(network, 2), ElementsAre()) << "they are all in one";
  network.group_of[1] = 0;
  network.groups.push_back({.within = 3});
  network.group_of[5] = 4;
  EXPECT_THAT(outermost_groups(network, 6), ElementsAre(0, 1, 2, 2, 3, 3)) << "a host may be in none";
  EXPECT_THAT(outermost_groups(swift_hosts(PortUse::shared), 6), ElementsAre());
}

// Rows are groups of different sizes, their ranks drawn at random.
TEST(GridOfGroups, IsRightWhereverRanksAre) {
  std::minstd_rand random(48);
  int plans = 0;
  for (const CollectiveTraits& each : collectives) {
    const auto plan = make_plan(each.collective, "grid(group)");
    if (!plan || each.regular != each.collective) continue;
    EXPECT_TRUE(plan->goes_by_network());
    ++plans;
    for (const int ranks : {4, 7, 12}) {
      Network network = grouped(PortUse::shared, ranks, 3, {});
      // A prefix goes by the ranks' own order.
      if (each.collective != Collective::scan)
        std::shuffle(network.group_of.begin(), network.group_of.end(), random);
      const KnownNetwork known = KnownNetwork::of(network, ranks);
      const Setting setting{.ranks = ranks, .network = &known};
      ASSERT_EQ(plan->refusal(setting), std::nullopt) << name(each.collective);
      const Rank root = each.rooted ? static_cast<Rank>(random() % static_cast<unsigned>(ranks)) : 0;
      const auto violations = verify(generate(*plan, shape_of(*plan, setting, root, 1000)), {}, 1);
      EXPECT_TRUE(violations.empty())
          << name(each.collective) << " on " << ranks << ": " << violations.front().message;
    }
    EXPECT_EQ(prove(*plan, 8, 0).violation, "") << name(each.collective);
  }
  EXPECT_GE(plans, 9);
}

// A tree of groups, of at most as many of a kind, with ranks dealt out at random: sockets of hosts,
// hosts at switches, switches in groups.
Network drawn_levels(int ranks, int most, std::minstd_rand& random) {
  const auto draw = [&] { return 1 + static_cast<int>(random() % static_cast<unsigned>(most)); };
  Network network = swift_hosts(PortUse::shared);
  struct Socket {
    int group, host;
  };
  std::vector<Socket> sockets;
  int hosts = 0;
  const auto added = [&](int within) {
    network.groups.push_back({.within = within});
    return static_cast<int>(network.groups.size()) - 1;
  };
  for (int groups = draw(); groups >= 0; --groups) {
    const int group = added(Network::Group::none);
    for (int switches = draw(); switches > 0; --switches) {
      const int leaf = added(group);
      for (int here = draw(); here > 0; --here, ++hosts)
        for (int parts = draw(); parts > 0; --parts) sockets.push_back({added(leaf), hosts});
    }
  }
  std::vector<int> host_of;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const Socket& socket = sockets[random() % sockets.size()];
    network.group_of.push_back(socket.group);
    host_of.push_back(socket.host);
  }
  network.hosts = numbered(host_of);
  return network;
}

TEST(Levels, AreToldOfATreeOfGroups) {
  // Two groups of two switches of two hosts each, of which the first has two sockets.
  Network network = swift_hosts(PortUse::shared);
  network.groups = {
      {}, {}, {.within = 0}, {.within = 0}, {.within = 1}, {.within = 1}, {.within = 2}, {.within = 2}};
  network.hosts = {0, 0, 1, 2, 3, 4, 5, 6, 7};
  network.group_of = {6, 7, 2, 3, 3, 4, 4, 5, 5};
  ASSERT_EQ(contradiction_of_groups(network), std::nullopt);
  EXPECT_THAT(outermost_groups(network, 9), ElementsAre(0, 0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(innermost_groups_of_hosts(network, 9), ElementsAre(0, 0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(groups_in_hosts(network, 9)[HostPart::socket], ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(innermost_groups_of_hosts(network, 3), ElementsAre()) << "they are all at one";
  EXPECT_THAT(groups_in_hosts(network, 1)[HostPart::socket], ElementsAre()) << "its host has no other rank";
  EXPECT_THAT(innermost_groups_of_hosts(swift_hosts(PortUse::shared), 9), ElementsAre());
}

TEST(Levels, SocketsAreGroupsOfHostsThatHaveSeveral) {
  Network network = grouped(PortUse::shared, 6, 3, {.out = beta_of_groups});
  network.hosts = {0, 0, 0, 1, 2, 2};
  const Network with = with_parts_of_hosts(network, sockets_at({0, 1, 1, 2, 3, 3}));
  EXPECT_EQ(contradiction_of_groups(with), std::nullopt);
  EXPECT_THAT(groups_in_hosts(with, 6)[HostPart::socket], ElementsAre(0, 1, 1, 2, 3, 3));
  EXPECT_THAT(outermost_groups(with, 6), ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(groups_around(with, 1).size(), groups_around(network, 1).size() + 2) << "its host is one";
  EXPECT_EQ(with.group_of[3], network.group_of[3]);
  EXPECT_EQ(with_parts_of_hosts(network, {}), network);
  // A socket is of one host, whatever its number.
  network.hosts = {0, 0, 1, 1, 1, 1};
  network.groups.clear();
  network.group_of.clear();
  const Network same_numbers = with_parts_of_hosts(network, sockets_at({0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(contradiction_of_groups(same_numbers), std::nullopt);
  EXPECT_THAT(groups_in_hosts(same_numbers, 6)[HostPart::socket], ElementsAre(0, 1, 2, 3, 2, 3));
  // Hosts with sockets are no groups of hosts.
  network = swift_hosts(PortUse::shared);
  network.hosts = {0, 0, 1, 1};
  EXPECT_THAT(outermost_groups(with_parts_of_hosts(network, sockets_at({0, 1, 2, 3})), 4), ElementsAre());
  EXPECT_EQ(with_parts_of_hosts(network, sockets_at({0, 0, 1, 1})), network) << "hosts of one socket each";
}

// By rank, the names of the groups within its host, the outermost first.
std::vector<std::vector<std::string>> names_in_hosts(const Network& network) {
  std::vector<std::vector<std::string>> names;
  for (Rank rank = 0; rank < static_cast<Rank>(network.group_of.size()); ++rank) {
    auto& of_rank = names.emplace_back();
    for (const int group : groups_around(network, rank))
      if (network.groups[static_cast<std::size_t>(group)].part)
        of_rank.insert(of_rank.begin(), name_of_group(network, group));
  }
  return names;
}

// Two sockets of two NUMA domains of two caches each, with a rank or several in each cache.
PlacesInHosts of_two_by_two_by_two(int ranks_of_cache) {
  PlacesInHosts places;
  for (Rank rank = 0; rank < 8 * ranks_of_cache; ++rank) {
    places[HostPart::socket].push_back(rank / ranks_of_cache / 4);
    places[HostPart::numa].push_back(rank / ranks_of_cache / 2);
    places[HostPart::cache].push_back(rank / ranks_of_cache);
  }
  return places;
}

using Names = std::vector<std::string>;

TEST(PartsOfHosts, AreGroupsWithinEachOther) {
  Network network = swift_hosts(PortUse::shared);
  network.hosts.assign(16, 0);
  const Network with = with_parts_of_hosts(network, of_two_by_two_by_two(2));
  EXPECT_EQ(contradiction_of_groups(with), std::nullopt);
  EXPECT_EQ(with.groups.size(), 1u + 2 + 4 + 8);
  const auto names = names_in_hosts(with);
  EXPECT_EQ(names[0], (Names{"socket 0", "NUMA domain 0", "cache 0"}));
  EXPECT_EQ(names[11], (Names{"socket 1", "NUMA domain 2", "cache 5"}));
  const auto places = groups_in_hosts(with, 16);
  EXPECT_EQ(places, of_two_by_two_by_two(2)) << "the tree tells them again";
  EXPECT_EQ(with.levels_apart(0, 1), 0u);
  EXPECT_EQ(with.levels_apart(0, 2), 1u);
  EXPECT_EQ(with.levels_apart(4, 1), 2u);
  EXPECT_EQ(with.levels_apart(0, 15), 3u);
  EXPECT_EQ(parse_network(to_text(with), "again").value(), with);
}

TEST(PartsOfHosts, ThatAreTheSameAreOneGroup) {
  Network network = swift_hosts(PortUse::shared);
  network.hosts.assign(8, 0);
  PlacesInHosts places = of_two_by_two_by_two(1);
  places[HostPart::numa] = places[HostPart::socket];
  Network with = with_parts_of_hosts(network, places);
  EXPECT_EQ(names_in_hosts(with)[5], (Names{"socket 1", "cache 5"}));
  EXPECT_EQ(groups_in_hosts(with, 8)[HostPart::numa], places[HostPart::socket]);
  // One socket, of which the NUMA domains have a cache each.
  places = of_two_by_two_by_two(1);
  places[HostPart::socket].assign(8, 0);
  places[HostPart::cache] = places[HostPart::numa];
  with = with_parts_of_hosts(network, places);
  EXPECT_EQ(names_in_hosts(with)[5], (Names{"NUMA domain 2"}));
  EXPECT_TRUE(groups_in_hosts(with, 8)[HostPart::socket].empty());
  // A cache that all NUMA domains of a socket share, which are within it then.
  places = of_two_by_two_by_two(1);
  places[HostPart::cache] = places[HostPart::socket];
  with = with_parts_of_hosts(network, places);
  EXPECT_EQ(names_in_hosts(with)[5], (Names{"socket 1", "NUMA domain 2"}));
  // And one of which each has ranks of both sockets, as nothing has.
  places[HostPart::cache] = {0, 1, 2, 0, 1, 2, 0, 1};
  EXPECT_EQ(with_parts_of_hosts(network, places), with);
}

TEST(PartsOfHosts, MayBeUneven) {
  Network network = swift_hosts(PortUse::shared);
  network.hosts = {0, 0, 0, 0, 0, 1, 1, 2};
  PlacesInHosts places;
  places[HostPart::socket] = {0, 0, 0, 1, 1, 2, 2, 3};
  places[HostPart::numa] = {0, 0, 1, 2, 2, 3, 4, 5};
  places[HostPart::cache] = {0, 1, 2, 3, 4, 5, 6, 7};
  const Network with = with_parts_of_hosts(network, places);
  EXPECT_EQ(contradiction_of_groups(with), std::nullopt);
  EXPECT_EQ(names_in_hosts(with), (std::vector<Names>{{"socket 0", "NUMA domain 0", "cache 0"},
                                                      {"socket 0", "NUMA domain 0", "cache 1"},
                                                      {"socket 0", "NUMA domain 1"},
                                                      {"socket 1", "cache 3"},
                                                      {"socket 1", "cache 4"},
                                                      {"NUMA domain 3"},
                                                      {"NUMA domain 4"},
                                                      {}}))
      << "what is alone in what is around it is no group";
}

TEST(PartsOfHosts, AreKnownOfHostsOfWhichEveryRankIsBound) {
  using Ids = ByHostPart<std::uint64_t>;
  const auto ids = [](std::uint64_t socket, std::uint64_t numa, std::uint64_t cache) {
    Ids all;
    all[HostPart::socket] = socket;
    all[HostPart::numa] = numa;
    all[HostPart::cache] = cache;
    return all;
  };
  const Hosts hosts{0, 0, 0, 1, 1, 1};
  const auto places = places_in_hosts(hosts, {ids(1, 1, 0), ids(5, 5, 5), ids(5, 7, 7),  //
                                              ids(1, 0, 0), ids(5, 5, 5), ids(5, 7, 0)});
  EXPECT_THAT(places[HostPart::socket], ElementsAre(0, 1, 1, 2, 3, 3)) << "numbers are a host's own";
  EXPECT_THAT(places[HostPart::numa], ElementsAre(0, 1, 2, 3, 3, 3)) << "rank 3 may be anywhere on its host";
  EXPECT_THAT(places[HostPart::cache], ElementsAre());
  Network network = swift_hosts(PortUse::shared);
  network.hosts = hosts;
  const auto names = names_in_hosts(with_parts_of_hosts(network, places));
  EXPECT_EQ(names[2], (Names{"socket 1", "NUMA domain 2"}));
  EXPECT_EQ(names[5], (Names{"socket 3"}));
}

// Three levels and two at once, and each by itself, on trees drawn at random.
TEST(GridOfLevels, IsRightWhereverRanksAre) {
  std::minstd_rand random(49);
  std::map<std::string, int> proven;
  for (const CollectiveTraits& each : collectives)
    for (const char* text : {"grid(socket)", "grid(switch)", "grid(node,socket)", "grid(group,switch)",
                             "grid(group,node,socket)", "grid(group,switch,node,socket)"}) {
      const auto plan = make_plan(each.collective, text);
      if (!plan || each.regular != each.collective) continue;
      EXPECT_EQ(plan->text(), text);
      for (const int ranks : {5, 12, 23}) {
        const Network network = drawn_levels(ranks, 2, random);
        const KnownNetwork known = KnownNetwork::of(network, ranks);
        const Setting setting{.ranks = ranks, .hosts = &network.hosts, .network = &known};
        if (plan->refusal(setting)) continue;  // no level tells such ranks apart
        const Rank root = each.rooted ? static_cast<Rank>(random() % static_cast<unsigned>(ranks)) : 0;
        const auto violations = verify(generate(*plan, shape_of(*plan, setting, root, 1000)), {}, 1);
        EXPECT_TRUE(violations.empty())
            << name(each.collective) << " " << text << " on " << ranks << ": " << violations.front().message;
        ++proven[text];
      }
      const Proof proof = prove(*plan, 20, 0);
      EXPECT_EQ(proof.violation, "") << name(each.collective) << " " << text;
      // An alltoall passes on what is for others, which wants columns without stand-ins.
      if (each.collective != Collective::alltoall) {
        EXPECT_GT(proof.schedules, 0) << name(each.collective) << " " << text;
      }
    }
  EXPECT_EQ(proven.size(), 6u);
  for (const auto& [text, times] : proven) EXPECT_GT(times, 9) << text;
}

// Two sockets of two ranks on each of four hosts in two groups: messages between groups are between
// two ranks only, and so on within.
TEST(GridOfLevels, CrossesEachLevelOnce) {
  Network network = swift_hosts(PortUse::shared);
  network.groups = {{}, {}};
  PlacesInHosts in_hosts;
  for (Rank rank = 0; rank < 16; ++rank) {
    network.hosts.push_back(rank / 4);
    network.group_of.push_back(rank / 8);
    in_hosts[HostPart::socket].push_back(rank / 2);
  }
  const KnownNetwork known = KnownNetwork::of(network, 16);
  const Setting setting{.ranks = 16, .hosts = &network.hosts, .in_hosts = &in_hosts, .network = &known};
  const Plan plan =
      make_plan(Collective::bcast, "grid(group,node,socket)[linear,binomial,linear,linear]").value();
  EXPECT_EQ(plan.refusal(setting), std::nullopt);
  const Schedule schedule = generate(plan, shape_of(plan, setting, 5, 1000));
  int between_groups = 0, between_hosts = 0, between_sockets = 0;
  for (Rank rank = 0; rank < 16; ++rank)
    for (const Operation& operation : schedule.parts[static_cast<std::size_t>(rank)].operations()) {
      if (operation.kind != OperationKind::send) continue;
      between_groups += rank / 8 != operation.peer / 8;
      between_hosts += rank / 4 != operation.peer / 4;
      between_sockets += rank / 2 != operation.peer / 2;
    }
  EXPECT_EQ(between_groups, 1);
  EXPECT_EQ(between_hosts, 3);
  EXPECT_EQ(between_sockets, 7);
  for (const CollectiveTraits& each : collectives) {
    const auto all = make_plan(each.collective, "grid(group,node,socket)");
    if (!all || each.regular != each.collective) continue;
    ASSERT_EQ(all->refusal(setting), std::nullopt) << name(each.collective);
    EXPECT_THAT(verify(generate(*all, shape_of(*all, setting, 0, 1000)), {}, 1), testing::IsEmpty())
        << name(each.collective);
  }
  const auto found = templates(Collective::bcast, setting);
  const auto deep = std::ranges::find_if(
      found, [](const auto& one) { return one.head.text() == "grid(group,node,socket)"; });
  ASSERT_NE(deep, found.end());
  std::vector<int> sides;
  for (const auto& slot : deep->slots) sides.push_back(slot.ranks);
  EXPECT_THAT(sides, ElementsAre(2, 2, 2, 2));
  const Plan binomial = Plan::of(Collective::bcast, "binomial");
  EXPECT_EQ(deep->filled({4, binomial}).text(),
            "grid(group,node,socket)[binomial,binomial,binomial,binomial]");
  // What ranks see of their own sockets comes before what a network says.
  const Setting unbound{.ranks = 16, .hosts = &network.hosts, .network = &known};
  EXPECT_THAT(plan.refusal(unbound).value_or(""), HasSubstr("bind each rank to one"));
}

// Groups that are told serve where no network is known: rows of switches, and near ranks.
TEST(GroupLevels, ThatAreToldServeWithoutANetwork) {
  const Hosts hosts{0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<std::vector<std::uint64_t>> around;  // a row of two switches beside one of one
  for (const std::uint64_t group : {0U, 1U, 2U, 0U, 1U, 2U, 0U, 1U})
    around.push_back(group == 2 ? std::vector<std::uint64_t>{7, 30}
                                : std::vector<std::uint64_t>{8, 20 + group});
  const Network told = with_groups_around({.hosts = hosts}, around);
  EXPECT_EQ(told.groups.size(), 5u);
  const GroupLevels levels = GroupLevels::of(told, 8);
  EXPECT_TRUE(levels.tells_hosts_apart());
  EXPECT_THAT(levels.order, ElementsAre(0, 3, 6, 1, 4, 7, 2, 5));
  EXPECT_THAT(levels.switches, ElementsAre(0, 1, 2, 0, 1, 2, 0, 1));
  EXPECT_THAT(levels.groups, ElementsAre(0, 0, 1, 0, 0, 1, 0, 0));
  const Setting setting{.ranks = 8, .hosts = &hosts, .levels = &levels};
  EXPECT_FALSE(ranks_are_in_near_order(setting));
  int proven = 0;
  for (const CollectiveTraits& each : collectives)
    for (const char* text :
         {"near(linear)", "near(ring)", "near(bruck)", "grid(group,switch)", "grid(switch)"}) {
      const auto plan = make_plan(each.collective, text);
      if (!plan || each.regular != each.collective || plan->refusal(setting)) continue;
      ++proven;
      EXPECT_THAT(verify(generate(*plan, shape_of(*plan, setting, each.rooted ? 3 : 0, 1000)), {}, 1),
                  testing::IsEmpty())
          << name(each.collective) << " " << text;
    }
  EXPECT_GE(proven, 20);
  const Plan ring = make_plan(Collective::allgather, "near(ring)").value();
  const Part part = generate(ring, shape_of(ring, setting, 0, 1000), 6);
  int sends = 0;
  for (const Operation& operation : part.operations()) {
    if (operation.kind != OperationKind::send) continue;
    ++sends;
    EXPECT_EQ(operation.peer, 1) << "the next in the order";
  }
  EXPECT_EQ(sends, 7);
  EXPECT_EQ(make_plan(Collective::bcast, "grid(group,switch)")->refusal(setting), std::nullopt);
}

// A tree of three levels, of hosts that are dealt out to its switches: two rows of two cabinets of
// two switches each.
TEST(GroupLevels, HaveNumbersWhereThereAreMoreThanNames) {
  Hosts hosts;
  std::vector<std::vector<std::uint64_t>> around;
  for (int host = 0; host < 16; ++host) {
    const auto at = static_cast<std::uint64_t>(host % 8);
    hosts.insert(hosts.end(), 2, host);
    around.insert(around.end(), 2, {at / 4, at / 2, at});
  }
  const Network told = with_groups_around({.hosts = hosts}, around);
  ASSERT_EQ(told.groups.size(), 2u + 4u + 8u);
  const GroupLevels levels = GroupLevels::of(told, 32);
  ASSERT_EQ(levels.by_height.size(), 3u);
  EXPECT_EQ(levels.by_height.front(), levels.switches);
  EXPECT_EQ(levels.by_height.back(), levels.groups);
  EXPECT_THAT(std::vector<int>(levels.by_height[1].begin(), levels.by_height[1].begin() + 16),
              ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3));
  const Setting setting{.ranks = 32, .hosts = &hosts, .levels = &levels};
  const auto refusal = [&](const char* text) {
    return make_plan(Collective::bcast, text)->refusal(setting).value_or("");
  };
  const Plan deep = make_plan(Collective::bcast, "grid(group,level2,switch,node)[linear]").value();
  EXPECT_EQ(deep.refusal(setting), std::nullopt);
  int between_rows = 0, between_cabinets = 0;
  const Schedule schedule = generate(deep, shape_of(deep, setting, 5, 1000));
  for (Rank rank = 0; rank < 32; ++rank)
    for (const Operation& operation : schedule.parts[static_cast<std::size_t>(rank)].operations()) {
      if (operation.kind != OperationKind::send) continue;
      between_rows += rank / 8 % 2 != operation.peer / 8 % 2;
      between_cabinets += rank / 4 % 4 != operation.peer / 4 % 4;
    }
  EXPECT_EQ(between_rows, 1);
  EXPECT_EQ(between_cabinets, 3);
  int proven = 0;
  for (const CollectiveTraits& each : collectives)
    for (const char* text :
         {"grid(level2)[linear]", "grid(group,level2,switch,node)[linear]", "lanes(level2)[ring]"}) {
      const auto plan = make_plan(each.collective, text);
      if (!plan || each.regular != each.collective || plan->refusal(setting)) continue;
      ++proven;
      EXPECT_EQ(plan->text(), text);
      EXPECT_THAT(verify(generate(*plan, shape_of(*plan, setting, each.rooted ? 3 : 0, 1000)), {}, 1),
                  testing::IsEmpty())
          << name(each.collective) << " " << text;
    }
  EXPECT_GE(proven, 13);
  // The first and the last are what has a name, too, and there are no more.
  EXPECT_EQ(make_plan(Collective::bcast, "grid(level1)")->text(), "grid(switch)");
  EXPECT_EQ(refusal("grid(level3)"), "");
  EXPECT_THAT(refusal("grid(level4)"), HasSubstr("hosts have 3 levels, not 4"));
  EXPECT_THAT(
      make_plan(Collective::bcast, "grid(level2)")->refusal({.ranks = 32, .hosts = &hosts}).value_or(""),
      HasSubstr("no groups of these ranks are known"));
  const auto error = [](const char* text) { return make_plan(Collective::bcast, text).error().message; };
  for (const char* text : {"grid(level0)", "grid(level17)", "grid(node,level-1)", "grid(level2,group)"})
    EXPECT_FALSE(make_plan(Collective::bcast, text)) << text;
  EXPECT_THAT(error("grid(level0)"),
              HasSubstr("column 6: 'level0' is no level of groups; they are numbered"));
  EXPECT_THAT(error("grid(level2,group)"), HasSubstr("level3, level2"));
  // Tuning tries them.
  std::vector<std::string> tried;
  for (const auto& one : templates(Collective::allreduce, setting)) tried.push_back(one.head.text());
  EXPECT_THAT(tried, testing::IsSupersetOf({"grid(level2)", "grid(group,level2,switch,node)"}));
  EXPECT_THAT(tried, testing::Not(testing::Contains("grid(level3)"))) << "which are the groups";
}

// Where some hosts are nearer to the root of the tree than others a level is of what is below it,
// and within the next one.
TEST(GroupLevels, AreWithinEachOtherInTreesOfAnyShape) {
  const Hosts hosts{0, 1, 2, 3, 4, 5, 6, 7};
  const Network told = with_groups_around(
      {.hosts = hosts}, {{1, 1, 1}, {1, 1, 1}, {1, 1, 2}, {1, 1, 2}, {1, 3}, {1, 3}, {2, 1}, {2, 1}});
  const GroupLevels levels = GroupLevels::of(told, 8);
  ASSERT_EQ(levels.by_height.size(), 3u);
  EXPECT_THAT(levels.by_height[0], ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(levels.by_height[1], ElementsAre(0, 0, 0, 0, 1, 1, 2, 2));
  EXPECT_THAT(levels.by_height[2], ElementsAre(0, 0, 0, 0, 0, 0, 1, 1));
  EXPECT_EQ(levels.by_height[0], levels.switches);
  EXPECT_EQ(levels.by_height[2], levels.groups);
}

TEST(GroupLevels, TellNothingWhereGroupsTearHostsApartOrAreOne) {
  const Network torn = with_groups_around({.hosts = {0, 0, 1}}, {{1}, {2}, {2}});
  EXPECT_TRUE(torn.groups.empty());
  EXPECT_FALSE(GroupLevels::of(torn, 3).tells_hosts_apart());
  const Network one = with_groups_around({.hosts = {0, 1, 2}}, {{5}, {5}, {5}});
  EXPECT_FALSE(GroupLevels::of(one, 3).tells_hosts_apart());
  // The same number within another group is another group.
  const Network apart = with_groups_around({.hosts = {0, 1, 2, 3}}, {{1, 9}, {2, 9}, {1, 9}, {2, 9}});
  EXPECT_THAT(GroupLevels::of(apart, 4).switches, ElementsAre(0, 1, 0, 1));
}

TEST(GridOfLevels, HasPartsOfHosts) {
  Network network = swift_hosts(PortUse::shared);
  network.hosts.assign(16, 0);
  const PlacesInHosts places = of_two_by_two_by_two(2);
  const Network with = with_parts_of_hosts(network, places);
  const KnownNetwork known = KnownNetwork::of(with, 16);
  const Setting seen{.ranks = 16, .hosts = &network.hosts, .in_hosts = &places},
      told{.ranks = 16, .hosts = &network.hosts, .network = &known};
  const auto count_between = [&](const Setting& setting, HostPart part) {
    const Plan plan = make_plan(Collective::bcast, "grid(socket,numa,cache)[linear]").value();
    EXPECT_EQ(plan.refusal(setting), std::nullopt);
    const Schedule schedule = generate(plan, shape_of(plan, setting, 5, 1000));
    int between = 0;
    for (Rank rank = 0; rank < 16; ++rank)
      for (const Operation& operation : schedule.parts[static_cast<std::size_t>(rank)].operations())
        between += operation.kind == OperationKind::send &&
                   places[part][static_cast<std::size_t>(rank)] !=
                       places[part][static_cast<std::size_t>(operation.peer)];
    return between;
  };
  for (const Setting& setting : {seen, told}) {
    EXPECT_EQ(count_between(setting, HostPart::socket), 1);
    EXPECT_EQ(count_between(setting, HostPart::numa), 3);
    EXPECT_EQ(count_between(setting, HostPart::cache), 7);
    const auto found = templates(Collective::bcast, setting);
    for (const char* text : {"grid(numa)", "grid(cache)", "grid(socket,numa,cache)"})
      EXPECT_TRUE(std::ranges::any_of(found, [&](const auto& one) { return one.head.text() == text; }))
          << text;
  }
  std::map<std::string, std::size_t> proven;
  for (const CollectiveTraits& each : collectives)
    for (const char* text : {"grid(numa)", "grid(cache)", "grid(socket,cache)", "grid(node,numa,cache)"}) {
      const auto plan = make_plan(each.collective, text);
      if (!plan || each.regular != each.collective) continue;
      const Proof proof = prove(*plan, 20, 0);
      EXPECT_EQ(proof.violation, "") << name(each.collective) << " " << text;
      proven[text] += proof.schedules;
    }
  EXPECT_EQ(proven.size(), 4u);
  for (const auto& [text, schedules] : proven) EXPECT_GT(schedules, 0u) << text;
}

TEST(GridOfLevels, SaysWhatItLacks) {
  const auto refusal = [](const char* text, const Setting& setting) {
    return make_plan(Collective::bcast, text)->refusal(setting).value_or("");
  };
  const Hosts hosts{0, 0, 1, 1};
  const PlacesInHosts sockets = sockets_at({0, 1, 2, 3}), torn = sockets_at({0, 1, 1, 2});
  EXPECT_THAT(refusal("grid(switch)", {.ranks = 4, .hosts = &hosts}),
              HasSubstr("no switches of these ranks are known"));
  EXPECT_THAT(refusal("grid(socket)", {.ranks = 4, .hosts = &hosts}),
              HasSubstr("sockets of these ranks are not known"));
  EXPECT_THAT(refusal("grid(numa)", {.ranks = 4, .hosts = &hosts, .in_hosts = &sockets}),
              HasSubstr("the NUMA domains of these ranks are not known; bind each rank to one"));
  EXPECT_EQ(refusal("grid(node,socket)", {.ranks = 4, .hosts = &hosts, .in_hosts = &sockets}), "");
  EXPECT_THAT(refusal("grid(node,socket)", {.ranks = 4, .hosts = &hosts, .in_hosts = &torn}),
              HasSubstr("one socket has ranks of more than one node"));
  const auto error = [](const char* text) {
    const auto plan = make_plan(Collective::bcast, text);
    return plan ? plan->text() : plan.error().message;
  };
  EXPECT_THAT(error("grid(socket,node)"), HasSubstr("column 13: levels go from the outermost to the "
                                                    "innermost: group, switch, node, socket, numa, cache"));
  EXPECT_THAT(error("grid(node,node)"), HasSubstr("from the outermost"));
  EXPECT_THAT(error("grid(nod)"), HasSubstr("or levels such as node or group,node"));
  EXPECT_THAT(error("grid(node,socket,mapping=cyclic)"), HasSubstr("need no mapping"));
  EXPECT_THAT(error("lanes(node,socket)"), HasSubstr("two dimensions only"));
  EXPECT_THAT(error("grid(node,socket)[linear,linear]"), HasSubstr("2 plans for 3 dimensions"));
  EXPECT_EQ(error("grid(node,socket,phases=apart)[linear]"), "grid(node,socket,phases=apart)[linear]");
}

TEST(GridOfGroups, IsATemplateAndSavesTheWayOut) {
  Network network = grouped(PortUse::shared, 16, 4, {.out = 4 * beta_of_groups, .in = 4 * beta_of_groups});
  for (Rank rank = 0; rank < 16; ++rank) network.group_of[static_cast<std::size_t>(rank)] = 1 + rank % 4;
  const KnownNetwork known = KnownNetwork::of(network, 16);
  const Setting setting{.ranks = 16, .network = &known};
  const auto all = templates(Collective::allgather, setting);
  EXPECT_TRUE(std::ranges::any_of(all, [](const auto& one) { return one.head.text() == "grid(group)"; }));
  const auto on_it = [&](const char* text) {
    const Plan plan = make_plan(Collective::allgather, text).value();
    return price(generate(plan, shape_of(plan, setting, 0, 16'000)), 16'000, network).seconds;
  };
  EXPECT_LT(on_it("grid(group)[ring,ring]"), 0.7 * on_it("ring"));
}

TEST(GridOfGroups, SaysWhatItLacks) {
  const Plan plan = make_plan(Collective::bcast, "grid(group)[binomial,binomial]").value();
  EXPECT_THAT(plan.refusal({.ranks = 4}).value_or(""), HasSubstr("no groups of these ranks are known"));
  const Network grouped_by_two = grouped(PortUse::shared, 4, 2, {});
  const KnownNetwork others = KnownNetwork::of(grouped_by_two, 2);
  EXPECT_THAT(plan.refusal({.ranks = 4, .network = &others}).value_or(""),
              HasSubstr("no groups of these ranks are known"));
  EXPECT_EQ(plan.text(), "grid(group)[binomial,binomial]");
  const auto phase = make_plan(Collective::bcast, "grid(2x4)[linear,grid(group)]");
  ASSERT_FALSE(phase);
  EXPECT_THAT(phase.error().message, HasSubstr("for the whole communicator only"));
}

}  // namespace
}  // namespace tutti
