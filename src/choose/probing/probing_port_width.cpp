// How many messages a host's port carries at a time, each at the rate of a link: several hosts send
// to one at once, and one to several. Where links lead in several directions, other hosts' messages
// pass them: so what a port carries is measured while all hosts exchange messages, too. In a torus
// that is known these links count by themselves.

#include <algorithm>

#include "choose/probing/constants.hpp"
#include "choose/probing/latencies_of_hosts.hpp"
#include "choose/probing/probing.hpp"
#include "core/schedule/by_place.hpp"

namespace tutti::inline choose {
namespace {

class WidthProbing {
 public:
  WidthProbing(const Network& network, Prober& prober, const ProbeHooks& hooks)
      : network_(network),
        prober_(prober),
        hooks_(hooks),
        hosts_(first_ranks(ranks_by_host(prober.site().hosts, prober.site().ranks))) {}

  PortWidth run() {
    const std::size_t others = hosts_.size() - 1;
    if (others < 2) return {};
    const std::vector<Rank> group = network_.torus ? neighbors() : some_of(others);
    if (group.size() < 3) return {};
    PortWidth width;
    width.out = width_of(Experiment::one_to_all, {group}, "from one host to others");
    width.in = width_of(Experiment::all_to_one, {group}, "from others to one host");
    if (width.widest() == 1) return width;
    width.busy =
        network_.torus
            ? std::min(width.out, width.in)
            : std::min(width.widest(), width_of(Experiment::all_to_all, dealt(), "from all hosts to others"));
    return width;
  }

 private:
  // The first host and some others.
  std::vector<Rank> some_of(std::size_t others) const {
    const std::size_t used = std::min(others, probing::most_on_a_way);
    std::vector<Rank> group{hosts_.front()};
    for (std::size_t i = 0; i < used; ++i) group.push_back(hosts_[1 + i * others / used]);
    return group;
  }

  // The host that has most neighbours in the torus, and these: no two messages share a link.
  std::vector<Rank> neighbors() const {
    std::vector<Rank> most;
    for (int host = 0; host < static_cast<int>(hosts_.size()); ++host) {
      std::vector<Rank> group{hosts_[static_cast<std::size_t>(host)]};
      for (int other = 0; other < static_cast<int>(hosts_.size()); ++other)
        if (network_.torus->distance(host, other) == 1)
          group.push_back(hosts_[static_cast<std::size_t>(other)]);
      if (group.size() > most.size()) most = std::move(group);
    }
    return most;
  }

  // All hosts in groups of few, in each such as are far from each other by their numbers.
  std::vector<std::vector<Rank>> dealt() const {
    const std::size_t most = probing::most_on_a_way, number = (hosts_.size() + most - 1) / most;
    std::vector<std::vector<Rank>> groups(number);
    for (std::size_t host = 0; host < hosts_.size(); ++host) groups[host % number].push_back(hosts_[host]);
    return groups;
  }

  // How many messages of the fastest link's rate pass the busiest port, in the slowest group; 1
  // where that is hardly more than one. What two lengths differ by is no latency.
  double width_of(Experiment experiment, const std::vector<std::vector<Rank>>& groups,
                  const std::string& what) {
    hooks_.progress(1, "messages at once " + what);
    const auto at = [&](std::size_t bytes) {
      auto times =
          prober_.run(experiment, groups, bytes, prober_.site().simulated ? 1 : probing::least_repetitions);
      if (!times) throw times.error();
      return std::move(*times);
    };
    double least = static_cast<double>(groups.front().size());
    const int looks = prober_.site().simulated ? 1 : probing::looks_at_a_port;
    for (int look = 0; look < looks && least * probing::full_growth > 1; ++look) {
      const std::vector<double> once = at(probing::long_bytes), twice = at(2 * probing::long_bytes);
      for (std::size_t i = 0; i < groups.size(); ++i) {
        if (twice[i] <= once[i]) return 1;  // which no port explains
        const auto bytes = static_cast<double>((groups[i].size() - 1) * probing::long_bytes);
        least = std::min(least, fastest_beta(groups[i]) * bytes / (twice[i] - once[i]));
      }
    }
    return least * probing::full_growth > 1 ? least : 1;
  }

  // The fastest of the links between the first of a group and the others.
  double fastest_beta(const std::vector<Rank>& group) const {
    double beta = hockney_of(network_.between(group.front(), group.back())).beta;
    for (std::size_t i = 1; i < group.size(); ++i)
      beta = std::min(beta, hockney_of(network_.between(group.front(), group[i])).beta);
    return beta;
  }

  const Network& network_;
  Prober& prober_;
  const ProbeHooks& hooks_;
  std::vector<Rank> hosts_;  // a rank of each
};

}  // namespace

Result<Network> probe_port_width(Network network, Prober& prober, const ProbeHooks& hooks) {
  try {
    network.width = WidthProbing(network, prober, hooks).run();
    return network;
  } catch (const Error& error) {
    return tl::unexpected(error);
  }
}

}  // namespace tutti::inline choose
