#pragma once

#include <cstddef>

#include "network/hockney.hpp"
#include "schedule/schedule.hpp"

namespace tutti {

/// The time a schedule takes, in seconds, on ranks that can each send one message and receive one at a time:
/// a message starts when both its ends have come to it and both ports are free, the earliest first, and keeps
/// them busy for alpha + n·beta; combining n bytes keeps a rank busy for n·gamma; copies take no time.
/// `bytes` is the whole vector, cut evenly into the shape's blocks. The schedule has to be right (verify).
double price(const Schedule& schedule, std::size_t bytes, const Hockney& link);

}  // namespace tutti
