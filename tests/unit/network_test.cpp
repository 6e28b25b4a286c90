// Networks, what schedules cost on them, and how they are learnt.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "choose/probing/curve_probing.hpp"
#include "choose/probing/probing.hpp"
#include "core/network/by_hosts.hpp"
#include "core/network/cut.hpp"
#include "core/network/groups.hpp"
#include "core/network/network_file.hpp"
#include "core/network/price.hpp"
#include "core/network/shared_ports.hpp"
#include "core/plan/plan.hpp"
#include "core/synthesis/sample_networks.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

constexpr double alpha_of_links = 1e-4, beta_of_links = 1e-8;

Price price_of(Collective collective, const char* plan_text, int ranks, std::size_t bytes,
               const Network& network) {
  const Plan plan = make_plan(collective, plan_text).value();
  return price(generate(plan, shape_of(plan, {.ranks = ranks}, 0, bytes)), bytes, network);
}

Network swift(PortUse ports) {
  return {.links = {Link::swift({.alpha = alpha_of_links, .beta = beta_of_links})}, .ports = ports};
}

TEST(Curve, IsStraightBetweenItsPointsAndBeyond) {
  const Curve curve({{10, 1}, {20, 2}, {40, 3}});
  EXPECT_EQ(curve(0), 1);
  EXPECT_EQ(curve(15), 1.5);
  EXPECT_EQ(curve(30), 2.5);
  EXPECT_EQ(curve(60), 4);
  EXPECT_EQ(Curve()(5), 0);
  EXPECT_DOUBLE_EQ(Curve::line(alpha_of_links, beta_of_links)(1e6), alpha_of_links + 1e6 * beta_of_links);
}

// What a disturbed probe has found to fall would be less than nothing at some size.
TEST(Curve, DoesNotFallBeyondItsPoints) {
  const Curve falling({{1, 2}, {10, 1}});
  EXPECT_EQ(falling(5.5), 1.5);
  EXPECT_EQ(falling(100), 1);
  EXPECT_EQ(falling(1e9), 1);
}

TEST(Price, OfManyMessagesThroughOnePortDependsOnWhatItCanDo) {
  constexpr std::size_t bytes = 7000;
  const auto linear = [&](const Network& network) {
    return price_of(Collective::bcast, "linear", 8, bytes, network).seconds;
  };
  EXPECT_DOUBLE_EQ(linear(Network::uniform({.alpha = alpha_of_links, .beta = beta_of_links})),
                   7 * (alpha_of_links + bytes * beta_of_links));
  EXPECT_DOUBLE_EQ(linear(swift(PortUse::in_turn)), alpha_of_links + 7 * bytes * beta_of_links);
  EXPECT_DOUBLE_EQ(linear(swift(PortUse::shared)), alpha_of_links + 7 * bytes * beta_of_links);
  EXPECT_DOUBLE_EQ(linear(swift(PortUse::multiport)), alpha_of_links + bytes * beta_of_links);
}

TEST(Price, OfBothWaysAtOnce) {
  const auto exchange = [&](Network network) {
    return price_of(Collective::allreduce, "recursive_doubling", 2, 1000, network).seconds;
  };
  for (const PortUse ports : {PortUse::in_turn, PortUse::shared}) {
    Network network = swift(ports);
    EXPECT_DOUBLE_EQ(exchange(network), alpha_of_links + 1000 * beta_of_links);
    network.links.front().both_ways = 1.5;
    EXPECT_NEAR(exchange(network), alpha_of_links + 1.5 * 1000 * beta_of_links, 1e-15);
    network.links.front().both_ways = 1;
    network.half_duplex = true;
    EXPECT_DOUBLE_EQ(exchange(network), ports == PortUse::shared
                                            ? alpha_of_links + 2 * 1000 * beta_of_links
                                            : 2 * (alpha_of_links + 1000 * beta_of_links));
  }
}

TEST(Price, OfShortMessagesThatLeaveBeforeTheirReceiverIsReady) {
  // Rank 0 of a chain of three: with buffers it needs nobody; rank 1 passes each segment on when it
  // has come.
  Network network = swift(PortUse::in_turn);
  const double waits = price_of(Collective::bcast, "chain(1000)", 3, 4000, network).seconds;
  network.eager = 1000;
  const double leaves = price_of(Collective::bcast, "chain(1000)", 3, 4000, network).seconds;
  EXPECT_LT(leaves, waits);
  EXPECT_NEAR(leaves, 2 * alpha_of_links + 5 * 1000 * beta_of_links, 1e-12);
}

TEST(Price, OfShortMessagesHasACriticalPathToo) {
  for (const PortUse ports : {PortUse::in_turn, PortUse::shared})
    for (const Collective collective :
         {Collective::reduce_scatter, Collective::alltoall, Collective::gather}) {
      auto plans = known_plans(collective, 16);
      std::erase_if(plans, [](const Plan& plan) { return plan.is_native(); });
      const std::string last = plans.back().text();
      for (const char* grid : {"grid(4x4)[", "grid(2x8)[", "grid(2x2x4)["})
        plans.push_back(make_plan(collective, grid + last + "]").value());
      for (const Plan& plan : plans) {
        Network network = swift(ports);
        network.eager = 65536;
        const Price price = price_of(collective, plan.text().c_str(), 16, 16000, network);
        ASSERT_FALSE(price.critical_path.empty()) << plan.text();
        EXPECT_EQ(price.critical_path.front().start, 0) << plan.text();
        EXPECT_LE(price.critical_path.back().end, price.seconds) << plan.text();
        for (std::size_t i = 1; i < price.critical_path.size(); ++i)
          EXPECT_LT(price.critical_path[i - 1].start, price.critical_path[i].end)
              << plan.text() << " step " << i;
      }
    }
}

// Rounding may not have it go round and round.
TEST(SharedPorts, LetThroughWhatWantsJustAnEqualShare) {
  for (int messages = 2; messages <= 60; ++messages)
    for (int modest = 1; modest < messages; ++modest) {
      SharedPorts ports(messages + 1, false);
      for (int i = 0; i < messages; ++i)
        ports.hand_over({.id = i,
                         .out = 0,
                         .in = i + 1,
                         .out_back = 0,
                         .in_back = i + 1,
                         .ready = 0,
                         .latency = 0,
                         .gap = 1,
                         .both_ways = 1,
                         .out_share = i < modest ? 1.0 / messages : 1});
      double last = 0;
      while (!ports.idle())
        for (const Delivery& delivery : ports.advance()) last = delivery.arrived;
      EXPECT_NEAR(last, messages - modest + modest / static_cast<double>(messages), 1e-9);
    }
}

TEST(Price, OfRanksThatShareAHostsPort) {
  Network network = swift(PortUse::shared);
  network.hosts = {0, 0, 1, 1};
  // 0 → 2 and 1 → 3 leave through one port.
  EXPECT_DOUBLE_EQ(price_of(Collective::alltoall, "linear", 4, 4000, network).seconds,
                   alpha_of_links + 4 * 1000 * beta_of_links);
}

TEST(Price, CriticalPathIsWithoutGapsAndEndsWithTheLast) {
  for (const char* plan : {"ring", "bruck", "circulant"}) {
    const Price price = price_of(Collective::allgather, plan, 11, 11000,
                                 Network::uniform({.alpha = alpha_of_links, .beta = beta_of_links}));
    ASSERT_FALSE(price.critical_path.empty());
    EXPECT_EQ(price.critical_path.front().start, 0);
    EXPECT_EQ(price.critical_path.back().end, price.seconds);
    for (std::size_t i = 1; i < price.critical_path.size(); ++i)
      EXPECT_DOUBLE_EQ(price.critical_path[i].start, price.critical_path[i - 1].end) << plan << " step " << i;
    EXPECT_LE(price.busy, price.seconds);
    EXPECT_GE(price.seconds, limit_of(Network::uniform({.alpha = alpha_of_links, .beta = beta_of_links}))(
                                 {Collective::allgather, 11, 1000}));
  }
}

// Down the binomial tree of four ranks on two hosts: between them first, or last.
TEST(Price, OfMessagesThroughMemoryIsTheMemorysWithinHosts) {
  constexpr std::size_t bytes = 1000;
  constexpr double within = alpha_of_links / 10 + bytes * beta_of_links / 4,
                   between = alpha_of_links + bytes * beta_of_links;
  Network network = Network::uniform({.alpha = alpha_of_links, .beta = beta_of_links});
  const auto seconds = [&](const char* plan) {
    return price_of(Collective::bcast, plan, 4, bytes, network).seconds;
  };
  network.hosts = {0, 0, 1, 1};
  EXPECT_DOUBLE_EQ(seconds("memory(binomial)"), 2 * between) << "what memory costs is not known";
  network.memory = Link::busy({.alpha = alpha_of_links / 10, .beta = beta_of_links / 4});
  EXPECT_DOUBLE_EQ(seconds("binomial"), 2 * between);
  EXPECT_DOUBLE_EQ(seconds("memory(binomial)"), between + within);
  EXPECT_DOUBLE_EQ(seconds("memory(grid(2x2)[binomial])"), between + within);
  EXPECT_DOUBLE_EQ(seconds("grid(2x2)[memory(binomial),binomial]"), 2 * between);
  network.hosts = {0, 0, 0, 0};
  EXPECT_DOUBLE_EQ(seconds("memory(binomial)"), 2 * within);
}

// Flags of three others; what is short is read whole from each, of what is long a slice of each,
// twice.
TEST(Price, OfAPhaseInMemoryIsInStages) {
  const auto seconds = [](Collective collective, const char* plan, const Hosts& hosts, std::size_t bytes) {
    Network network = Network::uniform({.alpha = alpha_of_links, .beta = beta_of_links});
    network.hosts = hosts;
    network.memory = Link::busy({.alpha = alpha_of_links / 10, .beta = beta_of_links / 4});
    return price_of(collective, plan, 4, bytes, network).seconds;
  };
  const Hosts together{0, 0, 0, 0};
  EXPECT_DOUBLE_EQ(seconds(Collective::barrier, "memory_flags", together, 0), 3 * alpha_of_links / 10);
  EXPECT_DOUBLE_EQ(seconds(Collective::allreduce, "memory_reduce", together, 8),
                   3 * (alpha_of_links / 10 + 8 * beta_of_links / 4));
  EXPECT_DOUBLE_EQ(seconds(Collective::reduce, "memory_reduce", together, 100'000'000),
                   6 * alpha_of_links / 10 + 1e8 * 3 / 4 * 3 * beta_of_links / 4);
  EXPECT_GT(seconds(Collective::allreduce, "memory_reduce", {0, 1, 2, 3}, 8), 3 * alpha_of_links / 10)
      << "between hosts it is the library's";
}

// What keeps an end, or a processor, busy: of all messages together, one way or both.
TEST(Price, SaysWhoIsBusiest) {
  constexpr std::size_t bytes = 7000;
  constexpr double one = alpha_of_links + bytes * beta_of_links;
  Network network = Network::uniform({.alpha = alpha_of_links, .beta = beta_of_links});
  const auto of = [&](Collective collective, const char* plan, int ranks, std::size_t vector) {
    return price_of(collective, plan, ranks, vector, network);
  };
  EXPECT_DOUBLE_EQ(of(Collective::bcast, "linear", 8, bytes).busy, 7 * one);
  EXPECT_EQ(of(Collective::bcast, "linear", 8, bytes).busiest, 0);
  EXPECT_DOUBLE_EQ(of(Collective::gather, "linear", 8, 8 * bytes).busy, 7 * one);
  EXPECT_DOUBLE_EQ(of(Collective::bcast, "chain(1000000)", 8, bytes).busy, one) << "one in, one out";
  EXPECT_DOUBLE_EQ(of(Collective::allgather, "ring", 4, 4 * bytes).busy, 3 * one);
  network.half_duplex = true;
  EXPECT_DOUBLE_EQ(of(Collective::allgather, "ring", 4, 4 * bytes).busy, 6 * one);
  EXPECT_DOUBLE_EQ(of(Collective::bcast, "chain(1000000)", 8, bytes).busy, 2 * one);
  EXPECT_EQ(of(Collective::bcast, "chain(1000000)", 8, bytes).busiest, 1);
  network.half_duplex = false;
  network.gamma = 10 * beta_of_links + alpha_of_links;
  EXPECT_DOUBLE_EQ(of(Collective::reduce, "linear", 8, bytes).busy, 7 * bytes * network.gamma);
}

TEST(Price, OfAHundredThousandRanks) {
  const Price price = price_of(Collective::bcast, "binomial", 100'000, 1000,
                               Network::uniform({.alpha = alpha_of_links, .beta = beta_of_links}));
  EXPECT_NEAR(price.seconds, 17 * (alpha_of_links + 1000 * beta_of_links), 1e-12);
}

TEST(NetworkFile, GivesBackWhatItWasGiven) {
  Network network = swift(PortUse::shared);
  network.links.push_back(Link::busy({.alpha = alpha_of_links / 2, .beta = beta_of_links / 10}));
  network.links.back().both_ways = 1.25;
  network.ranks = 3;
  network.link_of = {0, 0, 1, 0, 0, 1, 1, 1, 0};
  network.hosts = {0, 0, 1};
  network.eager = 4096;
  network.gamma = 1e-10;
  network.combinations = {{"MPI_SUM", "MPI_DOUBLE", 1e-10}};
  network.memory = Link::busy({.alpha = alpha_of_links / 10, .beta = beta_of_links / 4});
  EXPECT_EQ(parse_network(to_text(network), "here").value(), network);
}

// A disturbed probe may find that long messages take less than short ones: what it writes is read
// again.
TEST(NetworkFile, OfLinksThatFallIsRead) {
  Network network = Network::uniform({.alpha = 1e-6, .beta = 1e-9});
  network.links.front().time = Curve({{1, 2e-6}, {1024, 1e-6}});
  EXPECT_EQ(hockney_of(network.links.front()).beta, 0);
  EXPECT_TRUE(parse_network(to_text(network), "net.json"));
}

// Numbers of hosts need not follow one another in a file: 2·10^9 hosts would need as many ports.
TEST(NetworkFile, HasHostsOfAnyNumbers) {
  const auto with_hosts = [](const std::string& hosts) {
    return parse_network(
               R"({"$schema": "tutti-network-1", "links": [{"alpha_s": 1, "beta_s_per_byte": 1}], "hosts": )" +
                   hosts + "}",
               "net.json")
        .value()
        .hosts;
  };
  EXPECT_EQ(with_hosts("[2000000000, -7, 2000000000]"), (Hosts{0, 1, 0}));
  EXPECT_EQ(with_hosts("[0, 1, 1, 2]"), (Hosts{0, 1, 1, 2}));
}

TEST(NetworkFile, HasNoNumbersBeyondAllMeasure) {
  const auto read = [](const std::string& rest) {
    return parse_network(R"({"$schema": "tutti-network-1", )" + rest + "}", "net.json");
  };
  const auto error = [&](const std::string& rest) { return read(rest).error().message; };
  EXPECT_THAT(error(R"("links": [{"alpha_s": 1e308, "beta_s_per_byte": 1}])"),
              HasSubstr("alpha_s: 1e+308 is no number from 0 to"));
  EXPECT_THAT(error(R"("links": [{"alpha_s": -1, "beta_s_per_byte": 1}])"), HasSubstr("alpha_s: -1 is no"));
  EXPECT_THAT(error(R"("links": [{"alpha_s": 1, "beta_s_per_byte": 1e28}])"), HasSubstr("is no number"))
      << "what is written of it could not be read";
  EXPECT_THAT(error(R"("links": [{"time_s": [[1, 1e300]]}])"), HasSubstr("a time of a curve"));
  EXPECT_THAT(error(R"("links": [{"time_s": [[-5, 1]]}])"), HasSubstr("a size of a curve"));
  EXPECT_THAT(error(R"("links": [{"time_s": [[1, 1], [1.0000001, 2]]}])"), HasSubstr("do not increase"));
  EXPECT_THAT(error(R"("links": [{"time_s": [[2e20, 1], [2e20, 2]]}])"), HasSubstr("do not increase"));
  const std::string link = R"("links": [{"alpha_s": 1, "beta_s_per_byte": 1, "both_ways": 0}])";
  EXPECT_EQ(read(link)->links.front().both_ways, 1);
  for (const char* rest :
       {R"("trunks": [{"from": 0, "to": 1, "s_per_byte": 1, "growth": [[1, 1e99]]}])",
        R"("combine": [{"op": "MPI_SUM", "type": "MPI_INT", "s_per_byte": -1}])",
        R"("lmo": {"fixed_s": [1e99], "variable_s_per_byte": [0], "inverse_rate_s_per_byte": [0]})",
        R"("gather": {"m1_bytes": 1, "m2_bytes": 2, "levels_s": [1e99], "probabilities": []})"})
    EXPECT_THAT(error(link + ", " + rest), HasSubstr("is no number from")) << rest;
}

// Pieces of a byte each took 42 GB to price.
TEST(Hockney, HasNoPiecesThatAreAllEnvelope) {
  EXPECT_EQ(half_performance_length({.alpha = 1e-5, .beta = 1e-9}), 10000);
  EXPECT_EQ(half_performance_length({.alpha = 0, .beta = 1e-9}), 64);
  EXPECT_EQ(half_performance_length({.alpha = 1e-6, .beta = 0}), 1'000'000'000);
}

TEST(NetworkFile, SaysWhatIsWrong) {
  const auto error = [](const std::string& text) { return parse_network(text, "net.json").error().message; };
  EXPECT_THAT(error("{"), HasSubstr("network net.json: is not JSON"));
  EXPECT_THAT(error("{}"), HasSubstr("is not a network of Tutti; write it anew with tutti probe"));
  const auto with = [](const std::string& rest) { return R"({"$schema": "tutti-network-1", )" + rest + "}"; };
  EXPECT_THAT(error(R"({"$schema": "tutti-network-9"})"), HasSubstr("has schema \"tutti-network-9\""));
  EXPECT_THAT(error(with(R"("links": [])")), HasSubstr("there are no links"));
  EXPECT_THAT(error(with(R"("links": [{"time_s": []}])")), HasSubstr("a link has no time_s"));
  EXPECT_THAT(error(with(R"("links": [{"time_s": [[5, 1], [5, 2]]}])")), HasSubstr("do not increase"));
  const std::string link = R"("links": [{"alpha_s": 1, "beta_s_per_byte": 1}])";
  EXPECT_THAT(error(with(link + R"(, "ports": "many")")),
              HasSubstr("in_turn, shared or multiport, not many"));
  EXPECT_THAT(error(with(link + R"(, "link_of": [[0, 1], [1, 0]])")), HasSubstr("names link 1, there are 1"));
  EXPECT_THAT(error(with(link + R"(, "link_of": [[0, 0]])")), HasSubstr("not square"));
}

TEST(Cut, IsThatOfCalls) {
  // Thirteen doubles in five blocks: 3, 3, 3, 2, 2; a scratch copy behind them likewise.
  const Cut cut(13 * 8, 5, element_bytes(Collective::allreduce, 13 * 8));
  EXPECT_EQ(cut.bytes(input(0)), 24);
  EXPECT_EQ(cut.bytes(input(2, 2)), 24 + 16);
  EXPECT_EQ(cut.bytes(scratch(4, 2)), 16 + 24);
  EXPECT_EQ(cut.bytes(output(0, 5)), 13 * 8);
  EXPECT_FALSE(cut.has_empty_blocks());
  EXPECT_TRUE(Cut(8, 5, 8).has_empty_blocks());
  EXPECT_EQ(Cut(8, 5, 8).bytes(input(1)), 0);
  EXPECT_EQ(Cut(8, 5, 0).bytes(input(1)), 1.6);  // exactly equal
  EXPECT_EQ(element_bytes(Collective::allreduce, 12), 1u);
  EXPECT_EQ(element_bytes(Collective::bcast, 16), 1u);
  EXPECT_EQ(element_bytes(Collective::allgather, 16), 0u);
}

TEST(Cut, HasBlocksOfAnyLength) {
  const Cut cut(10'000'000'001, 3, 1);
  EXPECT_EQ(cut.bytes(input(0)), 3'333'333'334.0);
  EXPECT_EQ(cut.bytes(input(2)), 3'333'333'333.0);
  EXPECT_EQ(cut.bytes(output(0, 3)), 10'000'000'001.0);
  EXPECT_TRUE(cut.is_nearly_equal());
}

TEST(ByHosts, OfOneRankIsItsLink) {
  Network alone = swift(PortUse::shared);
  alone.ranks = 1;
  alone.link_of = {0};
  EXPECT_EQ(by_hosts(alone), swift(PortUse::shared));
  EXPECT_EQ(by_hosts_if_equal(alone).links, alone.links);
}

TEST(Price, LeavesOutMessagesOfEmptyBlocks) {
  // One double: of the ring's eleven rounds with twelve ranks none but those with the first block
  // send anything.
  const Network network = Network::uniform({.alpha = 1e-3, .beta = 0});
  const Plan plan = make_plan(Collective::allreduce, "ring").value();
  const Shape shape = shape_of(plan, {.ranks = 12}, 0, 8);
  const Schedule schedule = generate(plan, shape);
  std::vector<Price::Step> some, all;
  price(schedule, 8, network, limit_of(network), &some);
  EXPECT_NEAR(price(schedule, 12 * 8, network, limit_of(network), &all).seconds, 22e-3, 1e-9);
  const auto messages = [&](const std::vector<Price::Step>& steps) {
    return std::ranges::count_if(steps, [&](const Price::Step& step) {
      return schedule.parts[static_cast<std::size_t>(step.what.rank)][step.what.id].kind ==
             OperationKind::send;
    });
  };
  EXPECT_EQ(messages(some), 22);
  EXPECT_EQ(messages(all), 22 * 12);
}

TEST(Rounds, PairEveryTwoRanksOnce) {
  for (const int ranks : {2, 3, 8, 15, 16}) {
    std::set<std::pair<Rank, Rank>> all;
    for (int round = 0; round < count_rounds(ranks); ++round) {
      std::set<Rank> busy;
      for (const auto& [a, b] : round_of_pairs(ranks, round)) {
        EXPECT_LT(a, b);
        EXPECT_TRUE(busy.insert(a).second && busy.insert(b).second);
        EXPECT_TRUE(all.emplace(a, b).second);
      }
    }
    EXPECT_EQ(all.size(), static_cast<std::size_t>(ranks * (ranks - 1) / 2)) << ranks;
  }
}

// A site of two kinds of links, with a kink at 8 KB between hosts.
class MadeUpSite final : public Prober {
 public:
  explicit MadeUpSite(Hosts hosts) {
    site_.hosts = std::move(hosts);
    site_.ranks = static_cast<int>(site_.hosts.size());
    site_.simulated = true;
  }
  const Site& site() const override { return site_; }
  double time(Rank a, Rank b, double bytes) const {
    const auto host = [&](Rank rank) { return site_.hosts[static_cast<std::size_t>(rank)]; };
    if (host(a) == host(b)) return 1e-6 + bytes * 1e-10;
    if (step > 0 && bytes > step) return 9e-5 + bytes * beta_of_links;
    const double latency = (host(a) + host(b)) % 2 == 0 ? 5e-5 : 5e-5 * farther;
    return bytes < 8192 ? latency + bytes * beta_of_links
                        : latency + 8192 * beta_of_links + (bytes - 8192) * 3 * beta_of_links;
  }
  Result<std::vector<double>> run(Experiment experiment, const std::vector<std::vector<Rank>>& groups,
                                  std::size_t bytes, int) override {
    ++experiments;
    if (clock_stands) return std::vector<double>(groups.size());
    std::vector<double> seconds;
    for (const auto& group : groups) {
      const double one_way = time(group[0], group[1], static_cast<double>(bytes));
      const double latency = time(group[0], group[1], 0);
      switch (experiment) {
        case Experiment::round_trip:
          seconds.push_back(2 * one_way);
          break;
        case Experiment::burst:
          seconds.push_back(one_way - latency);
          break;
        case Experiment::both_ways:
          seconds.push_back(1.2 * one_way);
          break;
        case Experiment::late_receiver:
          seconds.push_back(bytes <= 4096 ? 0 : 1);
          break;
        case Experiment::in_memory:
          seconds.push_back(socket(group[0]) != socket(group[1]) ? 4e-6
                            : place(group[0], HostPart::cache) != place(group[1], HostPart::cache)
                                ? between_caches
                                : 1e-6);
          break;
        default:
          seconds.push_back(1e-6);
      }
    }
    if (scatter > 0)
      for (double& each : seconds) each *= std::exp(std::normal_distribution<double>(0, scatter)(random));
    return seconds;
  }
  Result<std::vector<Combination>> combine() override {
    return std::vector<Combination>{{"MPI_SUM", "MPI_INT", 1}, {"MPI_SUM", "MPI_DOUBLE", 2e-10}};
  }
  Site& mutable_site() { return site_; }
  int place(Rank rank, HostPart part) const {
    const Hosts& places = site_.in_hosts[part];
    return places.empty() ? 0 : places[static_cast<std::size_t>(rank)];
  }
  int socket(Rank rank) const { return place(rank, HostPart::socket); }
  double between_caches = 1e-6;  // there and back through memory
  double step = 0;
  double farther = 1;  // by what latency is longer between every other two hosts
  bool clock_stands = false;
  double scatter = 0;  // the standard deviation of the times' logarithms
  std::minstd_rand random{1};
  int experiments = 0;

 private:
  Site site_;
};

ProbeHooks still_clock() {
  return {.clock = [] { return 0.0; }};
}

// Simulated times repeat: some more switches on the way are another link.
TEST(Probe, TellsLatenciesApart) {
  MadeUpSite site({0, 1, 2, 3, 4, 5});
  site.farther = 1.2;
  const Network network = probe({}, site, still_clock()).value();
  EXPECT_EQ(network.links.size(), 2u);
  for (Rank a = 0; a < 6; ++a)
    for (Rank b = 0; b < 6; ++b)
      if (a != b) {
        EXPECT_NEAR(network.between(a, b).time(1), site.time(a, b, 1), 1e-9) << a << " to " << b;
      }
  site.mutable_site().simulated = false;
  EXPECT_EQ(probe({}, site, still_clock()).value().links.size(), 1u) << "real ones scatter";
}

TEST(Probe, FindsLinksAndTheirKinks) {
  MadeUpSite site({0, 0, 1, 1, 2, 2});
  const Network network = probe({}, site, still_clock()).value();
  ASSERT_EQ(network.links.size(), 2u);
  EXPECT_EQ(network.gamma, 2e-10);
  EXPECT_EQ(network.hosts, site.site().hosts);
  for (Rank a = 0; a < 6; ++a)
    for (Rank b = 0; b < 6; ++b)
      for (const double bytes : {1.0, 500.0, 5000.0, 8192.0, 20000.0, 4e6}) {
        if (a == b) continue;
        const double truth = site.time(a, b, bytes);
        EXPECT_NEAR(network.between(a, b).time(bytes), truth, 0.03 * truth)
            << a << " to " << b << ", " << bytes;
      }
  EXPECT_NEAR(network.between(0, 5).both_ways, 1.2, 1e-9);
}

TEST(Probe, FillsInPairsThatItDidNotMeasure) {
  Hosts hosts;
  for (int rank = 0; rank < 24; ++rank) hosts.push_back(rank / 4);
  MadeUpSite all(hosts), some(hosts);
  const Network whole = probe({}, all, still_clock()).value();
  const Network sampled = probe({.most_partners = 6}, some, still_clock()).value();
  for (Rank a = 0; a < 24; ++a)
    for (Rank b = 0; b < 24; ++b) EXPECT_EQ(sampled.link_number(a, b), whole.link_number(a, b));
  EXPECT_LT(some.experiments, all.experiments);
}

TEST(Probe, OfThousandsOfRanksGoesByHosts) {
  Hosts hosts;
  for (int rank = 0; rank < 4096; ++rank) hosts.push_back(rank / 16);
  MadeUpSite site(hosts);
  const Network network = probe({.most_partners = 4, .overheads = false}, site, still_clock()).value();
  EXPECT_TRUE(network.link_of.empty());
  EXPECT_LT(site.experiments, 1000) << "whatever the number of ranks";
  for (const auto& [a, b] : {std::pair{0, 1}, {0, 16}, {17, 4000}, {4094, 4095}})
    EXPECT_NEAR(network.between(a, b).time(20000), site.time(a, b, 20000), 0.03 * site.time(a, b, 20000));
}

TEST(Probe, FollowsStepsAndSaysHowWellItKnowsThem) {
  MadeUpSite site({0, 1});
  site.step = 3333;  // bytes beyond cost 40 us more
  const Network network = probe({}, site, still_clock()).value();
  const Link& link = network.links.front();
  for (const double bytes : {3200.0, 3333.0, 3334.0, 3500.0})
    EXPECT_NEAR(link.time(bytes), site.time(0, 1, bytes), 1e-3 * site.time(0, 1, bytes)) << bytes;
  ASSERT_TRUE(link.check);
  EXPECT_GE(link.check->sizes, 8);
  EXPECT_LT(link.check->worst, 0.05);
  EXPECT_EQ(parse_network(to_text(network), "again")->links.front().check, link.check);
}

TEST(Probe, FindsTheEagerLimitOfRealNetworks) {
  MadeUpSite site({0, 1});
  site.mutable_site().simulated = false;
  const Network network = probe({}, site, still_clock()).value();
  EXPECT_LE(network.eager, 4096);
  EXPECT_GT(network.eager, 4096 * 15 / 16);
  EXPECT_EQ(network.ports, PortUse::in_turn);
}

TEST(Probe, MeasuresMemoryBetweenSocketsByItself) {
  MadeUpSite site({0, 0, 0, 0, 1});
  site.mutable_site().simulated = false;
  const auto latency = [](const std::optional<Link>& memory) { return memory ? memory->time(1) : 0; };
  const Network of_unknown = probe({}, site, still_clock()).value();
  EXPECT_DOUBLE_EQ(latency(of_unknown.memory), 0.5e-6);
  EXPECT_TRUE(of_unknown.memory_apart.empty());
  site.mutable_site().in_hosts[HostPart::socket] = {0, 1, 0, 1, 2};
  const Network network = with_parts_of_hosts(probe({}, site, still_clock()).value(), site.site().in_hosts);
  EXPECT_DOUBLE_EQ(latency(network.memory), 0.5e-6);
  ASSERT_EQ(network.memory_apart.size(), 1u);
  EXPECT_DOUBLE_EQ(latency(network.memory_apart[0]), 2e-6);
  EXPECT_EQ(&network.for_message(0, 2, true), &*network.memory);
  EXPECT_EQ(&network.for_message(0, 1, true), &network.memory_apart[0]);
  EXPECT_EQ(&network.for_message(0, 1, false), &network.between(0, 1));
  EXPECT_EQ(&network.for_message(0, 4, true), &network.between(0, 4));
  EXPECT_EQ(parse_network(to_text(network), "again").value(), network);
  // Where no two ranks are of one socket, there is but one kind of pairs.
  site.mutable_site().in_hosts[HostPart::socket] = {0, 1, 2, 3, 4};
  const Network scattered = probe({}, site, still_clock()).value();
  EXPECT_DOUBLE_EQ(latency(scattered.memory), 2e-6);
  EXPECT_TRUE(scattered.memory_apart.empty());
}

// As files have it from when there were sockets only.
TEST(NetworkFile, MayHaveOneLinkOfMemoryApart) {
  const auto network = parse_network(
      R"({"$schema": "tutti-network-1", "links": [{"alpha_s": 1e-6, "beta_s_per_byte": 1e-9}],
          "memory": {"alpha_s": 1e-7, "beta_s_per_byte": 1e-10},
          "memory_apart": {"alpha_s": 3e-7, "beta_s_per_byte": 1e-10}})",
      "net.json");
  ASSERT_TRUE(network);
  ASSERT_EQ(network->memory_apart.size(), 1u);
  EXPECT_DOUBLE_EQ(network->memory_apart[0].time(0), 3e-7);
}

TEST(Probe, MeasuresMemoryByHowFarApartRanksAre) {
  MadeUpSite site({0, 0, 0, 0, 0, 0, 0, 0});
  Site& on = site.mutable_site();
  on.simulated = false;
  on.in_hosts[HostPart::socket] = {0, 0, 0, 0, 1, 1, 1, 1};
  on.in_hosts[HostPart::cache] = {0, 0, 1, 1, 2, 2, 3, 3};
  site.between_caches = 2.4e-6;
  const Network network = with_parts_of_hosts(probe({}, site, still_clock()).value(), on.in_hosts);
  ASSERT_TRUE(network.memory);
  ASSERT_EQ(network.memory_apart.size(), 2u);
  const auto latency = [&](Rank a, Rank b) { return network.for_message(a, b, true).time(1); };
  EXPECT_DOUBLE_EQ(latency(0, 1), 0.5e-6);
  EXPECT_DOUBLE_EQ(latency(6, 4), 1.2e-6);
  EXPECT_DOUBLE_EQ(latency(0, 7), 2e-6);
  EXPECT_EQ(parse_network(to_text(network), "again").value(), network);
  // Where no two are of one cache, those of one socket are the nearest.
  on.in_hosts[HostPart::cache] = {0, 1, 2, 3, 4, 5, 6, 7};
  const Network scattered = with_parts_of_hosts(probe({}, site, still_clock()).value(), on.in_hosts);
  EXPECT_DOUBLE_EQ(scattered.for_message(0, 1, true).time(1), 1.2e-6);
  EXPECT_DOUBLE_EQ(scattered.for_message(0, 4, true).time(1), 2e-6);
}

TEST(Probe, OfAClockThatStandsWritesWhatCanBeRead) {
  MadeUpSite site({0, 0, 1});
  site.mutable_site().simulated = false;
  site.clock_stands = true;
  const Network network = probe({}, site, still_clock()).value();
  const auto again = parse_network(to_text(network), "again");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, network);
}

// Ranks that outnumber the processors make times scatter by orders of magnitude.
TEST(Probe, OfTimesThatScatterKnowsThePartsOfHostsAndWritesWhatCanBeRead) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    MadeUpSite site(seed % 2 == 0 ? Hosts{0, 0, 0, 0, 0, 0, 0, 0} : Hosts{0, 0, 1, 1, 2, 2, 3, 3});
    site.scatter = 0.5 * (seed % 10);
    site.random.seed(seed);
    Site& on = site.mutable_site();
    on.simulated = false;
    on.in_hosts[HostPart::socket] = {0, 0, 0, 0, 1, 1, 1, 1};
    on.in_hosts[HostPart::numa] = {0, 0, 1, 1, 2, 2, 3, 3};
    on.in_hosts[HostPart::cache] = {0, 1, 2, 3, 4, 5, 6, 7};
    double now = 0;
    const ProbeHooks hooks{.clock = [&] { return now += 1e-3 * (seed % 7); }};
    std::optional<Latencies> latencies;
    Network network = probe({.budget_s = 1, .largest = 4096}, site, hooks, &latencies).value();
    network.trunks = probe_trunks(network, site, hooks).value();
    network = probe_groups(std::move(network), site, hooks, latencies).value();
    network = with_sites_of_trunks(std::move(network), on.ranks);
    network = with_parts_of_hosts(std::move(network), on.in_hosts);
    network = probe_ways_in_hosts(std::move(network), site, hooks).value();
    EXPECT_EQ(network.levels_apart(0, 1), network.levels_apart(6, 7));
    EXPECT_GT(network.levels_apart(0, 1), 0u);
    EXPECT_TRUE(network.memory);
    const auto again = parse_network(to_text(network), "again");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, network);
  }
}

// Of all the time in the world an experiment gets its repetitions, and not one.
TEST(Probe, RepeatsByTheTimeThereIs) {
  MadeUpSite site({0, 1});
  EXPECT_EQ(repetitions_within(1e7, 1e-6, site), 1) << "simulated";
  site.mutable_site().simulated = false;
  EXPECT_EQ(repetitions_within(1, 10, site), 1);
  EXPECT_EQ(repetitions_within(1, 0.1, site), 10);
  EXPECT_EQ(repetitions_within(1, 0, site), 25);
  EXPECT_EQ(repetitions_within(1e7, 1e-6, site), 25);
}

TEST(Probe, MeasuresLatenciesOfHostsOnce) {
  Hosts hosts;
  for (int rank = 0; rank < 24; ++rank) hosts.push_back(rank / 4);
  MadeUpSite site(hosts);
  std::optional<Latencies> latencies;
  const Network network = probe({.most_partners = 6}, site, still_clock(), &latencies).value();
  ASSERT_TRUE(latencies);
  EXPECT_EQ(latencies->hosts(), 6);
  EXPECT_GT((*latencies)(0, 5), 0);
  const int before = site.experiments;
  EXPECT_EQ(probe_groups(network, site, still_clock(), latencies).value(), network);
  EXPECT_EQ(site.experiments, before);
}

// Sites by bandwidth may tear hosts apart; a file of such groups could not be read.
TEST(Probe, MakesNoGroupsOfSitesThatTearHostsApart) {
  Network network = network_of_sites({0, 1, 0, 1});
  network.trunks = {{.from = 0, .to = 1, .seconds_per_byte = 1e-6}};
  EXPECT_EQ(with_sites_of_trunks(network, 4).group_of, (std::vector<int>{0, 1, 0, 1}));
  network.hosts = {0, 0, 1, 1};
  const Network torn = with_sites_of_trunks(network, 4);
  EXPECT_TRUE(torn.group_of.empty());
  EXPECT_TRUE(parse_network(to_text(torn), "torn"));
}

// Pairs of sites grow with the square of their number, and messages with that of the ranks that
// send.
TEST(Probe, OfTrunksIsBounded) {
  const auto trunks_of = [](int sites, int each) {
    Network network{
        .links = {Link::swift({.alpha = 0.01, .beta = 1e-6}), Link::swift({.alpha = 1e-5, .beta = 1e-8})},
        .ranks = sites * each};
    for (Rank from = 0; from < network.ranks; ++from)
      for (Rank to = 0; to < network.ranks; ++to) network.link_of.push_back(from / each == to / each);
    Hosts hosts;
    for (Rank rank = 0; rank < network.ranks; ++rank) hosts.push_back(rank);
    MadeUpSite site(hosts);
    return probe_trunks(network, site, still_clock()).value();
  };
  EXPECT_EQ(trunks_of(4, 2).size(), 12u);
  EXPECT_EQ(trunks_of(20, 2).size(), 0u);
  const auto wide = trunks_of(2, 64);
  ASSERT_EQ(wide.size(), 2u);
  EXPECT_EQ(wide.front().growth.back().pairs, 32 * 32);
}

TEST(Probe, NeedsTwoRanks) {
  MadeUpSite site({0});
  EXPECT_THAT(probe({}, site, still_clock()).error().message, HasSubstr("start at least two"));
}

}  // namespace
}  // namespace tutti
