#pragma once

#include <cstddef>
#include <limits>

/// What bounds and tunes the choice of plans: each number with its unit and where it comes from.
namespace tutti::inline choose::limits {

// Candidates for tuning.

/// Operations that all candidates of a point may have on many ranks; a million takes two or three seconds to
/// price. bench/many-ranks: 33 points on 512 ranks in 903 s (bench/README.md).
inline constexpr std::size_t tuned_operations = 5'000'000;
/// Operations of one such plan: what has more is left out. Set with the bound above by bench/many-ranks.
inline constexpr std::size_t tuned_operations_of_a_plan = 1'000'000;
/// Ranks up to which all candidates are priced, whatever that takes. Chosen by hand.
inline constexpr int always_priced_ranks = 256;
/// Ranks up to which schedules are computed for the network: a thousand take ten seconds for one point
/// (bench/many-ranks).
inline constexpr int most_computed_ranks = 1024;

// The cheapest plans for a program.

/// Number of candidates besides native, of which each costs a program some calls. Chosen by hand.
inline constexpr std::size_t most_candidates = 6;
/// Ranks up to which plans are priced event by event, in some milliseconds; beyond, costs are closed forms.
/// bench/learning, after which sixteen hosts are priced (bench/README.md).
inline constexpr int most_priced_ranks = 16;
/// Ranks beyond which plans without a closed form are not looked at: parts are many, and long. Chosen by
/// hand.
inline constexpr int most_walked_ranks = 512;
/// Number of compositions among the cheapest plans: with the same algorithms in their phases they hardly
/// differ. Chosen by hand.
inline constexpr std::size_t most_compositions = 2;
/// Times the cheapest variant of an algorithm: up to there the one with the fewest messages is taken. Chosen
/// by hand.
inline constexpr double as_good = 1.1;
/// Times the cheapest: what is dearer is not worth connections and a first call (bench/learning-programs).
inline constexpr double too_dear = 3;
/// Of the cost of the cheapest plan that needs few connections: others have to cost less (bench/beside).
inline constexpr double worth_connections = 0.75;
/// Bytes of a call whose size ranks do not know. Chosen by hand.
inline constexpr std::size_t unsized = 1024;

// Between tuned points.

/// Operations that the plans for one size may have together, and one of them: a communicator's first call
/// waits for these prices, a few milliseconds. Chosen by hand.
inline constexpr std::size_t operations_between = 30'000, operations_of_a_plan_between = 10'000;
/// Ratio of sizes that may have different plans, and the first of such sizes, bytes. Chosen by hand.
inline constexpr double stretch = 1.25;
inline constexpr std::size_t shortest_stretch = 64;

// What programs have found out.

/// Plans of a class of which evidence is enough to try few others. Chosen by hand.
inline constexpr std::size_t well_known = 4;
/// Plans a run that nobody has tried, where those known gain little (bench/learning-programs).
inline constexpr std::size_t novelties = 2;
/// Plans that are tried beside one that is known to gain, and of classes nearby. Chosen by hand.
inline constexpr std::size_t rivals = 2;
/// Doublings of ranks, hosts and sizes between a class and the farthest one whose evidence counts. Chosen by
/// hand.
inline constexpr double farthest = 4;

inline constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

}  // namespace tutti::inline choose::limits
