#include "network/lmo.hpp"

#include <algorithm>

namespace tutti {

double Lmo::other_end(Rank root, Rank rank, double bytes) const {
  const auto i = static_cast<std::size_t>(rank);
  const std::size_t link = static_cast<std::size_t>(root) * fixed.size() + i;
  return fixed[i] + (variable[i] + inverse_rate[link]) * bytes;
}

double Lmo::message(Rank from, Rank to, double bytes) const {
  const auto i = static_cast<std::size_t>(from);
  return fixed[i] + variable[i] * bytes + other_end(from, to, bytes);
}

double Lmo::one_to_many(Rank root, double bytes, double threshold) const {
  const auto i = static_cast<std::size_t>(root);
  double all = 0, longest = 0;
  for (Rank rank = 0; rank < ranks(); ++rank) {
    if (rank == root) continue;
    all += other_end(root, rank, bytes);
    longest = std::max(longest, other_end(root, rank, bytes));
  }
  return fixed[i] + variable[i] * (ranks() - 1) * bytes + (bytes <= threshold ? longest : all);
}

double Lmo::many_to_one(Rank root, double bytes, double m2, double extra) const {
  const auto i = static_cast<std::size_t>(root);
  if (bytes > m2) return one_to_many(root, bytes, 0) - variable[i] * (ranks() - 2) * bytes + extra;
  return one_to_many(root, bytes, bytes) + (ranks() - 2) * fixed[i] + extra;
}

Lmo lmo_from(int ranks, const LmoExperiments& e) {
  const auto p = static_cast<std::size_t>(ranks);
  Lmo lmo{std::vector<double>(p), std::vector<double>(p), std::vector<double>(p * p)};
  std::vector<int> triples(p);
  // 2 (C_i + C_j) for each two of three ranks.
  for (const auto& [root, first, second, seconds] : e.one_to_two) {
    const double with_first = e.empty_round_trip(root, first), with_second = e.empty_round_trip(root, second);
    const auto i = static_cast<std::size_t>(root);
    lmo.fixed[i] += std::max(0.0, (with_first + with_second - e.empty_round_trip(first, second)) / 4);
    ++triples[i];
  }
  for (std::size_t i = 0; i < p; ++i) lmo.fixed[i] /= std::max(1, triples[i]);
  // Beyond the slower of the two round trips the root takes C_i + t_i·n for sending once more, C_i for
  // receiving.
  for (const auto& [root, first, second, seconds] : e.one_to_two) {
    const auto i = static_cast<std::size_t>(root);
    const double slower = std::max(e.there(root, first), e.there(root, second));
    lmo.variable[i] += std::max(0.0, seconds - slower - 2 * lmo.fixed[i]) / e.bytes / std::max(1, triples[i]);
  }
  for (Rank from = 0; from < ranks; ++from)
    for (Rank to = 0; to < ranks; ++to) {
      if (from == to) continue;
      const auto i = static_cast<std::size_t>(from), j = static_cast<std::size_t>(to);
      const double one_way = (e.round_trip(from, to) - e.empty_round_trip(from, to)) / 2 / e.bytes;
      lmo.inverse_rate[i * p + j] = std::max(0.0, one_way - lmo.variable[i] - lmo.variable[j]);
    }
  return lmo;
}

}  // namespace tutti
