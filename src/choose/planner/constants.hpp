#pragma once

#include <cstddef>

#include "core/network/network.hpp"

// What bounds and tunes the choice of plans: the constants of this room.

namespace tutti::inline choose::planner {

/// Operations that all candidates for tuning a point may have on many ranks; a million takes two or
/// three seconds to price. `bench/run many-ranks` set it: 33 points on 512 ranks in 903 s.
inline constexpr std::size_t tuned_operations = 5'000'000;

/// Operations of one candidate for tuning; what has more is left out. `bench/run many-ranks` set
/// it.
inline constexpr std::size_t tuned_operations_of_a_plan = 1'000'000;

/// Plans of one price that are measured in tuning: they are alike but for what the model does not
/// see, such as who the largest messages are between. It was chosen by hand.
inline constexpr std::size_t most_alike = 3;

/// Share of a price by which two may differ that are one. It was chosen by hand.
inline constexpr double same_price = 1e-9;

/// Ranks up to which all candidates for tuning are priced, whatever that takes. It was chosen by
/// hand.
inline constexpr int always_priced_ranks = 256;

/// Ranks up to which schedules are computed for the network: a thousand take ten seconds for one
/// point. `bench/run many-ranks` set it.
inline constexpr int most_computed_ranks = 1024;

/// Candidates in a program besides native, of which each costs it some calls. It was chosen by
/// hand.
inline constexpr std::size_t most_candidates = 6;

/// Ranks up to which a program's candidates are priced event by event, in some milliseconds;
/// beyond, costs are closed forms. `bench/run learning` set it.
inline constexpr int most_priced_ranks = 16;

/// Ranks up to which a program's few best candidates are priced event by event where levels of
/// groups are known. What that takes set it: 10 to 50 ms on 256 ranks and 60 to 90 on 1,024, where
/// all else that chooses candidates takes 70 to 260, but 200 to 280 on 2,048.
inline constexpr int most_ranks_on_levels = 1024;

/// Operations that all these prices may have together, and one of them, on few ranks: as many as
/// take less than all else that chooses candidates. They were chosen by hand.
/// @{
inline constexpr std::size_t operations_on_levels = 10'000;
inline constexpr std::size_t operations_of_a_plan_on_levels = 4'000;
/// @}

/// These bounds hold for each rank of many: with fewer operations, what was priced on 256 ranks was
/// dearer than what was not. They were chosen by hand. What they take stands above.
/// @{
inline constexpr std::size_t operations_a_rank_on_levels = 160;
inline constexpr std::size_t operations_a_rank_of_a_plan_on_levels = 64;
/// @}

/// Operations of these plans whose symmetry is not looked for. It was chosen by hand.
inline constexpr std::size_t as_they_are_on_levels = 1'000;

/// Ranks beyond which plans without a closed form are not looked at: parts are many, and long. It
/// was chosen by hand.
inline constexpr int most_walked_ranks = 512;

/// Ranks of which the busiest stands for all where nothing is priced. It was chosen by hand.
inline constexpr int sampled_ranks = 8;

/// Compositions among the cheapest plans: with the same algorithms in their phases they hardly
/// differ. It was chosen by hand.
inline constexpr std::size_t most_compositions = 2;

/// Times the cheapest variant of an algorithm: up to there the one with the fewest messages is
/// taken. It was chosen by hand.
inline constexpr double as_good = 1.1;

/// Times the cheapest plan: what is dearer is not worth connections and a first call.
/// `bench/run learning-programs` set it.
inline constexpr double too_dear = 3;

/// The share that others may cost of the cheapest plan that needs few connections.
/// `bench/run beside` set it.
inline constexpr double worth_connections = 0.75;

/// The link between ranks of whose network nothing is known: seconds, and seconds a byte. It was
/// chosen by hand.
inline constexpr Hockney unknown_link{1e-5, 1e-9};

/// Bytes of a block in a call whose size ranks do not know. It was chosen by hand.
inline constexpr std::size_t unsized = 1024;

/// Operations that the plans for one size between tuned points may have together: a communicator's
/// first call waits for these prices, a few milliseconds. It was chosen by hand.
inline constexpr std::size_t operations_between = 30'000;

/// Operations of one such plan. It was chosen by hand.
inline constexpr std::size_t operations_of_a_plan_between = 10'000;

/// Ratio of sizes that may have different plans between tuned points. It was chosen by hand.
inline constexpr double stretch = 1.25;

/// The first of such sizes, in bytes. It was chosen by hand.
inline constexpr std::size_t shortest_stretch = 64;

/// Share by which estimates may be wrong at least. It was chosen by hand.
inline constexpr double least_margin = 0.02;

/// Plans of a class of which evidence is enough to try few others. It was chosen by hand.
inline constexpr std::size_t well_known = 4;

/// Plans a run that nobody has tried, where those known gain little. `bench/run learning-programs`
/// set it.
inline constexpr std::size_t novelties = 2;

/// Plans that are tried beside one that is known to gain, and of classes nearby. It was chosen by
/// hand.
inline constexpr std::size_t rivals = 2;

/// The MPI library's own algorithms that are tried in a run: native is one of them by itself. It
/// was chosen by hand.
inline constexpr std::size_t most_of_library = 2;

/// Doublings of ranks, hosts and sizes between a class and the farthest one whose evidence counts.
/// It was chosen by hand.
inline constexpr double farthest = 4;

}  // namespace tutti::inline choose::planner
