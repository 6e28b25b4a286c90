#pragma once

#include <cstddef>

namespace tutti::run {

/// What a program says by MPI_Pcontrol, in the words of the profilers that it was written for:
///
///     level       0: calls are left out of the profile from now on; 1: they are in it again
///     1, name     a phase of that name begins, unless it is under way (IPM, Intel MPI)
///     −1, name    it ends, and those within it; without a name the innermost one ends
///     5 and more  a phase with the number as its name begins, and −5 and less ends it (Intel's APS)
///
/// All other levels change nothing. Whether there is a name nobody can know: `name` is the word
/// that a second argument would have come in, and may be anything. It counts as one if it points to
/// readable memory where a short text of printable characters ends, by a zero or after `length`
/// characters; 0: the length is not known. Level 1 after level 0 is never looked at for a name.
///
/// Source: MPI: A Message-Passing Interface Standard, Profiling Interface (0 to 2 only); the
/// manuals of IPM, Intel MPI and Application Performance Snapshot.
void told_of_phase(int level, const void* name, std::size_t length = 0);

}  // namespace tutti::run
