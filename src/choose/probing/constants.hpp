#pragma once

#include <cstddef>

// What is measured of a network: the constants of this room.

namespace tutti::inline choose::probing {

/// Bytes of the messages that tell latencies. It was chosen by hand.
inline constexpr std::size_t short_bytes = 1;

/// Bytes of the messages that tell bandwidths. It was chosen by hand.
inline constexpr std::size_t long_bytes = 1 << 16;

/// Share of the budget that pairs of ranks may take; curves have the rest. It was chosen by hand.
inline constexpr double pairs_share = 0.6;

/// Short messages that a pair exchanges at least: they cost little, and scatter. It was chosen by
/// hand.
inline constexpr int least_of_short = 5;

/// Classes of links that get a curve; those beyond get a straight line. It was chosen by hand.
inline constexpr std::size_t most_curves = 8;

/// By how much links of one class may differ.
struct Likeness {
  double latency, rate;  ///< factors
};

/// Links of one class in a simulation, whose times repeat exactly. `bench/run pricer` set it: where
/// links of up to one and a half times the latency were one, short messages on a dragonfly and a
/// torus were a seventh off.
inline constexpr Likeness simulated_likeness{1.1, 1.1};

/// Links of one class elsewhere: what a real network's times scatter by is no difference. It was
/// chosen by hand.
inline constexpr Likeness real_likeness{2.5, 1.2};

/// Messages of all experiments of a size, about. It was chosen by hand.
inline constexpr double messages_a_sample = 40;

/// Most messages of an experiment. It was chosen by hand.
inline constexpr int most_repetitions = 25;

/// Fewest messages of an experiment, of which a median tells something. It was chosen by hand.
inline constexpr int least_repetitions = 3;

/// Sizes of a curve that share the time out. It was chosen by hand.
inline constexpr int usual_sizes = 24;

/// Share of the time that sizes may take; the rest is for other quantities at them. It was chosen
/// by hand.
inline constexpr double share_of_times = 0.6;

/// Relative error of a curve in the median at which it is good. It was chosen by hand.
inline constexpr double good_median = 0.01;

/// The worst relative error of a good curve. It was chosen by hand.
inline constexpr double good_worst = 0.05;

/// How far a network's times repeat.
struct Exactness {
  double straight;         ///< relative error that a line may have
  std::size_t narrow;      ///< bytes: no step is followed further
  double least_step;       ///< relative: a smaller one between near sizes is none
  std::size_t most_sizes;  ///< of a curve
  int drawn;               ///< sizes of a check
};

/// Simulated times repeat exactly. It was chosen by hand.
inline constexpr Exactness of_simulations{0.002, 1, 0.002, 400, 16};

/// Real times scatter, and cost time. It was chosen by hand.
inline constexpr Exactness of_real_networks{0.03, 8, 0.15, 64, 8};

/// Repetitions of linear gathers and scatters that tell how often they escalate. It was chosen by
/// hand.
inline constexpr int enough_repetitions = 60;

/// Seconds that a message over a trunk takes by itself, about, by which its length is chosen. It
/// was chosen by hand.
inline constexpr double trunk_message_s = 0.3;

/// Bytes of the shortest message over a trunk. It was chosen by hand.
inline constexpr double least_trunk_bytes = 1 << 14;

/// Bytes of the longest message over a trunk. It was chosen by hand.
inline constexpr double most_trunk_bytes = 1 << 20;

/// Share of the rate of pairs side by side above which they share nothing. It was chosen by hand.
inline constexpr double full_growth = 0.9;

/// Classes of links of which a pair is measured by itself. It was chosen by hand.
inline constexpr std::size_t most_alone = 64;

/// Ranks at either end of a way between groups, or of a trunk between sites, or at a host's port,
/// that send at once, at most. It was chosen by hand: their pairs are its square, and each has room
/// for as many messages.
inline constexpr std::size_t most_on_a_way = 32;

/// Looks at what a host's port carries where times scatter; the least counts. It was chosen by
/// hand.
inline constexpr int looks_at_a_port = 2;

/// Sites up to which the trunks between any two are measured, for each is tens of experiments that
/// no budget bounds. It was chosen by hand: networks that fall into more are racks of one machine,
/// whose ways are those of groups.
inline constexpr std::size_t most_sites_with_trunks = 16;

/// Share of the budget that short messages between hosts may take beyond it, where not all pairs of
/// ranks were measured. It was chosen by hand.
inline constexpr double latencies_share = 0.1;

/// Bytes of the messages that meet on links of a torus. It was chosen by hand: latencies hardly
/// count.
inline constexpr std::size_t bytes_on_a_torus = 1 << 20;

/// Rounds of pairs that are drawn, of which those are measured in which most messages meet. It was
/// chosen by hand.
inline constexpr int drawn_rounds_on_a_torus = 64;

/// Rounds of pairs that are measured on a torus. It was chosen by hand: all that nobody knows of it
/// are the order of its dimensions and a bit for each.
inline constexpr std::size_t rounds_on_a_torus = 4;

/// Tori of the same latencies that are held against what was measured. It was chosen by hand: there
/// are 18 where two sides are of 4 and a third one is not.
inline constexpr std::size_t most_alike_tori = 600;

/// By how much messages are slower that meet others on a link, at least. It was chosen by hand: two
/// that share a link take twice as long, but for what they do not do at the same time.
inline constexpr double slowed_on_a_torus = 1.25;

/// Share of the pairs that are slowed against what a torus says, or are not, at most. SimGrid's
/// torus of 96 hosts set it, with a tenth: there some messages take the other way round.
inline constexpr double most_wrong_on_a_torus = 0.2;

/// Share of the pairs that have to meet others, and of those that have not, at least: else they
/// tell nothing. It was chosen by hand.
inline constexpr double least_of_a_kind = 0.15;

/// Hosts among which groups are looked for, at least. It was chosen by hand: two groups of two.
inline constexpr int fewest_hosts_of_groups = 4;

/// Rounds of short messages between pairs of hosts, at most. It was chosen by hand.
inline constexpr std::size_t most_rounds_of_latencies = 127;

/// Rounds of short messages in which any hosts meet, where not all pairs can: in the others hosts
/// meet that are near each other. It was chosen by hand.
inline constexpr std::size_t rounds_of_any_hosts = 48;

/// Rounds after which it is looked anew which hosts are near each other. It was chosen by hand.
inline constexpr std::size_t rounds_between_looks = 16;

}  // namespace tutti::inline choose::probing
