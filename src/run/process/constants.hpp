#pragma once

#include <cstddef>

// What is recorded and said of a process: the constants of this room.

namespace tutti::run::process {

/// Functions of MPI that are counted, more than there are. It was chosen by hand.
inline constexpr std::size_t most_functions = 512;

/// Phases that a program may name: what is recorded is bounded, whatever it does. It was chosen by
/// hand.
inline constexpr std::size_t most_phases = 4096;

/// Characters of a phase's name that a program tells by MPI_Pcontrol. It was chosen by hand.
inline constexpr std::size_t longest_told_name = 64;

/// The least level by which MPI_Pcontrol begins a phase that has a number for its name. Intel's
/// Application Performance Snapshot sets it: below are levels with a meaning of their own.
inline constexpr int first_numbered_phase = 5;

/// Kinds of calls of an operation that a communicator's profile tells apart. It was chosen by hand.
inline constexpr std::size_t most_kinds_of_operation = 256;

/// Kinds of calls in a rank's profile up to which communicators have their names in it. It was
/// chosen by hand.
inline constexpr std::size_t most_kinds_named = 10'000;

/// Kinds of calls in a rank's profile up to which sampled calls are in it. It was chosen by hand.
inline constexpr std::size_t most_kinds_sampled = 1'000;

/// The tag of messages on a communicator of all ranks that bring profiles to rank 0, when the
/// program ends or frees it. It was chosen by hand.
inline constexpr int profile_tag = 0x7075;

/// Lines of class tuners in the statistics. It was chosen by hand.
inline constexpr std::size_t most_lines_of_tuners = 60;

/// Ranks without Tutti that a line names. It was chosen by hand.
inline constexpr std::size_t most_absent_named = 8;

/// Calls of an operation that a communicator knows again, a power of two. It was chosen by hand.
/// `bench/overhead` measures what a call costs.
inline constexpr std::size_t known_calls = 4;

}  // namespace tutti::run::process
