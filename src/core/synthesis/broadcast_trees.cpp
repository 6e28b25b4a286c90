#include "core/synthesis/broadcast_trees.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <random>
#include <tuple>

#include "core/synthesis/port_clock.hpp"

namespace tutti::inline core {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// Lists of children, by rank.
std::vector<std::vector<Rank>> children_of(const Tree& tree) {
  std::vector<std::vector<Rank>> children(tree.size());
  for (std::size_t rank = 0; rank < tree.size(); ++rank)
    if (tree[rank] >= 0) children[static_cast<std::size_t>(tree[rank])].push_back(static_cast<Rank>(rank));
  return children;
}

// Improves the tree of a broadcast among a few ranks by moving one of them to another parent at a
// time.
class Annealing {
 public:
  Annealing(const Network& network, const std::vector<Rank>& members, Rank root, double bytes)
      : network_(network), members_(members), bytes_(bytes), parent_(members.size(), 0) {
    const auto at = std::find(members_.begin(), members_.end(), root);
    std::iter_swap(members_.begin(), at);
  }

  // Writes the members' parents.
  void run(Tree& tree) {
    if (members_.size() > 2) anneal();
    for (std::size_t i = 1; i < members_.size(); ++i)
      tree[static_cast<std::size_t>(members_[i])] = members_[parent_[i]];
  }

 private:
  void anneal() {
    constexpr int moves_a_member = 200;
    // Of the time at the beginning; and the logarithm of what is between the two.
    constexpr double hot = 0.3, cold = 0.001, cooling = 5.7;
    const int moves = moves_a_member * static_cast<int>(members_.size());
    double time = completion(), temperature = time * hot, best = time;
    const double coldest = time * cold;
    auto best_parent = parent_;
    for (int move = 0; move < moves; ++move) {
      const std::size_t who = 1 + random(members_.size() - 1), old = parent_[who];
      parent_[who] = random(members_.size());
      const double now = is_below(parent_[who], who) ? never : completion();
      if (now <= time || uniform() < probability((now - time) / temperature))
        time = now;
      else
        parent_[who] = old;
      if (time < best) {
        best = time;
        best_parent = parent_;
      }
      temperature = std::max(coldest, temperature * (1 - cooling / moves));
    }
    parent_ = best_parent;
  }

  bool is_below(std::size_t member, std::size_t above) const {
    for (; member != 0; member = parent_[member])
      if (member == above) return true;
    return false;
  }

  // When the last one has it, if everybody serves its largest subtree first.
  double completion() const {
    std::vector<std::vector<std::size_t>> children(members_.size());
    for (std::size_t i = 1; i < members_.size(); ++i) children[parent_[i]].push_back(i);
    std::vector<int> size(members_.size());
    count(0, children, size);
    return spread(0, 0, children, size);
  }
  static int count(std::size_t member, const std::vector<std::vector<std::size_t>>& children,
                   std::vector<int>& size) {
    size[member] = 1;
    for (const std::size_t child : children[member]) size[member] += count(child, children, size);
    return size[member];
  }
  double spread(std::size_t member, double from, std::vector<std::vector<std::size_t>>& children,
                const std::vector<int>& size) const {
    auto& mine = children[member];
    std::stable_sort(mine.begin(), mine.end(),
                     [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
    double last = from;
    for (const std::size_t child : mine) {
      const Link& link = network_.between(members_[member], members_[child]);
      last = std::max(last, spread(child, from + link.time(bytes_), children, size));
      from += std::max(link.send(bytes_), link.gap(bytes_));
    }
    return last;
  }

  // Of taking what is worse by so much: e to the power of its negative, about, and the same on all
  // hosts to the last bit, which all ranks' trees have to be.
  static double probability(double worse) {
    double power = std::max(0.0, 1 - worse / 16);
    for (int squared = 0; squared < 4; ++squared) power *= power;
    return power;
  }

  std::size_t random(std::size_t below) { return generator_() % below; }
  double uniform() { return static_cast<double>(generator_()) / std::minstd_rand::max(); }

  const Network& network_;
  std::vector<Rank> members_;  // the root first
  double bytes_;
  std::vector<std::size_t> parent_;  // by member
  std::minstd_rand generator_{1};
};

}  // namespace

Tree earliest_completing_edges(const Network& network, int ranks, double bytes, Rank root) {
  const auto all = static_cast<std::size_t>(ranks);
  Tree tree(all, -1);
  std::vector<double> free(all, never);  // when a rank that has it can send it
  free[static_cast<std::size_t>(root)] = 0;
  for (int edges = 1; edges < ranks; ++edges) {
    std::tuple<double, Rank, Rank> first{never, -1, -1};
    for (Rank from = 0; from < ranks; ++from) {
      if (free[static_cast<std::size_t>(from)] == never) continue;
      for (Rank to = 0; to < ranks; ++to)
        if (free[static_cast<std::size_t>(to)] == never)
          first = std::min(
              first,
              {free[static_cast<std::size_t>(from)] + network.between(from, to).time(bytes), from, to});
    }
    const auto [arrival, from, to] = first;
    const Link& link = network.between(from, to);
    tree[static_cast<std::size_t>(to)] = from;
    free[static_cast<std::size_t>(to)] = arrival;
    free[static_cast<std::size_t>(from)] += std::max(link.send(bytes), link.gap(bytes));
  }
  return tree;
}

Tree annealed(const Network& network, const Sites& sites, double bytes, Rank root) {
  std::size_t ranks = 0;
  std::vector<Rank> heads;
  for (const auto& site : sites) {
    ranks += site.size();
    const bool has_root = std::find(site.begin(), site.end(), root) != site.end();
    heads.push_back(has_root ? root : site.front());
  }
  Tree tree(ranks, -1);
  Annealing(network, heads, root, bytes).run(tree);
  for (std::size_t i = 0; i < sites.size(); ++i) Annealing(network, sites[i], heads[i], bytes).run(tree);
  return tree;
}

ScheduledTransfers allgather_by_trees(const std::vector<Tree>& trees, const Network& network, double bytes,
                                      bool half_duplex) {
  const int ranks = static_cast<int>(trees.size());
  PortClock clock(network, ranks, bytes, half_duplex);
  struct Edge {
    double arrival;  // as it was when last asked
    int block;
    Rank from, to;
    double ready;  // its parent has it
    bool operator<(const Edge& other) const {
      return std::tie(other.arrival, other.block, other.to) < std::tie(arrival, block, to);
    }
  };
  std::priority_queue<Edge> open;
  std::vector<std::vector<std::vector<Rank>>> children;
  const auto open_edges = [&](int block, Rank from, double ready) {
    for (const Rank to : children[static_cast<std::size_t>(block)][static_cast<std::size_t>(from)])
      open.push({clock.arrival(from, to, ready), block, from, to, ready});
  };
  for (int block = 0; block < ranks; ++block) {
    children.push_back(children_of(trees[static_cast<std::size_t>(block)]));
    open_edges(block, block, 0);
  }
  ScheduledTransfers transfers;
  while (!open.empty()) {
    Edge edge = open.top();
    open.pop();
    const double arrival = clock.arrival(edge.from, edge.to, edge.ready);
    if (arrival > edge.arrival) {  // ports have been used since
      edge.arrival = arrival;
      open.push(edge);
      continue;
    }
    const double start = clock.start(edge.from, edge.to, edge.ready);
    clock.send(edge.from, edge.to, start);
    transfers.push_back(
        {.from = edge.from, .to = edge.to, .block = edge.block, .start = start, .end = arrival});
    open_edges(edge.block, edge.to, arrival);
  }
  return transfers;
}

}  // namespace tutti::inline core
