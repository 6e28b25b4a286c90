// Where hosts are: files of people's and of Slurm's, what is wrong with them, what the ways between
// groups are found to let through, and groups that nobody told.

#include "choose/evidence/whereabouts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "choose/probing/probing.hpp"
#include "core/network/drawn_tree.hpp"
#include "core/network/group_levels.hpp"
#include "core/network/groups.hpp"

namespace tutti {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double beta = 1e-9;

Network of_hosts(const Hosts& hosts) {
  return {.links = {Link::swift({.alpha = 1e-6, .beta = beta})}, .hosts = hosts, .ports = PortUse::shared};
}

// The names of the groups around a host, the innermost first.
std::string around(const Whereabouts& whereabouts, const std::string& host) {
  std::string names;
  for (int at = whereabouts.group_of.at(host); at >= 0;
       at = whereabouts.groups[static_cast<std::size_t>(at)].within)
    names += (names.empty() ? "" : " ") + whereabouts.groups[static_cast<std::size_t>(at)].name;
  return names;
}

std::string error_of(const std::string& text) {
  const auto read = read_whereabouts(text, "groups.txt");
  return read ? "" : read.error().message;
}

TEST(Whereabouts, AreLinesOfHostsAndTheirGroups) {
  const auto read = read_whereabouts(
      "# our machine\n"
      "a s1 row1\n"
      "b, s1, row1 # with commas\n"
      "\n"
      "c s2 row1\n"
      "d.far.org s3\n",
      "groups.txt");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(around(*read, "b"), "s1 row1");
  EXPECT_EQ(around(*read, "c"), "s2 row1");
  EXPECT_EQ(around(*read, "d.far.org"), "s3");
  EXPECT_TRUE(read_whereabouts("a s1\nb s1 row1\n", "groups.txt")) << "one line may say more than another";
}

TEST(Whereabouts, OfSlurmAreSwitches) {
  const auto read = read_whereabouts(
      "SwitchName=s0 Nodes=n[08-10],login\n"
      "switchname=s1 nodes=n[11,20]-x LinkSpeed=100\n"
      "SwitchName=top Switches=s[0-1]\n",
      "topology.conf");
  ASSERT_TRUE(read) << read.error().message;
  for (const char* host : {"n08", "n09", "n10", "login"}) EXPECT_EQ(around(*read, host), "s0 top") << host;
  for (const char* host : {"n11-x", "n20-x"}) EXPECT_EQ(around(*read, host), "s1 top") << host;
  EXPECT_EQ(read->group_of.size(), 6u);
}

TEST(Whereabouts, OfSlurmMayBeBlocks) {
  const auto read = read_whereabouts("BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockSizes=2\n",
                                     "topology.conf");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(around(*read, "n2"), "b1");
  EXPECT_EQ(around(*read, "n3"), "b2");
  EXPECT_EQ(read->group_of.size(), 4u);
}

// What people write by hand, cut off or the wrong way round.
TEST(Whereabouts, OfSlurmAreListsOfNames) {
  for (const char* list :
       {"n[1-3", "n1-3]", "n[]", "n[a-b]", "n[3-1]", "n[1-]", "n[-3]", "n[1,]", "n[[1-2]]", "n[1-2]]",
        "n[1-2][", "n[1-99999999]", "n[1-99999999999999999999]", "n[0-9999][0-9999]", "good,n[2-1]"}) {
    EXPECT_THAT(error_of("SwitchName=s0 Nodes=good\nSwitchName=s1 Nodes=" + std::string(list) + "\n"),
                AllOf(HasSubstr("groups.txt: line 2: n"), HasSubstr("is no list of")))
        << list;
    EXPECT_THAT(error_of("SwitchName=s0 Nodes=good\nSwitchName=s1 Switches=" + std::string(list) + "\n"),
                HasSubstr("groups.txt: line 2: n"))
        << list;
  }
}

TEST(Whereabouts, AreWhatSlurmTellsItsProcesses) {
  const auto told = whereabouts_of_addresses({"n1", "n2.org"}, {"top.s0.n1", "top.s1.n2.org"});
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_EQ(around(*told, "n1"), "s0 top");
  EXPECT_EQ(around(*told, "n2.org"), "s1 top");
  EXPECT_TRUE(whereabouts_of_addresses({"n1", "n2"}, {"n1", "n2"})->group_of.empty())
      << "no switches are told";
  EXPECT_TRUE(whereabouts_of_addresses({"n1"}, {""})->group_of.empty());
  const auto wrong = whereabouts_of_addresses({"n1", "n2"}, {"row1.s1.n1", "row2.s1.n2"});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("SLURM_TOPOLOGY_ADDR: host 2: s1 is within row2, and within "
                                               "row1 in host 1; a group is within one"));
}

TEST(Whereabouts, OfOneHostAreItsGroupsFromTheOutermostOn) {
  const auto read = read_whereabouts("a.far.org s1 row1\nb s2 row1\n", "groups.txt");
  EXPECT_THAT(groups_of_host(*read, "a"), ElementsAre("row1", "s1"));
  EXPECT_THAT(groups_of_host(*read, "b.far.org"), ElementsAre("row1", "s2"));
  EXPECT_THAT(groups_of_host(*read, "c"), ElementsAre());
  EXPECT_THAT(switches_in_address("row1.s1.n1", "n1"), ElementsAre("row1", "s1"));
  EXPECT_THAT(switches_in_address("row1.s1.n1.far.org", "n1.far.org"), ElementsAre("row1", "s1"));
  EXPECT_THAT(switches_in_address("row1.s1.n1", "n1.far.org"), ElementsAre("row1", "s1"));
  EXPECT_THAT(switches_in_address("row1.s1.n1", "n2"), ElementsAre())
      << "another host's, handed on by a launcher";
  EXPECT_THAT(switches_in_address("row1.s1.n11", "n1"), ElementsAre());
  EXPECT_THAT(switches_in_address("n1", "n1"), ElementsAre());
  EXPECT_THAT(switches_in_address("", "n1"), ElementsAre());
}

TEST(Whereabouts, OfANetworkCanBeReadBack) {
  Network network = of_hosts({0, 0, 1, 2, 3, 4});
  network.groups = {
      {.name = "all"}, {.name = "row 1", .within = 0}, {.name = "s[0,2]", .within = 1}, {.within = 1}};
  network.group_of = {2, 2, 3, 2, 3, 0};
  const std::vector<std::string> hosts{"a", "b", "c", "d", "e"};
  const auto file = groups_file_of(network, hosts);
  ASSERT_TRUE(file);
  const auto read = read_whereabouts(*file, "groups");
  ASSERT_TRUE(read) << read.error().message << "\n" << *file;
  const auto again = with_groups(of_hosts(network.hosts), 6, *read, hosts);
  ASSERT_TRUE(again) << again.error().message;
  const GroupLevels before = GroupLevels::of(network, 6), after = GroupLevels::of(*again, 6);
  EXPECT_EQ(after.order, before.order);
  EXPECT_EQ(after.switches, before.switches);
  EXPECT_EQ(after.groups, before.groups);
  PlacesInHosts places;
  places[HostPart::socket] = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(groups_file_of(with_parts_of_hosts(network, places), hosts), file) << "what ranks see themselves";
  network.group_of = {0, 0, 0, 0, 0, 0};
  EXPECT_EQ(groups_file_of(network, hosts), std::nullopt);
}

TEST(Whereabouts, SayWhatIsWrong) {
  EXPECT_THAT(error_of("a s1\nb\n"), HasSubstr("groups.txt: line 2: b stands alone; name the groups"));
  EXPECT_THAT(
      error_of("a s1\nb s1\na s2\n"),
      HasSubstr("groups.txt: line 3: host a is in s2, and in s1 in line 1; a host is in one of them"));
  EXPECT_THAT(error_of("a s1 row1\nb s1 row2\n"),
              HasSubstr("line 2: s1 is within row2, and within row1 in line 1; a group is within one"));
  EXPECT_THAT(error_of("a s1 s2\nb s2 s1\n"), HasSubstr("line 2: s2 is within itself, by way of s1"));
  EXPECT_THAT(error_of("a s1 s1\n"), HasSubstr("line 1: s1 is within itself, by way of s1"));
  EXPECT_THAT(error_of("# nothing\n"), HasSubstr("groups.txt: there is no host in it; write lines such as"));
  EXPECT_THAT(error_of("SwitchName=a Switches=b\nSwitchName=b Switches=a Nodes=n1\n"),
              HasSubstr("line 2: a is within itself, by way of b"));
}

TEST(Whereabouts, BecomeGroupsOfTheNetwork) {
  const auto whereabouts =
      read_whereabouts("x s1 row1\ny s1 row1\nz s2 row1\nunused s9 row9\n", "groups.txt");
  const auto grouped = with_groups(of_hosts({0, 1, 1, 2}), 4, *whereabouts, {"x.org", "y", "z"});
  ASSERT_TRUE(grouped) << grouped.error().message;
  EXPECT_EQ(contradiction_of_groups(*grouped), std::nullopt);
  EXPECT_EQ(grouped->groups.size(), 4u) << "all, the row, and two switches";
  std::vector<std::string> names;
  for (const int group : groups_around(*grouped, 2)) names.push_back(name_of_group(*grouped, group));
  EXPECT_THAT(names, ElementsAre("s1", "row1", "all"));
  const auto missing = with_groups(of_hosts({0, 1}), 2, *whereabouts, {"x", "w"});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message,
              HasSubstr("groups.txt: host w of rank 1 is not in it; add where it is"));
}

TEST(Whereabouts, AreDrawnAsTrees) {
  const auto whereabouts =
      read_whereabouts("x s1 row1\ny s1 row1\nz s2 row1\nv s3 row1\nw s3 row1\n", "groups.txt");
  const auto grouped = with_groups(of_hosts({0, 1, 1, 2, 3, 4}), 6, *whereabouts, {"w", "x", "y", "z", "v"});
  ASSERT_TRUE(grouped) << grouped.error().message;
  PlacesInHosts sockets;
  sockets[HostPart::socket] = {0, 0, 1, 0, 0, 0};
  const auto trees = drawn_groups(with_parts_of_hosts(*grouped, sockets));
  ASSERT_EQ(trees.size(), 1u);
  EXPECT_EQ(to_text(trees.front()),
            "all: 6 ranks on 5 hosts (0-5)\n"
            "  row1: 6 ranks on 5 hosts (0-5)\n"
            "    s3: 2 ranks on 2 hosts (0, 5)\n"
            "    s1: 3 ranks on 2 hosts (1-3)\n"
            "      host 1: 2 ranks (1-2)\n"
            "        socket 0: 1 rank (1)\n"
            "        socket 1: 1 rank (2)\n")
      << "groups of one host that are no parts of it are not drawn";
  EXPECT_THAT(to_svg(trees), HasSubstr("s1: 3 ranks on 2 hosts (1-3)"));
  Network strange = *grouped;
  strange.groups[0].name = "R&D <1>";
  EXPECT_THAT(to_svg(drawn_groups(strange)), HasSubstr(">R&amp;D &lt;1&gt;: 6 ranks"));
  EXPECT_TRUE(drawn_groups(of_hosts({0, 1})).empty());
}

// Ways of which one is told to be narrow: as fluid as can be.
class MadeUpWays final : public Prober {
 public:
  MadeUpWays(Network network) : network_(std::move(network)) {
    site_.ranks = static_cast<int>(network_.hosts.size());
    site_.hosts = network_.hosts;
    site_.simulated = true;
  }
  const Site& site() const override { return site_; }
  Result<std::vector<double>> run(Experiment experiment, const std::vector<std::vector<Rank>>& groups,
                                  std::size_t bytes, int) override {
    ++experiments;
    if (experiment == Experiment::round_trip) {
      std::vector<double> times;
      for (const auto& pair : groups) times.push_back(2 * latency(pair[0], pair[1]));
      return times;
    }
    const auto& group = groups.front();
    const std::size_t half = group.size() / 2;
    std::map<std::pair<int, int>, double> crossed;  // messages, by way
    for (std::size_t from = 0; from < half; ++from)
      for (std::size_t to = half; to < group.size(); ++to) {
        auto left = groups_around(network_, group[from]), entered = groups_around(network_, group[to]);
        while (!left.empty() && !entered.empty() && left.back() == entered.back())
          left.pop_back(), entered.pop_back();
        for (const int each : left) ++crossed[{each, -1}];
        for (const int each : entered) ++crossed[{-1, each}];
        ++crossed[{left.back(), entered.back()}];
      }
    double slowest = static_cast<double>(half) * beta;  // of the ports
    for (const auto& [way, messages] : crossed) {
      const auto group_at = [&](int number) { return network_.groups[static_cast<std::size_t>(number)]; };
      const double each = way.second == -1  ? group_at(way.first).out
                          : way.first == -1 ? group_at(way.second).in
                                            : group_at(group_at(way.first).within).between;
      slowest = std::max(slowest, messages * each);
    }
    return std::vector{2e-6 + slowest * static_cast<double>(bytes)};
  }
  Result<std::vector<Combination>> combine() override { return std::vector<Combination>{}; }
  int experiments = 0;
  double scatter = 0;  // of latencies, relative

 private:
  // A microsecond for each switch on the way, as it was on the day.
  double latency(Rank a, Rank b) {
    const auto around = groups_around(network_, a);
    const auto switches =
        1.0 + static_cast<double>(around.size() - count_common_groups(around, groups_around(network_, b)));
    return 1e-6 * switches * std::uniform_real_distribution(1 - scatter, 1 + scatter)(random_);
  }

  Network network_;
  Site site_;
  std::mt19937_64 random_{1};
};

// Switches of four hosts, rows of four switches, and three rows.
Network of_rows() {
  Network network = of_hosts({});
  network.groups = {{.name = "all"}};
  for (Rank rank = 0; rank < 48; ++rank) {
    network.hosts.push_back(rank);
    if (rank % 16 == 0) network.groups.push_back({.within = 0});
    const int row = 1 + 5 * (rank / 16);
    if (rank % 4 == 0) network.groups.push_back({.within = row});
    network.group_of.push_back(static_cast<int>(network.groups.size()) - 1);
  }
  return network;
}

void expect_found(const Network& truth) {
  Network unknown = truth;
  for (Network::Group& group : unknown.groups) group.out = group.in = group.between = 0;
  MadeUpWays site(truth);
  const Network found = probe_ways(unknown, site, {.clock = [] { return 0.0; }}).value();
  for (std::size_t i = 0; i < truth.groups.size(); ++i) {
    EXPECT_NEAR(found.groups[i].out, truth.groups[i].out, 1e-15) << i;
    EXPECT_NEAR(found.groups[i].in, truth.groups[i].in, 1e-15) << i;
    EXPECT_NEAR(found.groups[i].between, truth.groups[i].between, 1e-15) << i;
  }
  EXPECT_LE(site.experiments, 18) << "six a level";
}

TEST(ProbeWays, FindsWhatIsNarrow) {
  expect_found(of_rows());
  Network network = of_rows();
  network.groups[0].between = beta;
  expect_found(network);
  network = of_rows();
  for (Network::Group& group : network.groups)
    if (group.within > 0) group.out = beta / 2;
  expect_found(network);
  network = of_rows();
  for (Network::Group& group : network.groups)
    if (group.within == 0) group.in = beta / 5;
  expect_found(network);
  Network none = of_hosts({0, 1, 2});
  MadeUpWays site(none);
  EXPECT_EQ(probe_ways(none, site, {.clock = [] { return 0.0; }}).value(), none);
  EXPECT_EQ(site.experiments, 0);
}

// Two sites of four switches of four hosts each, of which only the switches are told.
TEST(ProbeWays, FindsWhatSwitchesInSitesShare) {
  Network truth = of_hosts({});
  truth.groups = {{.name = "all", .between = 10 * beta}, {.within = 0}, {.within = 0}};
  Network told = of_hosts({});
  told.links = {Link::swift({.alpha = 1e-6, .beta = beta}), Link::swift({.alpha = 1e-3, .beta = 20 * beta})};
  told.groups = {{.name = "all"}};
  told.ranks = 32;
  told.trunks = {{.from = 0, .to = 16, .seconds_per_byte = 10 * beta},
                 {.from = 16, .to = 0, .seconds_per_byte = 10 * beta}};
  for (Rank rank = 0; rank < 32; ++rank) {
    if (rank % 4 == 0) {
      truth.groups.push_back({.within = 1 + rank / 16, .out = beta / 2});
      told.groups.push_back({.within = 0});
    }
    for (Rank to = 0; to < 32; ++to) told.link_of.push_back(rank / 16 != to / 16);
    truth.hosts.push_back(rank);
    truth.group_of.push_back(static_cast<int>(truth.groups.size()) - 1);
    told.group_of.push_back(static_cast<int>(told.groups.size()) - 1);
  }
  told.hosts = truth.hosts;
  MadeUpWays site(truth);
  const Network found =
      probe_ways(with_sites_of_trunks(told, 32), site, {.clock = [] { return 0.0; }}).value();
  ASSERT_EQ(found.groups.size(), truth.groups.size());
  for (Rank rank = 0; rank < 32; ++rank) {
    const auto around = groups_around(found, rank);
    ASSERT_EQ(around.size(), 3u) << rank;
    const auto ways = [&](std::size_t level) {
      return found.groups[static_cast<std::size_t>(around[level])];
    };
    EXPECT_NEAR(ways(0).out, beta / 2, 1e-15) << rank;
    EXPECT_EQ(ways(0).in, 0) << rank;
    EXPECT_FALSE(ways(1).has_narrow_ways()) << rank;
    EXPECT_NEAR(ways(2).between, 10 * beta, 1e-15) << "as the trunks are";
  }
}

// Hosts of two sockets of two NUMA domains of two caches of two ranks each, two at a switch.
Network of_parts() {
  Network network = of_hosts({});
  network.groups = {{.name = "s0"}, {.name = "s1"}};
  PlacesInHosts places;
  for (Rank rank = 0; rank < 64; ++rank) {
    network.hosts.push_back(rank / 16);
    network.group_of.push_back(rank / 32);
    places[HostPart::socket].push_back(rank / 8);
    places[HostPart::numa].push_back(rank / 4);
    places[HostPart::cache].push_back(rank / 2);
  }
  return with_parts_of_hosts(network, places);
}

// The number of narrow ways that are found in hosts, each as narrow as it is.
std::size_t found_in_hosts(const Network& truth) {
  Network unknown = truth;
  for (Network::Group& group : unknown.groups)
    if (group.part || group.name.starts_with("host")) group.out = group.in = group.between = 0;
  MadeUpWays site(truth);
  const Network found = probe_ways_in_hosts(unknown, site, {.clock = [] { return 0.0; }}).value();
  std::size_t narrow = 0;
  for (std::size_t i = 0; i < truth.groups.size(); ++i) {
    const Network::Group &one = truth.groups[i], &other = found.groups[i];
    EXPECT_NEAR(other.out, one.out, 1e-15) << one.name;
    EXPECT_NEAR(other.in, one.in, 1e-15) << one.name;
    EXPECT_NEAR(other.between, one.between, 1e-15) << one.name;
    narrow += other.between > 0;
  }
  EXPECT_LE(site.experiments, 6) << "two a level, for there are two parts";
  return narrow;
}

TEST(ProbeWays, FindsWhatIsNarrowInHosts) {
  Network network = of_parts();
  EXPECT_EQ(found_in_hosts(network), 0u);
  for (Network::Group& group : network.groups)
    if (group.name.starts_with("host")) group.between = beta / 2;
  EXPECT_EQ(found_in_hosts(network), 4u) << "between sockets";
  for (Network::Group& group : network.groups)
    if (group.part == HostPart::socket) group.between = beta;
  EXPECT_EQ(found_in_hosts(network), 12u) << "and between NUMA domains, which is seen first";
  // What was found of hosts is no way within one, and ways within hosts are left to others.
  for (const int group : {0, 1}) network.groups[static_cast<std::size_t>(group)].out = 10 * beta;
  EXPECT_EQ(found_in_hosts(network), 12u);
  MadeUpWays site(network);
  EXPECT_EQ(probe_ways(network, site, {.clock = [] { return 0.0; }}).value(), network);
  EXPECT_EQ(site.experiments, 0) << "two switches in no group have no way";
  // Sockets of which one has a single NUMA domain are alike still.
  network = of_hosts({});
  network.hosts.assign(12, 0);
  PlacesInHosts places;
  places[HostPart::socket] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
  places[HostPart::numa] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
  places[HostPart::cache] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
  network = with_parts_of_hosts(network, places);
  for (Network::Group& group : network.groups)
    if (group.name == "NUMA domain 0" || group.name == "NUMA domain 1" || group.name == "socket 1")
      group.between = beta;
  EXPECT_EQ(found_in_hosts(network), 3u) << "caches are alike, whatever is around them";
}

using Sets = std::set<std::set<Rank>>;

// The hosts of each group that are not all, whatever its number.
Sets sets_of(const Network& network) {
  std::map<int, std::set<Rank>> of_group;
  for (Rank rank = 0; rank < static_cast<Rank>(network.group_of.size()); ++rank)
    for (const int group : groups_around(network, rank)) of_group[group].insert(rank);
  Sets sets;
  for (const auto& [group, ranks] : of_group)
    if (ranks.size() < network.group_of.size()) sets.insert(ranks);
  return sets;
}

Network found_in(const Network& truth, double scatter) {
  MadeUpWays site(truth);
  site.scatter = scatter;
  Network untold = truth;
  untold.groups.clear();
  untold.group_of.clear();
  return probe_groups(untold, site, {.clock = [] { return 0.0; }}).value();
}

TEST(ProbeGroups, FindsWhatNobodyTold) {
  Network truth = of_rows();
  for (Network::Group& group : truth.groups)
    if (group.within == 0) group.out = group.in = beta / 4;
  for (const double scatter : {0.0, 0.1}) {
    const Network found = found_in(truth, scatter);
    EXPECT_EQ(sets_of(found), sets_of(truth)) << scatter;
    for (const int group : groups_around(found, 0)) {
      const bool is_row = found.groups[static_cast<std::size_t>(group)].within == 0;
      EXPECT_NEAR(found.groups[static_cast<std::size_t>(group)].out, is_row ? beta / 4 : 0, 1e-15);
    }
  }
}

TEST(ProbeGroups, FindsHostsWhereverTheyStand) {
  for (unsigned seed = 1; seed < 6; ++seed) {
    Network truth = of_rows();
    truth.groups[0].between = beta;
    std::mt19937_64 random(seed);
    std::shuffle(truth.group_of.begin(), truth.group_of.end(), random);
    EXPECT_EQ(sets_of(found_in(truth, 0.1)), sets_of(truth)) << seed;
    // A fifth of them went to other jobs.
    truth.group_of.resize(38);
    truth.hosts.resize(38);
    const Sets all = sets_of(truth), seen = sets_of(found_in(truth, 0.1));
    for (const auto& set : seen) EXPECT_TRUE(all.contains(set)) << seed;
    EXPECT_GE(seen.size(), 3u) << "rows at least";
  }
}

TEST(ProbeGroups, NamesNoneWhereNothingIsNarrow) {
  EXPECT_TRUE(found_in(of_rows(), 0.1).groups.empty()) << "latencies alone are no reason";
  Network star = of_hosts({});
  star.groups = {{.name = "all", .between = beta}};
  for (Rank rank = 0; rank < 48; ++rank) {
    star.hosts.push_back(rank);
    star.group_of.push_back(0);
  }
  for (const double scatter : {0.0, 0.3, 0.9}) EXPECT_TRUE(found_in(star, scatter).groups.empty()) << scatter;
}

}  // namespace
}  // namespace tutti
