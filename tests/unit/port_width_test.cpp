// Ports of hosts that carry more than one link does: prices, and how the width is found.

#include <gtest/gtest.h>

#include "choose/probing/probing.hpp"
#include "core/network/by_hosts.hpp"
#include "core/network/network_file.hpp"
#include "core/network/price.hpp"
#include "core/network/quantised.hpp"
#include "core/plan/plan.hpp"

namespace tutti {
namespace {

constexpr double alpha_s = 1e-6, beta_s = 1e-8;
constexpr std::size_t block = 10000;
constexpr double message_s = block * beta_s;

Network torus(PortUse ports) {
  return {.links = {Link::swift({.alpha = alpha_s, .beta = beta_s})}, .ports = ports, .width = {2, 3, 1}};
}

double seconds(Collective collective, const char* plan_text, int ranks, std::size_t bytes,
               const Network& network) {
  const Plan plan = make_plan(collective, plan_text).value();
  const Price found = price(generate(plan, shape_of(plan, {.ranks = ranks}, 0, bytes)), bytes, network);
  EXPECT_FALSE(found.critical_path.empty());
  return found.seconds;
}

TEST(PortWidth, LetsSeveralMessagesThroughAtOnce) {
  for (const PortUse ports : {PortUse::shared, PortUse::in_turn}) {
    EXPECT_NEAR(seconds(Collective::scatter, "linear", 13, 13 * block, torus(ports)),
                alpha_s + (ports == PortUse::shared ? 12 : 13) * message_s / 2, 1e-12)
        << "the last one of them takes its time";
    EXPECT_NEAR(seconds(Collective::gather, "linear", 13, 13 * block, torus(ports)),
                alpha_s + (ports == PortUse::shared ? 12 : 14) * message_s / 3, 1e-12);
    EXPECT_NEAR(seconds(Collective::scatter, "linear", 2, 2 * block, torus(ports)), alpha_s + message_s,
                1e-12)
        << "no message is faster";
  }
}

TEST(PortWidth, IsNoneWhereAllSendAndReceive) {
  for (const PortUse ports : {PortUse::shared, PortUse::in_turn}) {
    Network one = torus(ports);
    one.width = {};
    EXPECT_NEAR(seconds(Collective::alltoall, "linear", 6, 6 * block, torus(ports)),
                seconds(Collective::alltoall, "linear", 6, 6 * block, one), message_s / 3);
  }
  Network also_then = torus(PortUse::shared);
  also_then.width.busy = 2;
  EXPECT_NEAR(seconds(Collective::alltoall, "linear", 6, 6 * block, also_then), alpha_s + 2.5 * message_s,
              1e-12);
}

TEST(PortWidth, IsInClassesWhereSchedulesAreComputed) {
  Network network = torus(PortUse::shared);
  network.width = {.out = 2.03, .in = 2.9, .busy = 1};
  EXPECT_EQ(quantised(network).width, (PortWidth{2, 3, 1}));
}

TEST(PortWidth, IsNoneBetweenTwoHosts) {
  for (const PortUse ports : {PortUse::shared, PortUse::in_turn}) {
    Network network = torus(ports);
    network.hosts = {0, 0, 0, 1, 1, 1};
    const auto exchange = [&](const char* plan) {
      return seconds(Collective::bcast, plan, 6, block, network);
    };
    Network one = network;
    one.width = {};
    for (const char* plan : {"linear", "chain", "knomial"})
      EXPECT_NEAR(exchange(plan), seconds(Collective::bcast, plan, 6, block, one), 1e-12) << plan;
  }
}

TEST(PortWidth, IsInTheFileWhereThereIsAny) {
  const Network network = torus(PortUse::shared);
  EXPECT_EQ(parse_network(to_text(network), "n").value().width, network.width);
  Network one = network;
  one.width = {};
  EXPECT_EQ(to_text(one).find("port_width"), std::string::npos);
  EXPECT_EQ(parse_network(to_text(one), "n").value(), one);
}

// Ports of hosts as wide as told, to others than one.
class MadeUpPorts final : public Prober {
 public:
  MadeUpPorts(int ranks, const PortWidth& width) : width_(width) {
    site_.ranks = ranks;
    site_.hosts = dealt_hosts(ranks, ranks);
    site_.simulated = true;
  }
  const Site& site() const override { return site_; }
  Result<std::vector<double>> run(Experiment experiment, const std::vector<std::vector<Rank>>& groups,
                                  std::size_t bytes, int) override {
    ++experiments;
    std::size_t hosts = 0;
    for (const auto& group : groups) hosts += group.size();
    const double width = experiment == Experiment::one_to_all   ? width_.out
                         : experiment == Experiment::all_to_one ? width_.in
                                                                : width_.busy;
    if (experiment == Experiment::all_to_all) {
      EXPECT_EQ(hosts, site_.hosts.size());
    }
    std::vector<double> times;
    for (const auto& group : groups)
      times.push_back(1e-5 + static_cast<double>((group.size() - 1) * bytes) * beta_s / width);
    return times;
  }
  Result<std::vector<Combination>> combine() override { return std::vector<Combination>{}; }
  int experiments = 0;

 private:
  PortWidth width_;
  Site site_;
};

TEST(PortWidth, IsFoundByFewExperiments) {
  const ProbeHooks still{.clock = [] { return 0.0; }};
  for (const int ranks : {3, 96, 1000}) {
    Network network = torus(PortUse::shared);
    network.width = {};
    const Network one = network;
    MadeUpPorts wide(ranks, {2, 3, 1.5});
    const PortWidth found = probe_port_width(network, wide, still).value().width;
    EXPECT_NEAR(found.out, 2, 1e-9);
    EXPECT_NEAR(found.in, 3, 1e-9);
    EXPECT_NEAR(found.busy, 1.5, 1e-9);
    EXPECT_EQ(wide.experiments, 6);
    MadeUpPorts star(ranks, {1, 1.05, 1});
    EXPECT_EQ(probe_port_width(network, star, still).value(), one);
    EXPECT_EQ(star.experiments, 4);
  }
  Network pair = torus(PortUse::shared);
  pair.width = {};
  MadeUpPorts two(2, {2, 2, 2});
  EXPECT_EQ(probe_port_width(pair, two, still).value(), pair);
  EXPECT_EQ(two.experiments, 0);
}

}  // namespace
}  // namespace tutti
