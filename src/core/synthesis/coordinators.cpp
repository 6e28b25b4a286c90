#include "core/synthesis/coordinators.hpp"

#include <algorithm>

namespace tutti::inline core {
namespace {

class Coordination {
 public:
  Coordination(const Sites& sites, int blocks_a_rank) : sites_(sites), blocks_a_rank_(blocks_a_rank) {
    for (const auto& site : sites) coordinators_.push_back(site.front());
  }

  ScheduledTransfers magpie() && {
    for (const auto& site : sites_)
      for (std::size_t i = 1; i < site.size(); ++i) send(site[i], site.front(), {site[i]});
    for (std::size_t away = 1; away < sites_.size(); ++away)
      for (std::size_t from = 0; from < sites_.size(); ++from)
        send(coordinators_[from], coordinators_[(from + away) % sites_.size()], sites_[from]);
    broadcast();
    return std::move(transfers_);
  }

  ScheduledTransfers mpich_g2() && {
    for (const auto& site : sites_) {
      Sites single;
      for (const Rank rank : site) single.push_back({rank});
      double_up(site, single);
    }
    double_up(coordinators_, sites_);
    broadcast();
    return std::move(transfers_);
  }

 private:
  // Blocks of those ranks, a message for each run of neighbours.
  void send(Rank from, Rank to, std::vector<Rank> of) {
    std::sort(of.begin(), of.end());
    for (std::size_t i = 0; i < of.size();) {
      std::size_t end = i + 1;
      while (end < of.size() && of[end] == of[end - 1] + 1) ++end;
      transfers_.push_back({.from = from,
                            .to = to,
                            .block = of[i] * blocks_a_rank_,
                            .blocks = static_cast<int>(end - i) * blocks_a_rank_});
      i = end;
    }
  }

  // Members at distance 1, 2, 4, … exchange all that they have; those beyond the largest power of
  // two hand theirs to a partner first and get everything from it in the end.
  void double_up(const std::vector<Rank>& members, Sites have) {
    std::size_t power = 1;
    while (2 * power <= members.size()) power *= 2;
    const auto add = [&](std::size_t from, std::size_t to) { send(members[from], members[to], have[from]); };
    const auto join = [](std::vector<Rank>& mine, const std::vector<Rank>& more) {
      mine.insert(mine.end(), more.begin(), more.end());
    };
    for (std::size_t i = power; i < members.size(); ++i) {
      add(i, i - power);
      join(have[i - power], have[i]);
    }
    for (std::size_t distance = 1; distance < power; distance *= 2) {
      const Sites before = have;
      for (std::size_t i = 0; i < power; ++i) {
        send(members[i], members[i ^ distance], before[i]);
        join(have[i], before[i ^ distance]);
      }
    }
    for (std::size_t i = power; i < members.size(); ++i) {
      std::vector<Rank> others;
      for (const Rank rank : have[i - power])
        if (std::find(have[i].begin(), have[i].end(), rank) == have[i].end()) others.push_back(rank);
      send(members[i - power], members[i], others);
    }
  }

  // Everything that a coordinator has, down its site's tree.
  void broadcast() {
    std::vector<Rank> everybody;
    for (const auto& site : sites_) everybody.insert(everybody.end(), site.begin(), site.end());
    for (const auto& site : sites_)
      for (std::size_t distance = highest_power(site.size()); distance > 0; distance /= 2)
        for (std::size_t i = 0; i + distance < site.size(); i += 2 * distance)
          send(site[i], site[i + distance], everybody);
  }

  static std::size_t highest_power(std::size_t members) {
    std::size_t power = 1;
    while (power < members) power *= 2;
    return power / 2;
  }

  const Sites& sites_;
  int blocks_a_rank_;
  std::vector<Rank> coordinators_;
  ScheduledTransfers transfers_;
};

}  // namespace

ScheduledTransfers magpie_allgather(const Sites& sites, int blocks_a_rank) {
  return Coordination(sites, blocks_a_rank).magpie();
}

ScheduledTransfers mpich_g2_allgather(const Sites& sites, int blocks_a_rank) {
  return Coordination(sites, blocks_a_rank).mpich_g2();
}

}  // namespace tutti::inline core
