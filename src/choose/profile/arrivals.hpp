#pragma once

#include <vector>

#include "choose/evidence/arrival_pattern.hpp"
#include "choose/evidence/measurer.hpp"
#include "choose/profile/profile.hpp"

namespace tutti::inline choose {

/// When ranks came to the program's calls that are most like those of a point: of its operation and
/// ranks, of the nearest size. As recorded call by call where the profile has that; else by the
/// differences between the ranks' times, for who comes last waits least, in an order that is drawn.
/// Together where it has no such calls.
ArrivalPattern arrival_in(const Profile& profile, const Point& point);

/// Calls to which ranks came late.
struct LateCalls {
  ProfiledKind kind;
  LateRanks late;
  double waiting_s;  ///< for them, of the average rank in the whole run
};

/// The calls in which waiting for late ranks is longest, of each operation in which it matters to
/// the run; the longest first.
std::vector<LateCalls> late_calls(const Profile& profile);

/// "allreduce on 4 ranks, 1 host, 8 to 15: rank 3 is late in 9 of 10 calls, by 2.1 ms"
std::string text_of(const LateCalls& calls);

}  // namespace tutti::inline choose
