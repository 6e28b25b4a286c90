#pragma once

#include <span>

#include "run/execution/program.hpp"

namespace tutti::run {

/// Lets messages through memory of a program in step do more than arrive: what a reduction would
/// take from scratch is combined when it comes, what goes to several ranks is written once, and who
/// sends with nothing to receive helps to copy. `lends_from` as of HostMemory.
void shorten_ways_through_memory(std::span<Instruction> instructions, std::span<const Wave> waves,
                                 const Unit& unit, std::size_t lends_from);

}  // namespace tutti::run
