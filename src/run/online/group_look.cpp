#include "run/online/group_look.hpp"

#include <algorithm>

#include "choose/probing/constants.hpp"
#include "choose/probing/latencies_of_hosts.hpp"
#include "choose/probing/quick_levels.hpp"
#include "core/network/groups.hpp"
#include "core/network/median.hpp"
#include "core/schedule/by_place.hpp"
#include "run/mpi/native.hpp"
#include "run/online/constants.hpp"

namespace tutti::run {
namespace {

// What all ranks do in a round: rank 0 says who meets whom, and how often they exchange a byte.
class Rounds {
 public:
  explicit Rounds(const Communicator& communicator) : communicator_(communicator) {}

  /// By rank, what the exchanges of the pairs that lead took in the median, in seconds, on rank 0.
  /// `partners`: by rank the other one of its pair, or nobody, and behind them how often they meet;
  /// 0: this was the last round. Rank 0's count.
  std::vector<double> run(std::vector<int>& partners) const {
    native().MPI_Bcast(partners.data(), static_cast<int>(partners.size()), MPI_INT, 0, communicator_.user());
    std::vector<double> seconds(static_cast<std::size_t>(communicator_.ranks()));
    if (partners.back() == 0) return seconds;
    const auto me = static_cast<std::size_t>(communicator_.rank());
    double mine = 0;
    if (partners[me] != Exchange::nobody) mine = exchange(partners[me], partners.back());
    native().MPI_Gather(&mine, 1, MPI_DOUBLE, seconds.data(), 1, MPI_DOUBLE, 0, communicator_.user());
    return seconds;
  }

  /// On all ranks but 0, until that says that there are no more.
  void serve() const {
    std::vector<int> partners(static_cast<std::size_t>(communicator_.ranks()) + 1);
    do run(partners);
    while (partners.back() != 0);
  }

 private:
  double exchange(Rank with, int repetitions) const {
    const Context& context = communicator_.context();
    const int partner = context.number_of(with), tag = context.first_tag();
    const bool leads = communicator_.rank() < with;
    std::vector<double> seconds;
    char byte = 0;
    for (int i = -1; i < repetitions; ++i) {  // connections are made at the first message
      const double begin = PMPI_Wtime();
      if (leads) PMPI_Send(&byte, 1, MPI_BYTE, partner, tag, context.comm());
      PMPI_Recv(&byte, 1, MPI_BYTE, partner, tag, context.comm(), MPI_STATUS_IGNORE);
      if (!leads) PMPI_Send(&byte, 1, MPI_BYTE, partner, tag, context.comm());
      if (i >= 0) seconds.push_back(PMPI_Wtime() - begin);
    }
    return median(std::move(seconds));
  }

  const Communicator& communicator_;
};

// Rank 0's.
class RoundsProber final : public Prober {
 public:
  explicit RoundsProber(const Communicator& communicator) : rounds_(communicator) {
    site_.ranks = communicator.ranks();
    site_.hosts = communicator.hosts();
    site_.simulated = simulated;
  }

  const Site& site() const override { return site_; }
  /// How many there have been.
  int rounds() const { return run_; }

  /// Short messages there and back are all that it can.
  Result<std::vector<double>> run(Experiment, const std::vector<std::vector<Rank>>& pairs, std::size_t,
                                  int repetitions) override {
    std::vector<int> partners(static_cast<std::size_t>(site_.ranks) + 1, Exchange::nobody);
    for (const auto& pair : pairs) {
      partners[static_cast<std::size_t>(pair[0])] = pair[1];
      partners[static_cast<std::size_t>(pair[1])] = pair[0];
    }
    partners.back() = repetitions;
    ++run_;
    const std::vector<double> seconds = rounds_.run(partners);
    std::vector<double> of_pairs;
    for (const auto& pair : pairs)
      of_pairs.push_back(seconds[static_cast<std::size_t>(std::min(pair[0], pair[1]))]);
    return of_pairs;
  }

  Result<std::vector<tutti::Combination>> combine() override { return std::vector<tutti::Combination>(); }

  void end() const {
    std::vector<int> partners(static_cast<std::size_t>(site_.ranks) + 1);
    rounds_.run(partners);
  }

 private:
  Site site_;
  Rounds rounds_;
  int run_ = 0;
};

int count_rounds_of_look(const Hosts& hosts) {
  return std::min(count_rounds(count(hosts)), static_cast<int>(probing::most_rounds_of_latencies));
}

}  // namespace

bool may_have_groups(const Hosts& hosts) {
  const int number = count(hosts);
  return number >= probing::fewest_hosts_of_groups && number <= online::most_hosts_of_groups;
}

GroupLook look_for_groups(const Communicator& communicator, double limit_s) {
  GroupLook look;
  if (communicator.rank() != 0) {
    Rounds(communicator).serve();
    return look;
  }
  RoundsProber prober(communicator);
  const int rounds = count_rounds_of_look(communicator.hosts());
  const double begin = PMPI_Wtime();
  // What all rounds take, by those that have been.
  const auto whole_s = [&] {
    return prober.rounds() == 0 ? 0
                                : (PMPI_Wtime() - begin) * std::max(1.0, double(rounds) / prober.rounds());
  };
  const RanksOfHosts hosts = ranks_by_host(communicator.hosts(), communicator.ranks());
  const Latencies latencies = measure_latencies(hosts, prober, {.clock = whole_s}, limit_s);
  prober.end();
  look.whole_s = whole_s();
  if (prober.rounds() < rounds) return look;
  const Network found = with_near_hosts(latencies, hosts, {.hosts = communicator.hosts()});
  for (Rank rank = 0; rank < communicator.ranks(); ++rank) {
    auto& around = look.groups.emplace_back();
    if (!found.group_of.empty())
      for (const int group : groups_around(found, rank))
        around.push_back(static_cast<std::uint64_t>(group) + 1);
    if (around.empty()) around.push_back(1);
    std::ranges::reverse(around);
  }
  return look;
}

double expected_group_look_s(const Hosts& hosts, double latency_s) {
  if (latency_s <= 0) return 0;
  const double number = count(hosts), pairs = number * (number - 1) / 2;
  return count_rounds_of_look(hosts) * online::latencies_of_a_round * latency_s +
         pairs * online::look_s_a_pair;
}

}  // namespace tutti::run
