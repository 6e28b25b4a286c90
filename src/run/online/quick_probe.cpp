#include "run/online/quick_probe.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <vector>

#include "choose/probing/quick_levels.hpp"
#include "run/calls/communicator.hpp"
#include "run/mpi/native.hpp"
#include "run/online/constants.hpp"
#include "run/transport/channel.hpp"

namespace tutti::run {
namespace {

constexpr const auto& sizes = online::probed_sizes;
static_assert(online::fewest_in_a_row * online::longest_in_row <= sizes.back() &&
              online::bytes_in_a_row <= sizes.back());

// What a pair measured, by size, the best of some: one way, and how long a message keeps its ports
// busy. Zero where there was no time. Where a link's rate is bounded by a bucket of tokens a few
// short messages pass at once, and only more of them tell what each takes.
struct Times {
  std::array<double, sizes.size()> time{}, gap{};
};

// One of two ranks sends what is long, measures, and says when there is no time for more.
class PingPong {
 public:
  /// Goes through `memory` if it is not null.
  PingPong(const Context& context, double limit_s, bool leads, Rank partner, HostMemory* memory)
      : comm_(context.comm()),
        tag_(context.first_tag()),
        limit_s_(limit_s),
        leads_(leads),
        partner_(context.number_of(partner)),
        through_(memory),
        channel_(memory ? memory->channel(partner_) : HostMemory::none),
        began_at_(PMPI_Wtime()) {}

  Times run() {
    Times times;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double longest = expected(times.time, i) + times.time[0];
      const double until = limit_s_ * static_cast<double>(i + 1) / static_cast<double>(sizes.size());
      // The first ones make connections, or touch the memory of all slots.
      const int unmeasured = through_ ? static_cast<int>(ChannelMemory::slots) : i == 0;
      for (int repetition = -unmeasured;; ++repetition) {
        const bool enough = repetition == online::most_repetitions || (repetition > 1 && passed() > until);
        // The shortest message is measured once whatever it takes.
        const bool is_late = times.time[0] > 0 && passed() + longest > limit_s_;
        const int word = agree(is_late ? stop : enough ? next : 1);
        if (word == stop) return times;
        if (word == next) break;
        const double there_and_back = seconds(1, sizes[i]);
        if (repetition >= 0)
          keep_least(times.time[i], i == 0 ? there_and_back / 2 : one_way(there_and_back, times));
      }
      if (sizes[i] > online::longest_in_row) continue;
      int in_row = messages_in_row(times.time[i], i);
      for (int row = 0; row < online::most_rows; ++row) {
        if (row > 0 && passed() + in_row * times.time[i] > until) in_row = next;
        in_row = agree(in_row);
        if (in_row == next) break;
        const double others = one_way(seconds(in_row, sizes[i]), times) - times.time[i];
        keep_least(times.gap[i], std::max(others / (in_row - 1), online::shortest_s));
      }
    }
    return times;
  }

 private:
  // What the rank that leads says in place of a number of messages.
  static constexpr int next = 0, stop = -1;

  // A row has as many messages as make it long enough; where there is less time it is the shortest,
  // or there is none.
  int messages_in_row(double each, std::size_t size) const {
    const int enough =
        std::clamp(online::bytes_in_a_row / sizes[size], online::fewest_in_a_row, online::most_in_a_row);
    for (const int count : {enough, online::fewest_in_a_row})
      if (passed() + count * each <= limit_s_) return count;
    return next;
  }

  // Time expected for a size, in seconds, by the last two sizes.
  static double expected(const std::array<double, sizes.size()>& times, std::size_t i) {
    if (i == 0) return 0;
    const double last = times[i - 1];
    if (i == 1) return last;
    return last +
           std::max(0.0, last - times[i - 2]) * (sizes[i] - sizes[i - 1]) / (sizes[i - 1] - sizes[i - 2]);
  }

  static void keep_least(double& least, double value) { least = least > 0 ? std::min(least, value) : value; }

  double passed() const { return PMPI_Wtime() - began_at_; }

  // What the rank that leads says.
  int agree(int said) {
    if (leads_)
      PMPI_Send(&said, 1, MPI_INT, partner_, tag_, comm_);
    else
      PMPI_Recv(&said, 1, MPI_INT, partner_, tag_, comm_, MPI_STATUS_IGNORE);
    return said;
  }

  // Time without the answer, which is as short as messages are.
  static double one_way(double there_and_back, const Times& times) {
    return std::max(online::shortest_s, there_and_back - times.time[0]);
  }

  // Time of `count` messages there and a short one back, in seconds.
  double seconds(int count, int bytes) {
    const double begin = PMPI_Wtime();
    if (leads_) {
      for (int i = 0; i < count; ++i) send(bytes);
      receive(1, sizes[0]);
    } else {
      receive(count, bytes);
      send(sizes[0]);
    }
    return PMPI_Wtime() - begin;
  }

  void send(int bytes) {
    if (through_)
      through_->send(channel_, memory_.data(), static_cast<std::size_t>(bytes), comm_);
    else
      PMPI_Send(memory_.data(), bytes, MPI_BYTE, partner_, tag_, comm_);
  }
  // Receives messages as plans do: all are awaited at once.
  void receive(int count, int bytes) {
    if (through_) {
      for (int i = 0; i < count; ++i)
        through_->receive(channel_, memory_.data(), static_cast<std::size_t>(bytes), comm_);
      return;
    }
    std::array<MPI_Request, online::most_in_a_row> requests;
    for (int i = 0; i < count; ++i)
      PMPI_Irecv(memory_.data() + i * bytes, bytes, MPI_BYTE, partner_, tag_, comm_,
                 &requests[static_cast<std::size_t>(i)]);
    PMPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
  }

  MPI_Comm comm_;
  int tag_;
  double limit_s_;
  bool leads_;
  Rank partner_;
  HostMemory* through_;
  int channel_;
  double began_at_;
  std::vector<char> memory_ = std::vector<char>(static_cast<std::size_t>(sizes.back()));
};

// Measures all pairs at once, for in a collective all ranks are busy; the mean of those that came
// to a size. No message takes less than it keeps its ports busy. Long messages take no more beyond
// keeping their ports busy than short ones: else noise would let them cost next to nothing. A link
// without points where no pair came to any.
Link all_at_once(const Communicator& c, double within_s, const Exchange& exchange, bool in_memory) {
  const Context& context = c.context();
  const auto me = static_cast<std::size_t>(c.rank());
  const Rank partner = exchange.partner[me];
  HostMemory* const memory = in_memory ? c.memory() : nullptr;
  const bool takes_part =
      partner != Exchange::nobody &&
      (!in_memory || (memory && memory->channel(context.number_of(partner)) != HostMemory::none));
  constexpr std::size_t values = 4;  // of a size: times, gaps, and how many of each
  std::array<double, values * sizes.size()> mine{}, all{};
  if (takes_part) {
    const bool leads = exchange.sends[me];
    const Times times = PingPong(context, within_s, leads, partner, memory).run();
    for (std::size_t i = 0; leads && i < sizes.size(); ++i) {
      mine[values * i] = std::max(times.time[i], times.gap[i]);
      mine[values * i + 1] = times.time[i] > 0;
      mine[values * i + 2] = times.gap[i];
      mine[values * i + 3] = times.gap[i] > 0;
    }
  }
  native().MPI_Reduce(mine.data(), all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM, 0,
                      c.user());
  Times mean;
  std::size_t known = 0;
  std::optional<double> latency;  // the least
  for (; known < sizes.size() && all[values * known + 1] > 0; ++known) {
    const double *time = &all[values * known], *gap = time + 2;
    mean.time[known] = time[0] / time[1];
    if (gap[1] > 0) {
      mean.gap[known] = gap[0] / gap[1];
      const double beyond = std::max(0.0, mean.time[known] - mean.gap[known]);
      latency = std::min(latency.value_or(beyond), beyond);
    }
    if (gap[1] == 0 || sizes[known] >= online::longest_in_row)
      mean.gap[known] = std::max(0.0, mean.time[known] - latency.value_or(0));
  }
  std::vector<Curve::Point> times, gaps;
  for (std::size_t i = 0; i < known; ++i) {
    // A short message takes no longer than a long one.
    const auto least = [&](const auto& of) { return *std::min_element(of.begin() + i, of.begin() + known); };
    times.push_back({static_cast<double>(sizes[i]), least(mean.time)});
    gaps.push_back({static_cast<double>(sizes[i]), least(mean.gap)});
  }
  return {.time = Curve(std::move(times)), .gap = Curve(std::move(gaps)), .send = {}, .receive = {}};
}

}  // namespace

double expected_quick_probe_s(const Communicator& c, const GroupLevels* groups) {
  if (count(c.hosts()) == 1) return online::longest_quick_probe_s / 10;
  return online::longest_quick_probe_s * (groups ? 2 : 1);
}

Network probe_quickly(const Communicator& c, const GroupLevels* groups) {
  const Hosts& hosts = c.hosts();
  const auto levels = groups ? groups->of_hosts() : std::vector<const Hosts*>{};
  Hosts ranks(hosts.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  const Hosts everywhere(hosts.size(), 0);
  const auto around = [&](std::size_t level) { return level < levels.size() ? levels[level] : &everywhere; };

  const Exchange within = between_neighbors(ranks, hosts), between = between_neighbors(hosts, *around(0));
  const double within_s =
      online::longest_quick_probe_s /
      std::max(1, (may_share_memory ? 2 : 1) * (within.pairs() > 0) + (between.pairs() > 0));
  const auto seen_in = [&](const Exchange& exchange, bool in_memory) -> std::optional<Link> {
    if (exchange.pairs() == 0) return std::nullopt;
    const Link link = all_at_once(c, within_s, exchange, in_memory);
    return link.time.points().empty() ? std::nullopt : std::optional(link);
  };
  NearLinks near;
  near.on_host = seen_in(within, false);
  const std::optional<Link> memory = may_share_memory ? seen_in(within, true) : std::nullopt;
  near.between_hosts = seen_in(between, false);
  std::vector<SeenLevel> seen;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Hosts &places = *levels[i], &outer = *around(i + 1);
    const std::array exchanges{between_neighbors(places, outer), across(hosts, places, outer, false),
                               across(hosts, places, outer, true)};
    const double each_s =
        online::longest_quick_probe_s / static_cast<double>(exchanges.size() * levels.size());
    std::array<Link, exchanges.size()> found;
    for (std::size_t e = 0; e < exchanges.size(); ++e) found[e] = all_at_once(c, each_s, exchanges[e], false);
    seen.push_back({&places, &outer, found[0], found[1], found[2]});
  }
  if (c.rank() != 0) return {};
  Network network = network_of_levels(near, hosts, seen);
  network.memory = memory;
  network.hosts = !near.on_host ? Hosts{0, 1} : network.links.size() > 1 ? Hosts{0, 0, 1} : Hosts{0, 0};
  return network;
}

}  // namespace tutti::run
