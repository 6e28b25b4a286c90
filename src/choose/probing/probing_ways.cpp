// What the ways between groups let through: everybody in one group sends to everybody in another at
// once. Groups of a level are taken to be alike, so that the number of experiments depends on the
// number of levels only. Those within hosts are levels of their own, below their host.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "choose/probing/constants.hpp"
#include "choose/probing/probing.hpp"
#include "core/network/group_members.hpp"
#include "core/network/groups.hpp"

namespace tutti::inline choose {
namespace {

using Members = std::vector<Rank>;  // of groups of hosts one of each host
enum class Ends { hosts, ranks_of_hosts };

class WaysProbing {
 public:
  WaysProbing(Network network, Ends ends, Prober& prober, const ProbeHooks& hooks)
      : network_(std::move(network)), prober_(prober), hooks_(hooks) {
    find_members(ends);
  }

  Result<Network> run() {
    try {
      // The innermost first: what is narrow there is nothing of what is around it.
      for (const auto& [number, level] : std::views::reverse(levels_)) {
        const int largest =
            *std::ranges::max_element(level.wholes, {}, [this](int group) { return members_[group].size(); });
        if (parts_[largest].size() < 2) continue;
        const Ways ways = ways_in(largest);
        for (const int group : level.wholes) at(group).between = ways.between;
        for (const int part : level.parts) {
          at(part).out = ways.out;
          at(part).in = ways.in;
        }
      }
      return std::move(network_);
    } catch (const Error& error) {
      return tl::unexpected(error);
    }
  }

 private:
  // Groups that are alike, and the parts of these.
  struct Level {
    std::vector<int> wholes, parts;
  };

  void find_members(Ends ends) {
    const auto all = members_of_groups(network_);
    const std::set<int> parts_of_host = parts_of_hosts(network_);
    std::map<int, bool> seen;  // hosts
    for (Rank rank = 0; rank < static_cast<Rank>(network_.group_of.size()); ++rank) {
      if (std::exchange(seen[network_.host(rank)], true) && ends == Ends::hosts) continue;
      auto around = groups_around(network_, rank);
      auto outside =
          std::ranges::find_if_not(around, [&](int group) { return parts_of_host.contains(group); });
      if (ends == Ends::hosts)
        around.erase(around.begin(), outside);
      else if (outside != around.end() && all.at(*outside).hosts.size() == 1)
        around.erase(outside + 1, around.end());
      else
        around.clear();
      for (std::size_t i = 0; i < around.size(); ++i) add(rank, around, i, ends);
    }
  }

  // What is within hosts is alike by what part of them it is, all else by what is around it.
  void add(Rank rank, const std::vector<int>& around, std::size_t i, Ends ends) {
    const std::size_t depth = around.size() - 1 - i;
    auto& members = members_[around[i]];
    if (ends == Ends::hosts && members.empty()) levels_[depth].wholes.push_back(around[i]);
    members.push_back(rank);
    if (i == 0) return;
    auto& parts = parts_[around[i]];
    const HostPart kind = at(around[i - 1]).part.value_or(HostPart::socket);
    Level& level = levels_[ends == Ends::hosts ? depth : static_cast<std::size_t>(kind)];
    if (ends == Ends::ranks_of_hosts && parts.empty()) level.wholes.push_back(around[i]);
    auto& part = parts[around[i - 1]];
    if (part.empty()) level.parts.push_back(around[i - 1]);
    part.push_back(rank);
  }

  static constexpr Rank taken = -1;

  // In seconds a byte; 0 where hosts' ports are what counts.
  struct Ways {
    double between = 0, out = 0, in = 0;
  };

  Network::Group& at(int group) { return network_.groups[static_cast<std::size_t>(group)]; }

  // From the largest part of a group to another one, to all others, and from those. What is as
  // narrow between two as between all is no way of the two; what is wider between all by as many
  // as there are is a way of two parts, or of the others. Of two parts there is but one way.
  Ways ways_in(int group) {
    std::vector<std::pair<int, Members>> parts(parts_[group].begin(), parts_[group].end());
    std::ranges::stable_sort(parts, std::greater(), [](const auto& part) { return part.second.size(); });
    const auto& [largest, members] = parts[0];
    const std::string name = name_of_group(network_, largest);
    const Ways seen{
        narrow(group, members, parts[1].second, "between parts of " + name_of_group(network_, group)), 0, 0};
    if (parts.size() == 2) return seen;
    const Members others = in_turn(parts_[group], largest);
    Ways ways{0, narrow(group, members, others, "out of " + name),
              narrow(group, others, members, "into " + name)};
    if (seen.between * probing::full_growth > std::max(ways.out, ways.in)) ways.between = seen.between;
    const auto all_others = static_cast<double>(parts.size()) - 1;
    const auto unless_by = [&](double way, double of_others) {
      return way * probing::full_growth > std::max(ways.between, of_others) / all_others ? way : 0;
    };
    return {ways.between, unless_by(ways.out, ways.in), unless_by(ways.in, ways.out)};
  }

  // The ranks of all parts but one, dealt out: of each part in turn another place, since switches
  // may choose ways by that.
  static Members in_turn(const std::map<int, Members>& parts, int without) {
    std::vector<Members> left;
    for (const auto& [part, members] : parts)
      if (part != without) left.push_back(members);
    std::size_t count = 0;
    for (const Members& members : left) count += members.size();
    Members all;
    for (std::size_t turn = 0; all.size() < count; ++turn) {
      Members& members = left[turn % left.size()];
      std::size_t place = turn % members.size();
      for (std::size_t tried = 0; members[place] == taken && tried < members.size(); ++tried)
        place = (place + 1) % members.size();
      if (const Rank rank = std::exchange(members[place], taken); rank != taken) all.push_back(rank);
    }
    return all;
  }

  // Seconds a byte of all that goes from some ranks to others in a group, where that is slower than
  // their ports and the ways that are known; else 0. What two lengths of messages differ by is no
  // latency.
  double narrow(int group, const Members& from, const Members& to, const std::string& what) {
    const std::size_t each = std::min({from.size(), to.size(), probing::most_on_a_way});
    if (each < 2) return 0;
    hooks_.progress(1, fmt::format("{} pairs, {}", each * each, what));
    const double more =
        seconds(from, to, each, 2 * probing::long_bytes) - seconds(from, to, each, probing::long_bytes);
    const double s_per_byte = more / static_cast<double>(each * each * probing::long_bytes);
    const Rank sender = from.front(), receiver = to.front();
    const bool on_one_host = network_.host(sender) == network_.host(receiver);
    const double port = hockney_of(network_.between(sender, receiver)).beta /
                        (on_one_host ? 1 : std::min(network_.width.out, network_.width.in));
    const double known = std::max({port, slowest_known(group, from, each, &Network::Group::out),
                                   slowest_known(group, to, each, &Network::Group::in)}) /
                         static_cast<double>(each);
    return s_per_byte * probing::full_growth > known ? s_per_byte : 0;
  }

  // Seconds a byte of what each of the first ranks sends or gets, by the known ways around them
  // within a group.
  double slowest_known(int within, const Members& members, std::size_t first, double Network::Group::*way) {
    std::map<int, double> seconds;
    double slowest = 0;
    for (std::size_t i = 0; i < first; ++i)
      for (const int group : groups_around(network_, members[i])) {
        if (group == within) break;
        slowest = std::max(slowest, seconds[group] += at(group).*way);
      }
    return slowest;
  }

  double seconds(const Members& from, const Members& to, std::size_t each, std::size_t bytes) {
    Members group(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(each));
    group.insert(group.end(), to.begin(), to.begin() + static_cast<std::ptrdiff_t>(each));
    auto times = prober_.run(Experiment::crossing, {group}, bytes,
                             prober_.site().simulated ? 1 : probing::least_repetitions);
    if (!times) throw times.error();
    return times->front();
  }

  Network network_;
  Prober& prober_;
  const ProbeHooks& hooks_;
  std::map<std::size_t, Level> levels_;  // the outermost first
  std::map<int, Members> members_;
  std::map<int, std::map<int, Members>> parts_;  // groups in a group
};

}  // namespace

Result<Network> probe_ways(Network network, Prober& prober, const ProbeHooks& hooks) {
  return WaysProbing(std::move(network), Ends::hosts, prober, hooks).run();
}

Result<Network> probe_ways_in_hosts(Network network, Prober& prober, const ProbeHooks& hooks) {
  return WaysProbing(std::move(network), Ends::ranks_of_hosts, prober, hooks).run();
}

}  // namespace tutti::inline choose
