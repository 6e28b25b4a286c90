#pragma once

#include <cstddef>

// How far tuning goes: the constants of this room.

namespace tutti::inline choose::offline {

/// Points in a row that may fail before tuning ends. It was chosen by hand.
inline constexpr int most_failures = 3;

/// Share of the budget that is kept for sizes between those asked for. It was chosen by hand.
inline constexpr double refinement_share = 0.3;

/// Share of the budget that is kept for a second look at what times do not explain. It was chosen
/// by hand.
inline constexpr double second_look_share = 0.1;

/// Sizes that differ by a smaller factor have none between them tuned. It was chosen by hand.
inline constexpr double least_refined_ratio = 1.5;

/// Seconds that a point between two others gets at least. It was chosen by hand.
inline constexpr double least_share_s = 0.5;

/// Plans to measure by their prices in a simulation, of which prices say most.
/// `bench/guided-tuning` shows what that misses: 1 % at most.
inline constexpr std::size_t few_measured = 4;

/// Plans to measure by their prices elsewhere. It was chosen by hand.
inline constexpr std::size_t many_measured = 16;

/// Plans besides native that are measured to the end. It was chosen by hand.
inline constexpr std::size_t finalists = 2;

/// Screened ratio to the best above which a candidate is dropped. It was chosen by hand.
inline constexpr double promising = 1.1;

/// Share of a point's time that screening may take. It was chosen by hand.
inline constexpr double screening_share = 0.4;

/// Most repetitions of a plan in screening. It was chosen by hand.
inline constexpr int screening_repetitions = 50;

/// Most repetitions of a plan in the end. It was chosen by hand.
inline constexpr int final_repetitions = 2000;

/// Seconds of a stage at most: more changes little. It was chosen by hand.
inline constexpr double longest_stage_s = 3;

/// Share of a point's time that choosing candidates may take. It was chosen by hand.
inline constexpr double choosing_share = 0.2;

/// Operations of schedules that are priced in a second, roughly. It was chosen by hand.
inline constexpr double operations_a_second = 400'000;

/// Operations that candidates of a point may have at least, however short its time is. It was
/// chosen by hand.
inline constexpr std::size_t least_operations = 200'000;

/// Repetitions of a plan at least before anything is concluded from them, where times scatter.
/// Order statistics set it: of five not even the whole range holds the median with 95 % confidence,
/// of six it does.
inline constexpr int least_to_conclude = 6;

/// Shares of a point's time after which what does not answer is given up. It was chosen by hand.
inline constexpr double patience = 4;

/// Seconds that are waited for an answer at least. It was chosen by hand.
inline constexpr double least_patience_s = 10;

/// Seconds in which what has begun late may still answer. It was chosen by hand.
inline constexpr double least_limit_s = 1;

/// Runs that a plan has at least: the first one, and two to compare. It was chosen by hand.
inline constexpr double least_runs = 3;

/// Share of native's time below which another way shows that a guideline is violated. It was chosen
/// by hand.
inline constexpr double worth_reporting = 0.95;

/// Bytes of a message of the measuring program at most: a longer one is a mistake. It was chosen by
/// hand.
inline constexpr std::size_t longest_message = std::size_t{1} << 31;

/// Seconds that a rank comes late at most in what is measured: a longer time is a mistake. It was
/// chosen by hand.
inline constexpr double latest_arrival_s = 60;

}  // namespace tutti::inline choose::offline
