#pragma once

#include <vector>

#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// A rank that may complete a schedule before another has begun it.
struct Arrival {
  Rank leaver, comer;
};

/// Where a schedule does not synchronize: for each rank that may leave early the first rank it does
/// not wait for. The schedule's messages have to match and it has to end.
///
/// What a rank knows of others' coming travels with messages: an operation knows what those it
/// waits for knew, a receive what the send knew besides, and a native phase what all knew who meet
/// in it.
std::vector<Arrival> missed_arrivals(const Schedule& schedule);

}  // namespace tutti::inline core
