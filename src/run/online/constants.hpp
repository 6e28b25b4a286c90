#pragma once

#include <array>

#include "run/calls/communicator.hpp"

// What learning in a program is bound by: the constants of this room.

namespace tutti::run::online {

/// Bytes of the quick probe's messages. Simulated seed 6611 of `bench/learning` set the longest:
/// what ended at 8 KB priced longer messages too cheap.
inline constexpr std::array<int, 6> probed_sizes{1, 256, 2048, 8192, 32768, 131072};

/// Messages of a size in the quick probe at most. It was chosen by hand.
inline constexpr int most_repetitions = 8;

/// Messages in a row, which tell for how long one keeps its ports busy, at least. It was chosen by
/// hand.
inline constexpr int fewest_in_a_row = 4;

/// Messages in a row at most. It was chosen by hand.
inline constexpr int most_in_a_row = 16;

/// Bytes of a row that is long enough. The links of `testbed/emulated` set it, which let 16 KB pass
/// at once.
inline constexpr int bytes_in_a_row = 32768;

/// Rows of messages of a size at most. It was chosen by hand.
inline constexpr int most_rows = 2;

/// Bytes of a message in a row at most. It was chosen by hand.
inline constexpr int longest_in_row = 8192;

/// Seconds that a message takes at least, whatever clocks say. It was chosen by hand.
inline constexpr double shortest_s = 1e-9;

/// Seconds that a quick probe takes at most, unless the shortest message alone takes longer. It was
/// chosen by hand.
inline constexpr double longest_quick_probe_s = 0.020;

/// Latencies between neighbouring hosts that a round of a look for groups of hosts is expected to
/// take: twelve messages one after the other, and two collectives, between hosts that are farther.
/// It was chosen by hand.
inline constexpr double latencies_of_a_round = 60;

/// Hosts that are looked at for groups at most. What rank 0 computes of them while all others wait
/// set it: 0.07 s for 256 hosts, 0.2 s for 512, 0.75 s for 1,024, but 3.3 s and 100 MB for 2,048.
inline constexpr int most_hosts_of_groups = 1024;

/// Seconds of that for each pair of hosts: 68 ms for 256 hosts set it.
inline constexpr double look_s_a_pair = 2e-6;

/// Seconds until all ranks have met on a communicator of ours, as long as none did. SimGrid's first
/// collective there has all ranks meet all, which took 12 ms in `bench/applications`; elsewhere it
/// was chosen by hand.
inline constexpr double expected_meeting_s = simulated ? 0.012 : 0.003;

/// Seconds that Open MPI takes to tell which algorithms it has, when it is first asked; version
/// 4.1.4 took 20 ms of a processor. It was chosen by hand.
inline constexpr double expected_look_s = 0.025;

/// Seconds that a program's end is expected to last longer for adding to the knowledge, which waits
/// for a file system; simulated time does not pass meanwhile. It was chosen by hand.
inline constexpr double expected_write_s = simulated ? 1e-9 : 0.010;

/// Calls that pass before plans are tried where nothing has to be waited for. It was chosen by
/// hand.
inline constexpr int least_before = 2;

/// Calls that go on while ranks tell each other something in calls that return at once. It was
/// chosen by hand.
inline constexpr int calls_of_an_agreement = 8;

/// Calls that return at once on communicators that are not prepared for plans, after which these
/// are looked at again. Of an operation with more of them the knowledge is told, so that later
/// programs prepare theirs. It was chosen by hand.
inline constexpr int calls_unprepared = 16;

/// Times in a row that something can't be agreed on yet, each of which lasts twice as many calls,
/// after which nothing is learnt of such calls. It was chosen by hand.
inline constexpr int most_postponed = 10;

/// Seconds that a call of a persistent request takes natively at least, if it is to be learnt of: a
/// request of ours in place of the MPI library's costs some microseconds a call, and may cost 1 %.
/// It was chosen by hand.
inline constexpr double least_of_request_s = 200e-6;

/// Bytes in which rank 0 names candidates: one broadcast. It was chosen by hand.
inline constexpr int told_bytes = 2048;

/// Seconds after which a class tuner tells what it has found out, while the program runs. It was
/// chosen by hand.
inline constexpr double tell_every_s = 60;

/// Seconds after which a process writes to the machine's knowledge, while the program runs. It was
/// chosen by hand.
inline constexpr double write_every_s = 120;

}  // namespace tutti::run::online
