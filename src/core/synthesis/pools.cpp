#include "core/synthesis/pools.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tutti::inline core {
namespace {

constexpr double least_piece = 1024;  // bytes: below, messages cost more than what they carry
constexpr double most_pieces = 512;
constexpr double step = 1;        // of reductions, which reckon in steps and not in seconds
constexpr double instant = 1e-9;  // seconds: no message takes less

// Puts off transfers of what their senders have not got yet: where some messages take next to
// nothing of the time of others, times tell no order.
class InOrder {
 public:
  explicit InOrder(const Shape& shape)
      : shape_(shape), has_(static_cast<std::size_t>(shape.ranks) * static_cast<std::size_t>(shape.blocks)) {
    const bool of_root = shape.collective == Collective::bcast || shape.collective == Collective::scatter;
    for (int block = 0; block < shape.blocks; ++block)
      has_[place(block, of_root ? shape.root : block / pieces(shape))] = true;
  }

  ScheduledTransfers of(const ScheduledTransfers& transfers) && {
    for (const ScheduledTransfer& each : transfers) carry_out(each);
    return std::move(ordered_);
  }

 private:
  std::size_t place(int block, Rank rank) const {
    return static_cast<std::size_t>(block) * static_cast<std::size_t>(shape_.ranks) +
           static_cast<std::size_t>(rank);
  }

  void carry_out(const ScheduledTransfer& transfer) {
    for (int block = transfer.block; block < transfer.block + transfer.blocks; ++block)
      if (const std::size_t missing = place(block, transfer.from); !has_[missing])
        return waiting_[missing].push_back(transfer);
    ordered_.push_back(transfer);
    for (int block = transfer.block; block < transfer.block + transfer.blocks; ++block) {
      const std::size_t come = place(block, transfer.to);
      has_[come] = true;
      if (const auto released = waiting_.extract(come))
        for (const ScheduledTransfer& each : released.mapped()) carry_out(each);
    }
  }

  const Shape& shape_;
  std::vector<bool> has_;                              // by block and rank
  std::map<std::size_t, ScheduledTransfers> waiting_;  // by what is missing
  ScheduledTransfers ordered_;
};

class Synthesis {
 public:
  Synthesis(const Shape& shape, const Network& network, const Sites& sites, double bytes)
      : shape_(shape),
        network_(network),
        sites_(sites),
        bytes_(bytes),
        site_of_(site_by_rank(sites, shape.ranks)),
        number_in_site_(site_of_.size()) {
    for (const auto& site : sites)
      for (std::size_t number = 0; number < site.size(); ++number)
        number_in_site_[static_cast<std::size_t>(site[number])] = static_cast<int>(number);
  }

  ScheduledTransfers run() && {
    switch (shape_.collective) {
      case Collective::bcast:
        bcast();
        break;
      case Collective::allgather:
        allgather();
        break;
      case Collective::scatter:
        scatter();
        break;
      case Collective::gather:
        backwards_ = true;
        scatter();
        turn_round();
        break;
      case Collective::reduce_scatter_block:
        reduce_scatter();
        break;
      default:
        reduce();
        break;
    }
    std::stable_sort(transfers_.begin(), transfers_.end(),
                     [](const auto& a, const auto& b) { return a.start < b.start; });
    // Reductions reckon in steps, which are exact.
    return traits(shape_.collective).reduces ? std::move(transfers_) : InOrder(shape_).of(transfers_);
  }

 private:
  const std::vector<Rank>& site(std::size_t number) const { return sites_[number]; }
  std::size_t site_of(Rank rank) const { return site_of_[static_cast<std::size_t>(rank)]; }
  int number_in_site(Rank rank) const { return number_in_site_[static_cast<std::size_t>(rank)]; }
  int pieces() const { return tutti::pieces(shape_); }

  // A message of one block.
  double time(Rank from, Rank to) const {
    if (from == to) return 0;
    return std::max(instant,
                    (backwards_ ? network_.between(to, from) : network_.between(from, to)).time(bytes_));
  }

  Crossing& crossing(std::size_t from, std::size_t to) {
    return crossings_.try_emplace({from, to}, network_, site(from), site(to), bytes_).first->second;
  }

  void transfer(Rank from, Rank to, int block, double start, bool combine = false, int blocks = 1) {
    if (from == to) return;
    transfers_.push_back({.from = from,
                          .to = to,
                          .block = block,
                          .blocks = blocks,
                          .combine = combine,
                          .start = start,
                          .end = start + time(from, to)});
  }

  // To all others of the sender's site but one that has it, to the next rank first. One after the
  // other, so that they don't crowd out what crosses: a short way has the better of a long one.
  void spread(Rank from, int block, double start, Rank except = -1, int blocks = 1) {
    const auto& mates = site(site_of(from));
    const auto me = static_cast<std::size_t>(number_in_site(from));
    for (std::size_t i = 1; i < mates.size(); ++i)
      if (const Rank to = mates[(me + i) % mates.size()]; to != except) {
        transfer(from, to, block, start + static_cast<double>(i - 1) * blocks * time(from, to), false,
                 blocks);
        transfers_.back().in_turn = true;
      }
  }

  // When what a rank spreads from `start` on has come to another one of its site.
  double spread_to(Rank from, Rank to, double start, int blocks = 1) const {
    const int mates = static_cast<int>(site(site_of(from)).size());
    const int turns = (number_in_site(to) - number_in_site(from) + mates) % mates;
    return start + turns * blocks * time(from, to);
  }

  // A piece that `ready` says who of its site has when, to all other sites and there to everybody.
  void cross(std::size_t home, int block, const std::function<double(Rank)>& ready) {
    for (std::size_t other = 0; other < sites_.size(); ++other) {
      if (other == home) continue;
      const auto passage = crossing(home, other).send(ready, [](Rank) { return 0; });
      transfer(passage.from, passage.to, block, passage.start);
      spread(passage.to, block, passage.arrival);
    }
  }

  // In its site a block goes whole; its pieces cross from its owner, or from who has got it there.
  void allgather() {
    for (int piece = 0; piece < pieces(); ++piece)
      for (Rank owner = 0; owner < shape_.ranks; ++owner)
        cross(site_of(owner), owner * pieces() + piece,
              [&](Rank rank) { return spread_to(owner, rank, 0, pieces()); });
    for (Rank owner = 0; owner < shape_.ranks; ++owner) spread(owner, owner * pieces(), 0, -1, pieces());
  }

  // The root deals the pieces out in its site; who has got one spreads it there and sends it
  // across.
  void bcast() {
    const std::size_t home = site_of(shape_.root);
    const auto& mates = site(home);
    double root_free = 0;
    for (int block = 0; block < shape_.blocks; ++block) {
      const Rank entry = mates[static_cast<std::size_t>(block) % mates.size()];
      const double dealt = root_free, has = dealt + time(shape_.root, entry);
      if (entry != shape_.root) root_free += network_.between(shape_.root, entry).gap(bytes_);
      transfer(shape_.root, entry, block, dealt);
      cross(home, block,
            [&](Rank rank) { return rank == shape_.root ? root_free : spread_to(entry, rank, has); });
      spread(entry, block, has, shape_.root);
    }
  }

  // From the root by a pair of hosts to the owner. Of a gather the same, seen from its end.
  void scatter() {
    const std::size_t home = site_of(shape_.root);
    for (const Rank owner : site(home)) transfer(shape_.root, owner, owner * pieces(), 0, false, pieces());
    for (int piece = 0; piece < pieces(); ++piece)
      for (Rank owner = 0; owner < shape_.ranks; ++owner) {
        if (site_of(owner) == home) continue;
        const int block = owner * pieces() + piece;
        const auto passage = crossing(home, site_of(owner))
                                 .send([&](Rank rank) { return time(shape_.root, rank); },
                                       [&](Rank rank) { return time(rank, owner); });
        transfer(shape_.root, passage.from, block, passage.start - time(shape_.root, passage.from));
        transfer(passage.from, passage.to, block, passage.start);
        transfer(passage.to, owner, block, passage.arrival);
      }
  }

  void turn_round() {
    double last = 0;
    for (const ScheduledTransfer& t : transfers_) last = std::max(last, t.end);
    for (ScheduledTransfer& t : transfers_) {
      std::swap(t.from, t.to);
      t.start = last - std::exchange(t.end, last - t.start);
    }
  }

  // What a site has of a piece, at one of its ranks.
  void combine_in_site(Rank at, int block, double start) {
    for (const Rank mate : site(site_of(at))) transfer(mate, at, block, start, true);
  }

  // Each piece has a home: what the sites have combined of it meets there, and from there the
  // result goes back, to everybody or to the root. The homes of an allreduce are dealt out so that
  // no connection of two sites carries more than it has to.
  void reduce() {
    std::vector<int> turns(sites_.size());
    for (int block = 0; block < shape_.blocks; ++block) {
      const std::size_t home =
          shape_.collective == Collective::reduce ? site_of(shape_.root) : least_loaded_home();
      const int turn = turns[home]++, hosts = static_cast<int>(site(home).size());
      const Rank at = host(home, turn);
      const auto entry_of = [&](std::size_t i) {
        return i == home ? at : host(i, turn % hosts + turn / hosts);
      };
      const double begin = 2.0 * block * step, met = begin + step;
      for (std::size_t i = 0; i < sites_.size(); ++i) {
        const Rank entry = entry_of(i);
        combine_in_site(entry, block, begin);
        transfer(entry, at, block, met, true);
      }
      if (shape_.collective == Collective::reduce) {
        transfer(at, shape_.root, block, met + step);
        continue;
      }
      for (std::size_t i = 0; i < sites_.size(); ++i) {
        const Rank entry = entry_of(i);
        transfer(at, entry, block, met + step);
        spread(entry, block, met + 2 * step);
      }
    }
  }

  Rank host(std::size_t in, int turn) const {
    return site(in)[static_cast<std::size_t>(turn) % site(in).size()];
  }

  // Where another piece would make the longest of all connections' times least.
  std::size_t least_loaded_home() {
    if (load_.empty()) load_.resize(sites_.size() * sites_.size());
    std::size_t best = 0;
    double best_longest = -1;
    for (std::size_t home = 0; home < sites_.size(); ++home) {
      double longest = 0;
      for (std::size_t i = 0; i < sites_.size(); ++i)
        if (i != home) longest = std::max(longest, load(home, i) + seconds_a_piece(home, i));
      if (best_longest < 0 || longest < best_longest) {
        best_longest = longest;
        best = home;
      }
    }
    for (std::size_t i = 0; i < sites_.size(); ++i)
      if (i != best) load(best, i) = load(i, best) += seconds_a_piece(best, i);
    return best;
  }
  double& load(std::size_t a, std::size_t b) { return load_[a * sites_.size() + b]; }
  double seconds_a_piece(std::size_t a, std::size_t b) {
    const auto& pairs = crossing(a, b).pairs();
    return network_.between(pairs.front().from, pairs.front().to).gap(bytes_) /
           static_cast<double>(pairs.size());
  }

  // Every block's home is its rank.
  void reduce_scatter() {
    for (int piece = 0; piece < pieces(); ++piece)
      for (Rank owner = 0; owner < shape_.ranks; ++owner) {
        const int block = owner * pieces() + piece;
        const int number = number_in_site(owner);
        const double begin = piece * step;
        for (std::size_t i = 0; i < sites_.size(); ++i) {
          const Rank entry = i == site_of(owner) ? owner : host(i, number + piece);
          combine_in_site(entry, block, begin);
          transfer(entry, owner, block, begin + step, true);
        }
      }
  }

  const Shape& shape_;
  const Network& network_;
  const Sites& sites_;
  double bytes_;
  std::vector<std::size_t> site_of_;  // by rank
  std::vector<int> number_in_site_;   // by rank
  std::map<std::pair<std::size_t, std::size_t>, Crossing> crossings_;
  std::vector<double> load_;  // by two sites: seconds
  bool backwards_ = false;
  ScheduledTransfers transfers_;
};

}  // namespace

ScheduledTransfers across_sites(const Shape& shape, const Network& network, const Sites& sites,
                                double bytes) {
  return Synthesis(shape, network, sites, bytes).run();
}

void write_alltoall(Builder& b, const Sites& sites) {
  const auto site_of = site_by_rank(sites, b.ranks());
  const auto is_near = [&](Rank rank) {
    return site_of[static_cast<std::size_t>(rank)] == site_of[static_cast<std::size_t>(b.rank())];
  };
  // Both ends list their messages in one order, so that none waits for a later one of another pair.
  for (const bool near : {false, true})
    for (int i = 1; i < b.ranks(); ++i) {
      const Rank from = (b.rank() - i + b.ranks()) % b.ranks(), to = (b.rank() + i) % b.ranks();
      if (is_near(from) == near) b.recv(from, output(from));
      if (is_near(to) == near) b.send(to, input(to));
    }
  b.copy(output(b.rank()), input(b.rank()));
}

int pieces_across(const Network& network, const Sites& sites, bool of_vector, int a_pair, double bytes,
                  std::size_t transfers) {
  std::size_t largest = 1, pairs = 1;
  for (const auto& a : sites) {
    largest = std::max(largest, a.size());
    for (const auto& b : sites)
      if (&a != &b) pairs = std::max(pairs, a.size() * b.size());
  }
  const double wanted = a_pair * static_cast<double>(of_vector ? pairs : largest);
  const double eager = network.eager > 0 ? std::ceil(bytes / network.eager) : 1;
  const double affordable = std::floor(bytes / least_piece);
  const auto computed = static_cast<double>(most_transfers / transfers);
  const double most = std::max(1.0, std::min({affordable, computed, most_pieces}));
  return static_cast<int>(std::clamp(std::max(wanted, eager), 1.0, most));
}

}  // namespace tutti::inline core
