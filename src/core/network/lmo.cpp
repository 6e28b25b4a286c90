#include "core/network/lmo.hpp"

#include <algorithm>
#include <cmath>

#include "base/least_squares.hpp"
#include "core/network/median.hpp"

namespace tutti::inline core {

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

double Lmo::many_to_one(Rank root, double bytes) const {
  const ManyToOne more = gather.value_or(ManyToOne{});
  return bytes <= more.m2 ? side_by_side(root, bytes) + more.small_per_byte * bytes
                          : in_turn(root, bytes) + more.large + more.large_per_byte * bytes;
}

// The root takes C_0 + t_0·n for each.
double Lmo::side_by_side(Rank root, double bytes) const {
  return one_to_many(root, bytes, bytes) + (ranks() - 2) * fixed[static_cast<std::size_t>(root)];
}

double Lmo::in_turn(Rank root, double bytes) const {
  return one_to_many(root, bytes, 0) - variable[static_cast<std::size_t>(root)] * (ranks() - 2) * bytes;
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
  // Beyond the slower of the two round trips the root takes C_i + t_i·n for sending once more, C_i
  // for receiving.
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

namespace {

// What a size took beyond the model, both in seconds.
struct Residue {
  double bytes, seconds, measured;
};

// Least squares of residues by given terms of bytes, relative to what was measured; as many as
// there are.
std::vector<double> fit_residues(const std::vector<Residue>& residues, std::size_t most_terms,
                                 double (*term)(std::size_t which, double bytes)) {
  const std::size_t terms = std::min(most_terms, residues.size());
  std::vector<double> found(most_terms);
  if (terms == 0) return found;
  std::vector<LinearEquation> equations;
  for (const Residue& r : residues) {
    equations.push_back({{}, r.seconds / r.measured});
    for (std::size_t j = 0; j < terms; ++j) equations.back().factors.push_back(term(j, r.bytes) / r.measured);
  }
  std::ranges::copy(least_squares(equations).unknowns, found.begin());
  return found;
}

}  // namespace

ManyToOne fit_many_to_one(const Lmo& lmo, Rank root, const Repetitions& gathers,
                          const std::optional<Escalations>& escalations) {
  Lmo with = lmo;
  const auto fit_at = [&](double m1, double m2) {
    std::vector<Residue> small, large;
    for (const auto& [size, seconds] : gathers) {
      const auto bytes = static_cast<double>(size);
      const double measured = median(seconds);
      if (measured <= 0) continue;
      if (bytes <= m1) small.push_back({bytes, measured - lmo.side_by_side(root, bytes), measured});
      if (bytes > m2) large.push_back({bytes, measured - lmo.in_turn(root, bytes), measured});
    }
    const auto kappa_1 = fit_residues(small, 1, [](std::size_t, double bytes) { return bytes; });
    const auto others =
        fit_residues(large, 2, [](std::size_t which, double bytes) { return which == 0 ? 1 : bytes; });
    with.gather = ManyToOne{m2, kappa_1[0], others[0], others[1]};
    for (const auto& residues : {small, large})
      for (const Residue& r : residues)
        with.gather->mean_deviation += std::abs(with.many_to_one(root, r.bytes) / r.measured - 1) /
                                       static_cast<double>(small.size() + large.size());
    return *with.gather;
  };
  if (escalations) return fit_at(static_cast<double>(escalations->m1), static_cast<double>(escalations->m2));
  ManyToOne best = fit_at(0, 0);
  for (const auto& [size, seconds] : gathers) {
    const auto border = static_cast<double>(size);
    if (const ManyToOne other = fit_at(border, border); other.mean_deviation < best.mean_deviation)
      best = other;
  }
  return best;
}

}  // namespace tutti::inline core
