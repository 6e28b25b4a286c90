#pragma once

#include "choose/evidence/arrival_pattern.hpp"
#include "choose/evidence/measurer.hpp"
#include "choose/profile/profile.hpp"

namespace tutti::inline choose {

/// When ranks came to the program's calls that are most like those of a point: of its operation and
/// ranks, of the nearest size. Who comes last waits least, so that the differences between the
/// ranks' times tell how late they were; which ranks were late is not in a profile. Together where
/// it has no such calls.
ArrivalPattern arrival_in(const Profile& profile, const Point& point);

}  // namespace tutti::inline choose
