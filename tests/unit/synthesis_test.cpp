// Schedules that are computed for one network: pool trees, Min³ and its comparators, pools, and
// what keeps them.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "core/network/by_hosts.hpp"
#include "core/network/drawn_tree.hpp"
#include "core/network/network_file.hpp"
#include "core/network/price.hpp"
#include "core/network/quantised.hpp"
#include "core/network/remeasured.hpp"
#include "core/network/sites.hpp"
#include "core/plan/prove.hpp"
#include "core/schedule/verify.hpp"
#include "core/synthesis/broadcast_trees.hpp"
#include "core/synthesis/coordinators.hpp"
#include "core/synthesis/crossing.hpp"
#include "core/synthesis/known_network.hpp"
#include "core/synthesis/min3.hpp"
#include "core/synthesis/pools.hpp"
#include "core/synthesis/port_clock.hpp"
#include "core/synthesis/sample_networks.hpp"
#include "core/synthesis/schedule_store.hpp"

namespace tutti {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The paper's three sites, tables 1 and 2: 8, 4 and 8 hosts. Mbit/s and seconds, directions
// averaged.
Network three_sites() {
  std::vector<int> site_of;
  for (const auto& [site, hosts] : {std::pair(0, 8), {1, 4}, {2, 8}})
    site_of.insert(site_of.end(), static_cast<std::size_t>(hosts), site);
  Network network = network_of_sites(site_of);
  const auto set = [&](Rank a, Rank b, double megabits, double latency) {
    network.links[static_cast<std::size_t>(network.link_number(a, b))] =
        Link::swift({.alpha = latency, .beta = 8e-6 / megabits});
  };
  set(0, 1, 85.19, 60e-6);
  set(8, 9, 289.33, 60e-6);
  set(12, 13, 81.86, 60e-6);
  set(0, 8, 1.36, 0.05);
  set(0, 12, 1.2, 0.05);
  set(8, 12, 4.75, 0.076);
  return network;
}

std::vector<Rank> ranks_from(Rank first, Rank last) {
  std::vector<Rank> ranks;
  for (Rank rank = first; rank <= last; ++rank) ranks.push_back(rank);
  return ranks;
}

TEST(PoolTree, OfThreeSitesSplitsTwice) {
  const Pool root = pool_tree(Bandwidths(three_sites(), 20));
  EXPECT_EQ(root.ranks.size(), 20u);
  ASSERT_EQ(root.pools.size(), 2u);
  EXPECT_EQ(root.pools[0].ranks, ranks_from(0, 7));
  EXPECT_TRUE(root.pools[0].pools.empty());
  EXPECT_EQ(root.pools[1].ranks, ranks_from(8, 19));
  ASSERT_EQ(root.pools[1].pools.size(), 2u);
  EXPECT_EQ(root.pools[1].pools[0].ranks, ranks_from(8, 11));
  EXPECT_EQ(root.pools[1].pools[1].ranks, ranks_from(12, 19));
  EXPECT_THAT(KnownNetwork::of(three_sites(), 20).sites,
              ElementsAre(ranks_from(0, 7), ranks_from(8, 11), ranks_from(12, 19)));
}

TEST(PoolTree, OfOneSiteIsOnePool) {
  const Network star = Network::uniform({.alpha = 1e-5, .beta = 1e-8});
  EXPECT_TRUE(pool_tree(Bandwidths(star, 16)).pools.empty());
  EXPECT_EQ(KnownNetwork::of(star, 16).sites.size(), 1u);
}

// Links by hosts have the pools that the table of all pairs has, without it.
TEST(PoolTree, OfLinksByHostsNeedsNoTable) {
  for (const double faster : {1.0, 1.15, 1.5, 2.5, 100.0, 0.1})
    for (const Hosts& hosts : {Hosts{}, Hosts{0, 0, 0, 0, 0, 0}, Hosts{0, 1, 2, 3, 4, 5},
                               Hosts{0, 1, 0, 2, 2, 2}, Hosts{0, 0, 0, 1, 1, 1}}) {
      const Network network{.links = {Link::swift({.alpha = 1e-5, .beta = 1e-8}),
                                      Link::swift({.alpha = 1e-6, .beta = 1e-8 / faster})},
                            .link_on_host = 1,
                            .hosts = hosts};
      const Pool pools = pool_tree(network, 6), of_table = pool_tree(Bandwidths(network, 6));
      EXPECT_EQ(pools.ranks, of_table.ranks);
      ASSERT_EQ(pools.pools.size(), of_table.pools.size())
          << faster << " times, " << count(hosts) << " hosts";
      for (std::size_t i = 0; i < pools.pools.size(); ++i) {
        EXPECT_EQ(pools.pools[i].ranks, of_table.pools[i].ranks);
        EXPECT_DOUBLE_EQ(pools.pools[i].threshold, of_table.pools[i].threshold);
      }
    }
  // That of so many ranks would take 80 GB.
  Network many{
      .links = {Link::swift({.alpha = 1e-5, .beta = 1e-8}), Link::swift({.alpha = 1e-6, .beta = 1e-10})},
      .link_on_host = 1,
      .hosts = hosts_of(100'000, 100)};
  const KnownNetwork known = KnownNetwork::of(many, 100'000);
  EXPECT_EQ(known.pools.pools.size(), 1000u);
  EXPECT_EQ(known.sites.size(), 1u);
}

TEST(PoolTree, KeepsTheSitesWhenBandwidthsScatter) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> within(0.95, 1.05);
  const Bandwidths exact(three_sites(), 20);
  for (int bandit = 0; bandit < 200; ++bandit) {
    std::vector<double> values(400);
    for (Rank a = 0; a < 20; ++a)
      for (Rank b = 0; b < a; ++b)
        values[static_cast<std::size_t>(20 * a + b)] = values[static_cast<std::size_t>(20 * b + a)] =
            exact(a, b) * within(random);
    const Pool root = pool_tree(Bandwidths(20, std::move(values)));
    ASSERT_EQ(root.pools.size(), 2u) << bandit;
    EXPECT_EQ(root.pools[0].ranks, ranks_from(0, 7)) << bandit;
    EXPECT_TRUE(root.pools[0].pools.empty()) << bandit << "\n" << to_text(drawn(root));
    ASSERT_EQ(root.pools[1].pools.size(), 2u) << bandit;
    EXPECT_EQ(root.pools[1].pools[0].ranks, ranks_from(8, 11)) << bandit;
  }
}

TEST(PoolTree, IsDrawn) {
  const Pool root = pool_tree(Bandwidths(three_sites(), 20));
  EXPECT_THAT(to_text(drawn(root)), HasSubstr("    4 ranks (8-11), 36.17 MB/s\n"));
  EXPECT_THAT(to_svg({drawn(root)}), HasSubstr("8 ranks (12-19)"));
}

TEST(Sites, AHostOfSeveralRanksIsNone) {
  std::vector<int> host_of{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
  Network network = network_of_sites(host_of);
  for (Link& link : network.links)
    if (hockney_of(link).alpha > 1e-3) link = Link::swift({.alpha = 1e-4, .beta = 1e-6});
  network.hosts = host_of;
  EXPECT_FALSE(pool_tree(Bandwidths(network, 12)).pools.empty());
  EXPECT_EQ(KnownNetwork::of(network, 12).sites.size(), 1u);
}

// Section 5 as it is written: all minima are kept, and after each transfer those are found anew
// that it may have changed.
class LiteralMin3 {
 public:
  LiteralMin3(const Network& network, int ranks, double bytes, bool half)
      : ranks_(ranks), half_(half), clock_(network, ranks, bytes, half) {}

  ScheduledTransfers run(const Pool& root) {
    std::vector<Rank> source;
    for (Rank rank = 0; rank < ranks_; ++rank) source.push_back(rank);
    min3_allgather(root, source);
    return transfers_;
  }

 private:
  struct Minimum {
    double time = std::numeric_limits<double>::infinity();
    int distance = 0;
    Rank destination = 0, source = -1;
    bool operator<(const Minimum& other) const {
      return std::tie(time, distance, destination) < std::tie(other.time, other.distance, other.destination);
    }
  };
  using Sources = std::vector<std::vector<std::pair<Rank, double>>>;  // by data: rank, and since when

  Minimum find_min(int data, const Sources& sources, const Pool& pool) const {
    Minimum least;
    for (const auto& [source, since] : sources[static_cast<std::size_t>(data)])
      for (const Rank host : pool.ranks)
        least = std::min(
            least, {clock_.arrival(source, host, since), (data - host + ranks_) % ranks_, host, source});
    return least;
  }

  void min3_allgather(const Pool& input, const std::vector<Rank>& init_source) {
    std::vector<Pool> pools = input.pools;
    if (pools.empty())
      for (const Rank rank : input.ranks) pools.push_back({0, {rank}, {}});
    Sources sources(static_cast<std::size_t>(ranks_));
    std::vector<std::map<std::size_t, Minimum>> minimum(sources.size());  // by data and destination pool
    for (int data = 0; data < ranks_; ++data) {
      const auto d = static_cast<std::size_t>(data);
      sources[d] = {{init_source[d], since_[{data, init_source[d]}]}};
    }
    for (int data = 0; data < ranks_; ++data)
      for (std::size_t p = 0; p < pools.size(); ++p) {
        const auto d = static_cast<std::size_t>(data);
        if (std::count(pools[p].ranks.begin(), pools[p].ranks.end(), init_source[d]) == 0)
          minimum[d][p] = find_min(data, sources, pools[p]);
      }
    for (;;) {
      Minimum first;
      int sched_data = -1;
      std::size_t sched_pool = 0;
      for (int data = 0; data < ranks_; ++data)
        for (const auto& [p, least] : minimum[static_cast<std::size_t>(data)])
          if (least < first) {
            first = least;
            sched_data = data;
            sched_pool = p;
          }
      if (sched_data < 0) break;
      const auto d = static_cast<std::size_t>(sched_data);
      const double since = std::find_if(sources[d].begin(), sources[d].end(), [&](const auto& s) {
                             return s.first == first.source;
                           })->second;
      const double start = clock_.start(first.source, first.destination, since);
      clock_.send(first.source, first.destination, start);
      transfers_.push_back({.from = first.source, .to = first.destination, .block = sched_data});
      sources[d].push_back({first.destination, first.time});
      since_[{sched_data, first.destination}] = first.time;
      minimum[d].erase(sched_pool);
      for (int data = 0; data < ranks_; ++data)
        for (auto& [p, least] : minimum[static_cast<std::size_t>(data)]) {
          const bool hit =
              data == sched_data || least.source == first.source || least.destination == first.destination ||
              (half_ && (least.source == first.destination || least.destination == first.source));
          if (hit) least = find_min(data, sources, pools[p]);
        }
    }
    for (const Pool& pool : input.pools) {
      std::vector<Rank> inner;
      for (const auto& of_data : sources)
        for (const auto& [rank, since] : of_data)
          if (std::count(pool.ranks.begin(), pool.ranks.end(), rank) > 0) {
            inner.push_back(rank);
            break;
          }
      if (pool.ranks.size() > 1) min3_allgather(pool, inner);
    }
  }

  int ranks_;
  bool half_;
  PortClock clock_;
  std::map<std::pair<int, Rank>, double> since_;
  ScheduledTransfers transfers_;
};

using Sent = std::tuple<Rank, Rank, int>;
std::vector<Sent> sent(const ScheduledTransfers& transfers) {
  std::vector<Sent> list;
  for (const ScheduledTransfer& t : transfers) list.emplace_back(t.from, t.to, t.block);
  return list;
}

TEST(Min3, IsWhatItsAuthorsWroteButFaster) {
  std::vector<Network> networks{three_sites()};
  for (const int ranks : {2, 5, 9, 13, 24})
    for (Network& network : sample_networks(ranks)) networks.push_back(std::move(network));
  for (const Network& network : networks)
    for (const bool half : {false, true})
      for (const double bytes : {100.0, 65536.0}) {
        const Pool pools = pool_tree(Bandwidths(network, network.ranks));
        EXPECT_EQ(sent(min3_allgather(network, pools, bytes, half)),
                  sent(LiteralMin3(network, network.ranks, bytes, half).run(pools)))
            << network.ranks << " ranks, " << bytes << " bytes";
      }
}

// How often each block enters each site.
std::map<std::pair<int, std::size_t>, int> entries(const ScheduledTransfers& transfers, const Sites& sites) {
  const auto site_of = [&](Rank rank) {
    std::size_t site = 0;
    while (std::count(sites[site].begin(), sites[site].end(), rank) == 0) ++site;
    return site;
  };
  std::map<std::pair<int, std::size_t>, int> count;
  for (const ScheduledTransfer& t : transfers)
    if (site_of(t.from) != site_of(t.to))
      for (int block = t.block; block < t.block + t.blocks; ++block) ++count[{block, site_of(t.to)}];
  return count;
}

TEST(WideArea, EveryBlockEntersEverySiteOnce) {
  const KnownNetwork known = KnownNetwork::of(three_sites(), 20);
  const Sites sites = known.sites;
  const Shape shape{.collective = Collective::allgather, .ranks = 20, .root = 0, .blocks = 80};
  for (const auto& [transfers, blocks] :
       {std::pair(min3_allgather(known.network, known.pools, 65536, false), 20),
        {min3_allgather(known.network, known.pools, 65536, true), 20},
        {magpie_allgather(sites, 1), 20},
        {across_sites(shape, known.network, sites, 65536), 80}}) {
    const auto count = entries(transfers, sites);
    EXPECT_EQ(count.size(), static_cast<std::size_t>(2 * blocks));  // two sites have not got it
    for (const auto& [where, times] : count) EXPECT_EQ(times, 1) << where.first << " " << where.second;
  }
}

TEST(Crossing, UsesAllPairsAlike) {
  const Network network = three_sites();
  Crossing crossing(network, ranks_from(0, 7), ranks_from(8, 11), 4096);
  std::map<std::pair<Rank, Rank>, int> used;
  const auto at_once = [](Rank) { return 0.0; };
  for (int piece = 0; piece < 64; ++piece) {
    const auto passage = crossing.send(at_once, at_once);
    ++used[{passage.from, passage.to}];
  }
  EXPECT_EQ(used.size(), 32u);
  for (const auto& [pair, times] : used) EXPECT_EQ(times, 2);
}

TEST(Crossing, KeepsWithinATrunk) {
  Network network = three_sites();
  network.trunks.push_back({.from = 0, .to = 8, .seconds_per_byte = 8e-6 / 20});
  EXPECT_EQ(Crossing(network, ranks_from(0, 7), ranks_from(8, 11), 4096).pairs().size(), 15u);  // 20 / 1.36
  EXPECT_EQ(Crossing(network, ranks_from(8, 11), ranks_from(0, 7), 4096).pairs().size(), 32u);
}

TEST(Crossing, HasPairsWithinBounds) {
  Network network = Network::uniform({.alpha = 0.01, .beta = 1e-6});
  network.trunks.push_back({.from = 0, .to = 10'000, .seconds_per_byte = 1e-29});  // as good as none
  EXPECT_EQ(Crossing(network, ranks_from(0, 9'999), ranks_from(10'000, 19'999), 4096).pairs().size(), 4096u);
}

// Whatever is computed is right: on several networks, for all roots.
class EveryComputedPlan : public testing::TestWithParam<Collective> {};

TEST_P(EveryComputedPlan, IsProven) {
  std::size_t plans = 0;
  for (const Plan& plan : known_plans(GetParam())) {
    if (!plan.is_computed()) continue;
    ++plans;
    Proof all;
    for (const int ranks : {2, 3, 5, 8, 13, 16})
      for (Rank root = 0; root < (traits(GetParam()).rooted ? ranks : 1); ++root) {
        const Proof proof = prove(plan, ranks, root);
        ASSERT_EQ(proof.violation, "") << plan.text();
        all.schedules += proof.schedules;
      }
    EXPECT_GE(all.schedules, 12u) << plan.text();
  }
  EXPECT_GE(plans, 1u);
}

INSTANTIATE_TEST_SUITE_P(Collectives, EveryComputedPlan,
                         testing::Values(Collective::bcast, Collective::gather, Collective::scatter,
                                         Collective::allgather, Collective::alltoall, Collective::reduce,
                                         Collective::allreduce, Collective::reduce_scatter_block),
                         [](const auto& tested) { return std::string(name(tested.param)); });

// What is said to be computed for no bytes is the same whatever bytes a shape has, and there are
// such plans.
TEST(Computed, GoesByBytesUnlessOneScheduleServesAll) {
  const KnownNetwork known = KnownNetwork::of(three_sites(), 20);
  const Setting setting{.ranks = 20, .network = &known};
  std::set<std::string> for_any;
  for (const CollectiveTraits& each : collectives)
    for (const Plan& plan : known_plans(each.collective)) {
      if (!plan.is_computed() || plan.refusal(setting)) continue;
      EXPECT_EQ(computed_for(plan, 3 << 20), plan.goes_by_bytes() ? 2u << 20 : 0u) << plan.text();
      if (plan.goes_by_bytes()) continue;
      for_any.insert(fmt::format("{} {}", each.name, plan.text()));
      Shape few = shape_of(plan, setting, 0, 20), many = shape_of(plan, setting, 0, 20 << 20);
      EXPECT_EQ(few, many) << plan.text();
      few.bytes = 16;
      many.bytes = 16 << 20;
      for (const Rank rank : {0, 7, 19})
        EXPECT_EQ(generate(plan, few, rank), generate(plan, many, rank)) << plan.text();
    }
  EXPECT_THAT(for_any, testing::IsSupersetOf({"allgatherv magpie", "allgatherv mpich_g2", "alltoallv pools",
                                              "alltoallw pools"}));
}

TEST(Computed, NeedsANetworkOfItsRanksAndSeveralSites) {
  const Plan pools = make_plan(Collective::allgather, "pools").value();
  EXPECT_THAT(pools.refusal({.ranks = 20}).value(), HasSubstr("none is known"));
  const KnownNetwork known = KnownNetwork::of(three_sites(), 20);
  EXPECT_FALSE(pools.refusal({.ranks = 20, .network = &known}));
  EXPECT_THAT(pools.refusal({.ranks = 16, .network = &known}).value(), HasSubstr("of 20 ranks, not 16"));
  const KnownNetwork star = KnownNetwork::of(Network::uniform({.alpha = 1e-5, .beta = 1e-8}), 16);
  EXPECT_THAT(pools.refusal({.ranks = 16, .network = &star}).value(), HasSubstr("one site"));
  EXPECT_THAT(make_plan(Collective::allgather, "grid(4x5)[pools,ring]").error().message,
              HasSubstr("column 11: pools is computed for the whole communicator, not for a phase"));
}

double price_on_sites(const char* text, std::size_t block) {
  const Network network = three_sites();
  const KnownNetwork known = KnownNetwork::of(network, 20);
  const Plan plan = make_plan(Collective::allgather, text).value();
  const Schedule schedule = generate(plan, shape_of(plan, {.ranks = 20, .network = &known}, 0, 20 * block));
  return price(schedule, 20 * block, network).seconds;
}

// All ranks compute all of a schedule, and keep it.
TEST(Computed, IsBoundedInMemoryAndTime) {
  KnownNetwork known = KnownNetwork::of(three_sites(), 20);
  const auto refusal = [&](Collective collective, const char* plan) {
    const Setting setting{.ranks = known.ranks, .network = &known};
    return make_plan(collective, plan).value().refusal(setting).value_or("");
  };
  const auto blocks = [&](Collective collective, const char* plan) {
    const auto size = static_cast<std::size_t>(known.ranks) * (1 << 20);
    return blocks_for(make_plan(collective, plan).value(), {.ranks = known.ranks, .network = &known}, size);
  };
  EXPECT_EQ(blocks(Collective::allgather, "pools(4)"), 20 * 32);
  known.ranks = 1000;
  for (const char* plan : {"min3", "magpie", "mpich_g2", "pools"})
    EXPECT_EQ(refusal(Collective::allgather, plan), "") << plan;
  EXPECT_THAT(refusal(Collective::allgather, "trees"), HasSubstr("it serves 64 at most"));
  EXPECT_EQ(blocks(Collective::allgather, "pools(4)"), 1000);
  EXPECT_EQ(blocks(Collective::gather, "pools(4)"), 1000 * 32);
  known.ranks = 10'000;
  for (const char* plan : {"min3", "magpie", "mpich_g2", "pools"})
    EXPECT_THAT(refusal(Collective::allgather, plan), HasSubstr("100000000 messages")) << plan;
  EXPECT_THAT(refusal(Collective::reduce_scatter_block, "pools"), HasSubstr("the most are 1048576"));
  EXPECT_EQ(refusal(Collective::bcast, "pools"), "");
  EXPECT_EQ(refusal(Collective::alltoall, "pools"), "");
  EXPECT_LE(blocks(Collective::bcast, "pools(4)"), 52);
}

// Where one message takes no part of another's time, as far as numbers tell, times tell no order.
TEST(Computed, IsRightWhateverMessagesTake) {
  Network network = network_of_sites({0, 0, 0, 1, 1, 1, 1});
  for (Link& link : network.links)
    link = hockney_of(link).alpha < 1e-3 ? Link::swift({.alpha = 0, .beta = 1e-12})
                                         : Link::swift({.alpha = 1e12, .beta = 1e-6});
  const KnownNetwork known = KnownNetwork::of(network, 7);
  ASSERT_EQ(known.sites.size(), 2u);
  for (const CollectiveTraits& each : collectives) {
    if (each.on_neighbors || each.regular != each.collective) continue;
    for (const Plan& plan : known_plans(each.collective)) {
      if (!plan.is_computed()) continue;
      for (Rank root = 0; root < (each.rooted ? 7 : 1); ++root)
        for (const std::size_t bytes : {std::size_t{7}, std::size_t{1} << 20}) {
          const Setting setting{.ranks = 7, .network = &known};
          const auto wrong = verify(generate(plan, shape_of(plan, setting, root, bytes)), {});
          EXPECT_TRUE(wrong.empty()) << plan.text() << ", root " << root << ": " << wrong.front().message;
        }
    }
  }
}

TEST(Computed, LeavesWhatWasKnownFarBehind) {
  const double pools = price_on_sites("pools", 65536);
  EXPECT_LT(price_on_sites("min3", 65536), 0.48 * price_on_sites("magpie", 65536));
  EXPECT_LT(20 * pools, price_on_sites("magpie", 65536));
  EXPECT_LT(20 * pools, price_on_sites("mpich_g2", 65536));
  EXPECT_LT(2 * pools, price_on_sites("min3", 65536));
  const double bound =
      lower_bound(Collective::allgather, 65536, three_sites(), KnownNetwork::of(three_sites(), 20).sites);
  EXPECT_GT(pools, bound);
  EXPECT_LT(pools, 1.5 * bound);
}

TEST(Trees, ReachEverybodyOnce) {
  const Network network = three_sites();
  const Sites sites = KnownNetwork::of(network, 20).sites;
  for (Rank root = 0; root < 20; ++root)
    for (const Tree& tree :
         {earliest_completing_edges(network, 20, 65536, root), annealed(network, sites, 65536, root)}) {
      ASSERT_EQ(tree.size(), 20u);
      EXPECT_EQ(tree[static_cast<std::size_t>(root)], -1);
      for (Rank rank = 0; rank < 20; ++rank) {
        int steps = 0;
        for (Rank at = rank; at != root && steps <= 20; ++steps) at = tree[static_cast<std::size_t>(at)];
        EXPECT_LE(steps, 19) << "rank " << rank << " is not under root " << root;
      }
    }
}

TEST(Trees, ByAnnealingStayInTheirSites) {
  const Network network = three_sites();
  const Sites sites = KnownNetwork::of(network, 20).sites;
  const Tree tree = annealed(network, sites, 65536, 9);
  int crossings = 0;
  for (Rank rank = 0; rank < 20; ++rank) {
    const Rank parent = tree[static_cast<std::size_t>(rank)];
    if (parent >= 0 && network.between(parent, rank).time(0) > 1e-3) ++crossings;
  }
  EXPECT_EQ(crossings, 2);
}

TEST(Coarse, DoesNotSeeWhatScatters) {
  Network network = three_sites();
  const auto before = KnownNetwork::of(network, 20).fingerprint;
  const auto with = [&](double factor) {
    Network other = network;
    Link& link = other.links[static_cast<std::size_t>(other.link_number(0, 8))];
    const Hockney old = hockney_of(link);
    link = Link::swift({.alpha = old.alpha, .beta = old.beta * factor});
    return KnownNetwork::of(other, 20).fingerprint;
  };
  // Rounded to classes of a tenth: a twentieth more or less is seen at most one way.
  EXPECT_TRUE(with(1.01) == before || with(0.99) == before);
  EXPECT_NE(with(2), before);
  EXPECT_NE(with(0.5), before);
}

// Ranks compute for themselves and have to compute the same: no class may depend on a host's
// logarithms.
TEST(Coarse, IsTheSameEverywhereToTheLastBit) {
  const auto line = [](double alpha, double beta) {
    return quantised(Network::uniform({.alpha = alpha, .beta = beta})).links.front().time;
  };
  EXPECT_EQ(line(1e-4, 1e-8), Curve::line(13.0 / (1 << 17), 11.0 / (1 << 30)));
  EXPECT_EQ(line(1, 0), Curve::line(1, 0));
  EXPECT_EQ(line(0, 1e-9), Curve::line(0, 9.0 / (1LL << 33)));
  EXPECT_EQ(line(1.03, 0), Curve::line(1, 0));
  EXPECT_EQ(line(1.07, 0), Curve::line(1.125, 0));
  EXPECT_EQ(line(1.95, 0), Curve::line(2, 0));
  EXPECT_EQ(line(1.93, 0), Curve::line(1.875, 0));
  for (const Network& network : {three_sites(), sample_networks(9).back()})
    EXPECT_EQ(quantised(quantised(network)), quantised(network));
}

TEST(Remeasured, StretchesWhatHasChanged) {
  const Network network = three_sites();
  const double bytes = 16384, usual = network.between(0, 8).time(bytes);
  const Sites sites = KnownNetwork::of(network, 20).sites;
  const Network now = remeasured(network, 20, bytes, {{0, 8, 2 * usual}, {1, 8, 1.05 * usual}}, sites);
  EXPECT_NEAR(now.between(0, 8).time(bytes), 2 * usual, 1e-9);
  EXPECT_EQ(now.between(8, 0), now.between(0, 8));
  EXPECT_NEAR(hockney_of(now.between(0, 8)).alpha, 0.05, 1e-9);
  EXPECT_EQ(now.between(1, 8), network.between(1, 8));
  EXPECT_EQ(now.between(0, 9), network.between(0, 9));
}

TEST(Remeasured, TakesPairsOfTwoSitesToBeAlike) {
  const Network network = three_sites();
  const Sites sites = KnownNetwork::of(network, 20).sites;
  const double bytes = 65536, usual = network.between(0, 8).time(bytes);
  const Network now =
      remeasured(network, 20, bytes, {{0, 8, 2 * usual}, {3, 9, 2.1 * usual}, {5, 10, 1.9 * usual}}, sites);
  EXPECT_NEAR(now.between(7, 11).time(bytes), 2 * usual, 1e-3);
  EXPECT_NEAR(now.between(3, 9).time(bytes), 2 * usual, 1e-3);
  EXPECT_EQ(now.between(0, 12), network.between(0, 12));
  EXPECT_EQ(now.between(8, 9), network.between(8, 9));
}

TEST(Remeasured, AgainAndAgainDoesNotGrow) {
  Network network = three_sites();
  const Sites sites = KnownNetwork::of(network, 20).sites;
  const std::size_t before = network.links.size();
  for (int i = 0; i < 50; ++i) {
    const double usual = network.between(0, 8).time(16384);
    network = remeasured(network, 20, 16384, {{0, 8, (i % 2 == 0 ? 2 : 0.5) * usual}}, sites);
  }
  EXPECT_LE(network.links.size(), before + 1);
  EXPECT_EQ(network.between(1, 8), three_sites().between(1, 8));
}

TEST(Remeasured, TakesNothingFromAClockThatStood) {
  const Network network = three_sites();
  const Sites sites = KnownNetwork::of(network, 20).sites;
  EXPECT_EQ(remeasured(network, 20, 16384, {{0, 8, 0}, {1, 9, 0}}, sites), network);
  const Network free = Network::uniform({.alpha = 0, .beta = 0});
  EXPECT_EQ(remeasured(free, 4, 16384, {{0, 1, 0}, {2, 3, 1}}, {{0, 1, 2, 3}}), free);
}

// A table of all pairs grows with the square of the ranks.
TEST(Remeasured, LeavesLinksByHostsOfVeryManyRanks) {
  const auto links_of = [](int ranks) {
    const Network network = Network::uniform({.alpha = 1e-5, .beta = 1e-9});
    const double usual = network.links.front().time(65536);
    std::vector<Rank> all;
    for (Rank rank = 0; rank < ranks; ++rank) all.push_back(rank);
    return remeasured(network, ranks, 65536, {{0, 1, 2 * usual}}, {all}).links.size();
  };
  EXPECT_EQ(links_of(64), 2u);
  EXPECT_EQ(links_of(100'000), 1u);
}

TEST(Restricted, NumbersHostsAnew) {
  Network network = Network::uniform({.alpha = 1e-5, .beta = 1e-9});
  network.hosts = {0, 0, 1, 1, 2, 2};
  EXPECT_EQ(restricted(network, std::vector<Rank>{5, 2, 4}).hosts, (Hosts{0, 1, 0}));
}

TEST(Restricted, IsTheNetworkBetweenSomeRanks) {
  Network network = three_sites();
  network.trunks.push_back({.from = 8, .to = 12, .seconds_per_byte = 1e-6});
  const std::vector<Rank> some{12, 8, 0};
  const Network part = restricted(network, some);
  EXPECT_EQ(part.ranks, 3);
  EXPECT_EQ(part.between(0, 1), network.between(12, 8));
  EXPECT_EQ(part.between(2, 0), network.between(0, 12));
  ASSERT_EQ(part.trunks.size(), 1u);
  EXPECT_EQ(part.trunks.front().from, 1);
  EXPECT_EQ(part.trunks.front().to, 0);
}

TEST(NetworkFile, KeepsTrunks) {
  Network network = three_sites();
  network.trunks.push_back({0, 8, 4e-7, {{1, 1.7e5}, {4, 6.8e5}}});
  const auto back = parse_network(to_text(network), "test");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->trunks, network.trunks);
}

TEST(LowerBound, OfSitesIsTheBusiestOfPortsAndConnections) {
  const Network network = three_sites();
  const Sites sites = KnownNetwork::of(network, 20).sites;
  // 19 blocks of 2.1 Mbit by the slowest hosts' ports, which have no time to lose.
  EXPECT_NEAR(lower_bound(Collective::allgather, 262144, network, sites), 19 * 2.097152 / 81.86, 1e-3);
  // Short ones: the longest way, or around it.
  EXPECT_NEAR(lower_bound(Collective::allgather, 1, network, sites), 0.076, 1e-3);
  Network narrow = network;
  for (const auto& [a, b] : {std::pair(0, 8), {0, 12}, {8, 12}, {8, 0}, {12, 0}, {12, 8}})
    narrow.trunks.push_back({a, b, 8e-6 / 2});
  // 16 blocks into Belfast by two trunks of 2 Mbit/s.
  EXPECT_NEAR(lower_bound(Collective::allgather, 262144, narrow, sites), 0.05 + 16 * 2.097152 / 4, 1e-2);
}

TEST(LowerBound, OfSitesGoesByTheWayThatDataTake) {
  Network network{
      .links = {Link::swift({.alpha = 1, .beta = 1e-9}), Link::swift({.alpha = 10, .beta = 1e-9})},
      .link_of = {0, 0, 1, 0},
      .ranks = 2};
  const auto bound = [&](Collective collective) { return lower_bound(collective, 8, network, {{0}, {1}}); };
  EXPECT_NEAR(bound(Collective::bcast), 1, 1e-6) << "from rank 0 to rank 1";
  EXPECT_NEAR(bound(Collective::gather), 10, 1e-6) << "back";
  EXPECT_NEAR(bound(Collective::allgather), 10, 1e-6);
  for (const Collective unknown :
       {Collective::scan, Collective::barrier, Collective::neighbor_allgather, Collective::neighbor_alltoall})
    EXPECT_EQ(bound(unknown), 0);
}

class StoreFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tutti-store-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(StoreFolder, KeepsSchedulesForOthers) {
  const ScheduledTransfers made{{.from = 1, .to = 2, .block = 3, .blocks = 4, .in_turn = true}};
  const auto make = [&] { return made; };
  const auto never = []() -> ScheduledTransfers { throw std::logic_error("computed again"); };
  ScheduleStore first, second, third;
  first.use_folder(folder_);
  first.find("a key", true, make);
  EXPECT_EQ(first.computed(), 1);
  EXPECT_NO_THROW(first.find("a key", true, never));
  second.use_folder(folder_);
  const auto found = second.find("a key", true, never);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().blocks, 4);
  EXPECT_TRUE(found->front().in_turn);
  EXPECT_EQ(second.computed(), 0);
  // A file that is cut off is as good as none.
  for (const auto& file : std::filesystem::directory_iterator(folder_))
    std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) - 5);
  third.use_folder(folder_);
  EXPECT_EQ(third.find("a key", true, make)->size(), 1u);
  EXPECT_EQ(third.computed(), 1);
  EXPECT_THROW(third.find("another key", true, never), std::logic_error);
}

TEST(ScheduleStore, KeepsNoMoreThanOneMayHave) {
  ScheduleStore store;
  const auto find = [&](const char* key) {
    store.find(key, false, [] { return ScheduledTransfers(most_transfers / 2); });
    return store.computed();
  };
  EXPECT_EQ(find("a"), 1);
  EXPECT_EQ(find("b"), 2);
  EXPECT_EQ(find("a"), 2) << "both are kept";
  EXPECT_EQ(find("c"), 3);
  EXPECT_EQ(find("a"), 3);
  EXPECT_EQ(find("b"), 4) << "it was the last used";
}

TEST_F(StoreFolder, DoesWithoutAFolderItCantMake) {
  ScheduleStore store;
  store.use_folder("/proc/none/of/this");
  EXPECT_EQ(store.find("key", true, [] { return ScheduledTransfers(3); })->size(), 3u);
}

}  // namespace
}  // namespace tutti
