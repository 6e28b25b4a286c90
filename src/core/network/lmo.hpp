#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/network/escalation.hpp"

#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// What a linear gather takes beyond the messages' own costs where nothing escalates.
struct ManyToOne {
  double m2 = 0;              ///< bytes: up to it the root receives side by side, beyond it in turn
  double small_per_byte = 0;  ///< κ_1, seconds a byte, up to M2
  double large = 0, large_per_byte = 0;  ///< κ_2 and κ_3, seconds and seconds a byte, beyond
  double mean_deviation = 0;             ///< from what it was fitted to: relative
  friend bool operator==(const ManyToOne&, const ManyToOne&) = default;
};

/// The model of Lastovetsky, Mkwawa and O'Flynn: what a message costs its two processors apart from
/// what it costs the network between them. A message of n bytes from i to j takes C_i + t_i·n + n /
/// β_ij + C_j + t_j·n. Source: Lastovetsky, O'Flynn, Rychkov, A Performance Model of MPI Collective
/// Communications, 2007.
struct Lmo {
  std::vector<double> fixed;             ///< C_i, seconds a message
  std::vector<double> variable;          ///< t_i, seconds a byte
  std::vector<double> inverse_rate;      ///< 1 / β_ij by i · ranks + j, seconds a byte
  std::optional<ManyToOne> gather = {};  ///< where it was measured

  int ranks() const { return static_cast<int>(fixed.size()); }
  /// Seconds of one message.
  double message(Rank from, Rank to, double bytes) const;
  /// Seconds in which the root sends `bytes` to each other rank: side by side up to the threshold
  /// S, one after the other beyond.
  double one_to_many(Rank root, double bytes, double threshold) const;
  /// Seconds in which the root receives `bytes` from each other rank where nothing escalates: up to
  /// M2 side by side, beyond it one after the other; with what `gather` says, or all in turn.
  double many_to_one(Rank root, double bytes) const;
  friend bool operator==(const Lmo&, const Lmo&) = default;

 private:
  friend ManyToOne fit_many_to_one(const Lmo&, Rank, const Repetitions&, const std::optional<Escalations>&);
  double side_by_side(Rank root, double bytes) const;
  double in_turn(Rank root, double bytes) const;
  double other_end(Rank root, Rank rank, double bytes) const;
};

/// What an LMO model is made from, in seconds. `bytes` is the size of the experiments that have
/// one.
struct LmoExperiments {
  double bytes;
  std::function<double(Rank, Rank)> empty_round_trip;
  std::function<double(Rank, Rank)> round_trip;  ///< bytes both ways
  std::function<double(Rank, Rank)> there;       ///< bytes there and nothing back
  struct OneToTwo {
    Rank root, first, second;
    double seconds;  ///< bytes to both, nothing back from both
  };
  std::vector<OneToTwo> one_to_two;  ///< of every rank as root at least once
};

/// The parameters that explain the experiments: of each triple exactly, averaged where a rank is in
/// several. A triple's round trips give the fixed delays; that the root of a one-to-two sends twice
/// gives its variable delay; what is left of a round trip is the network's. On at least three
/// ranks.
Lmo lmo_from(int ranks, const LmoExperiments& experiments);

/// κ_1, κ_2 and κ_3 from linear gathers to the root: of medians, least squares of the relative
/// deviations. Where runs escalate, from the sizes up to M1 and beyond M2; where none do, the
/// border between the two lies where it fits best. With sizes on one side only the other side's are
/// 0.
ManyToOne fit_many_to_one(const Lmo& lmo, Rank root, const Repetitions& gathers,
                          const std::optional<Escalations>& escalations);

}  // namespace tutti::inline core
