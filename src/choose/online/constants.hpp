#pragma once

#include <cstddef>
#include <cstdint>

// How a class of calls is learnt, beside what `LearningRules` says: the constants of this room.

namespace tutti::inline choose::online {

/// Arms that race at a time; others wait until some are gone. It was chosen by hand.
inline constexpr std::size_t field = 3;

/// Cycles of a round; twice and four times as many follow after some rounds. It was chosen by hand.
inline constexpr int cycles_a_round = 6;

/// Times that the cycles of a round are doubled, at most. It was chosen by hand.
inline constexpr int most_doublings = 2;

/// Batches of a list that are measured, at most. The longest round sets it, which is longer than
/// any other experiment, with the incumbent's batch that earns it.
inline constexpr std::size_t most_measured =
    1 + field * static_cast<std::size_t>(cycles_a_round << most_doublings);

/// Cycles of a round at least. It was chosen by hand.
inline constexpr int fewest_cycles = 4;

/// Cycles of which an arm's batches follow one another where ranks run ahead. It was chosen by
/// hand.
inline constexpr int cycles_in_a_row = fewest_cycles;

/// Cycles after which a race ends, whatever is known. It was chosen by hand.
inline constexpr int longest_race = 160;

/// Calls of a long batch; twice as many are the longest one. PABM in `bench/learning` set it: what
/// a ring gains shows in batches of 16 and 32 calls only.
inline constexpr int long_batch = 16;

/// Calls that an arm serves in batches of four at first: what gains by then races on. It was chosen
/// by hand.
inline constexpr double first_look = 28;

/// Calls of a batch whose length follows from what an agreement takes, at most. It was chosen by
/// hand.
inline constexpr int longest_cheap_batch = 64;

/// Seconds of a batch at most, unless it is one call. It was chosen by hand.
inline constexpr double longest_batch_s = 0.5;

/// Calls before which no wait for an experiment is cut short. It was chosen by hand.
inline constexpr double shortest_wait = 100;

/// Calls after which ranks look again whether an experiment is paid for. It was chosen by hand.
inline constexpr double longest_wait = 10'000;

/// Share of a call by which an agreement disturbs what goes on beside it, at least: Quantum
/// ESPRESSO in `bench/learning` loses more than ranks wait. The share was chosen by hand.
inline constexpr double disturbing = 0.25;

/// What an arm may serve in a round, times what it has served: what is known may be wrong. It was
/// chosen by hand.
inline constexpr double growth = 4;

/// Contrast that is no reason to let an arm go after short batches. PABM in `bench/learning` set
/// it: call by call plans differed by no more.
inline constexpr double nearly_equal = 0.03;

/// Cycles of a check that looks into another. It was chosen by hand.
inline constexpr int doubting_cycles = 4;

/// What was known counts for this share of it after each check. It was chosen by hand.
/// `bench/learning-change` measures how soon a change is found.
inline constexpr double fading = 0.95;

/// Seconds in which ranks agree while calls go on. It was chosen by hand.
inline constexpr double overlapped_s = 200e-6;

/// Calls that go on while ranks agree, at least. It was chosen by hand.
inline constexpr double fewest_overlapped = 2;

/// Calls that go on while ranks agree, at most. It was chosen by hand.
inline constexpr double most_overlapped = 32;

/// Calls of a batch that never ends. It was chosen by hand.
inline constexpr int endless = 1'000'000'000;

/// Cycles that what others have seen counts for at most. It was chosen by hand.
inline constexpr double most_assumed = 12;

/// Times of an arm's last batches that tell whether they have two modes. It was chosen by hand.
inline constexpr std::size_t most_recent = 64;

/// Share of a call's time that another arm's may take longer. It was chosen by hand.
inline constexpr double first_guess = 0.2;

/// Times its price that a call may take. It was chosen by hand.
inline constexpr double mispriced = 3;

/// What costs are multiplied by where they are estimates. It was chosen by hand.
inline constexpr double caution = 1.6;

/// Seconds that finding out what to try is expected to take before it was done. It was chosen by
/// hand.
inline constexpr double expected_choosing_s = 0.005;

/// A class that programs use less often is not worth a word. It was chosen by hand.
inline constexpr int least_calls = 2;

/// Calls of a class that are timed first. It was chosen by hand.
inline constexpr int timed_first = 4;

/// One of so many calls is timed after those. It was chosen by hand.
inline constexpr int timed_every = 8;

/// Calls of which every other one begins with a word where they are large. Quantum ESPRESSO in
/// `bench/learning` set it: it makes three such calls.
inline constexpr int early_looks = 4;

/// Bytes of calls that take longer than a word between hosts, on any network. The broadcasts of 720
/// KB of Quantum ESPRESSO in `bench/learning` are among them.
inline constexpr std::size_t large_bytes = 512 * 1024;

/// Calls after which ranks ask each other again, at most. It was chosen by hand.
inline constexpr int most_to_wait = 100'000;

/// One of so many calls that passed has to pass again, at least, so that ranks ask seldom. It was
/// chosen by hand.
inline constexpr int part_to_wait = 8;

/// Times the calls that passed may pass again, at most: programs begin with what is over soon. It
/// was chosen by hand.
inline constexpr int times_to_wait = 2;

/// Calls of which each rank knows its own size only, after which ranks tell each other sizes for
/// the first time. It was chosen by hand.
inline constexpr std::int64_t first_sizes = 2;

/// Calls whose sizes ranks tell each other at a time, at most: half of them are the longest period
/// that is found. It was chosen by hand.
inline constexpr std::int64_t told_sizes = 64;

/// Calls that go on while sizes are told. It was chosen by hand.
inline constexpr std::int64_t calls_while_sizes_are_told = 2;

/// Calls after which ranks tell each other sizes again, at most. It was chosen by hand.
inline constexpr std::int64_t longest_untold = 256;

/// Share of what calls move that repeats itself where they have a pattern. It was chosen by hand.
inline constexpr double repeated_share = 0.875;

/// Calls that have to be like earlier ones before these are a period of several. It was chosen by
/// hand.
inline constexpr std::size_t repeated_calls = 8;

/// Bytes of a block that weigh as much as a call of empty ones. It was chosen by hand.
inline constexpr double weight_of_a_call = 1024;

}  // namespace tutti::inline choose::online
