#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

// What evidence is judged by: the constants of this room.

namespace tutti::inline choose::evidence {

/// Share of native's time above which a plan is not worth a change, where times are measured. It
/// was chosen by hand.
inline constexpr double worth_a_change = 0.98;

/// Samples up to which bounds of a median follow from the binomial distribution. Numbers of 64 bits
/// set it: half to the power of 1075 is none.
inline constexpr std::size_t most_binomial = 1000;

/// How far the bounds of a median lie from the middle of more samples, in roots of their number.
/// The normal distribution sets it: 1.96 deviations of 95 %, half a root each.
inline constexpr double deviations_of_the_bound = 0.98;

/// The variance of the mixed effects by which an interval holds at all times, in units of the
/// spread of one value: larger decides earlier where effects are large, smaller where they are not.
/// It was chosen by hand.
inline constexpr double mixed_effects = 2;

/// Fewer values than that may look alike by chance, whatever their distribution is. It was chosen
/// by hand.
inline constexpr double fewest_values = 4;

/// A mode has at least so many values. It was chosen by hand.
inline constexpr std::size_t fewest_of_a_mode = 5;

/// A mode has at least this share of the values. It was chosen by hand.
inline constexpr double least_share_of_a_mode = 0.1;

/// Two modes lie at least so far apart, in units of what they scatter by. It was chosen by hand.
inline constexpr double modes_apart = 4;

/// Two modes differ by this factor at least: less hardly misleads. It was chosen by hand.
inline constexpr double modes_factor = 2;

/// What fewer bytes may take over what more take, so that times still explain each other. It was
/// chosen by hand.
inline constexpr double explained_factor = 2;

/// Days in which what is known comes to count for half. It was chosen by hand.
inline constexpr double half_life_days = 60;

/// A comparison of which fewer values are left is forgotten, so that files do not grow. It was
/// chosen by hand.
inline constexpr double forgotten_below = 0.5;

/// Days since a plan's last call after which its evidence goes, if all of it has faded; so does the
/// mere number of calls. It was chosen by hand: four half-lives.
inline constexpr double forgotten_after_days = 240;

/// Days in which groups of hosts that were found hold; then they are looked for again, for machines
/// are rebuilt. It was chosen by hand.
inline constexpr double groups_hold_for_days = 60;

/// Sets of hosts of which groups are kept. It was chosen by hand.
inline constexpr std::size_t most_found_groups = 8;

/// The day, 2024-01-01, before which nothing was learnt: a clock that says so is wrong. It was
/// chosen by hand.
inline constexpr std::int64_t first_day = 19'723;

/// Plans whose contrasts with native differ by less are near each other: programs differ by as
/// much. It was chosen by hand.
inline constexpr double near_best = 0.06;

/// How long a program waits at its end for the lock of a file. It was chosen by hand.
inline constexpr std::chrono::seconds lock_patience{3};

/// How long it waits between two tries to get that lock. It was chosen by hand.
inline constexpr std::chrono::milliseconds between_tries{5};

/// Share of the repetitions of a run that PICO's summaries leave out as warming up. PICO sets it:
/// warmup_ratio in its summarize_data.py.
inline constexpr double pico_warm_up = 0.2;

/// Names in one of Slurm's lists of hosts, at most: what is longer is a mistake. It was chosen by
/// hand.
inline constexpr std::size_t most_names = 1 << 20;

}  // namespace tutti::inline choose::evidence
