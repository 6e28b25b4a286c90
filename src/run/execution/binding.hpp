#pragma once

#include <cstddef>
#include <vector>

#include "run/execution/program.hpp"

namespace tutti::run {

/// An instruction, and the steps it waits for.
struct Step {
  Instruction instruction;
  std::vector<std::size_t> after;
  bool is_message() const { return tutti::is_message(instruction.kind); }
};

/// A part bound to a layout: its operations, as one step or a chain of steps each, in their order.
struct BoundPart {
  std::vector<Step> steps;
  std::vector<BoundPhase> phases;  ///< by the number that their instruction has as its peer
  std::vector<OwnType> types;      ///< of messages
  std::size_t scratch_units = 0;   ///< with room for what is packed
  bool reorders = false;           ///< see Program::reorders
};

/// What a program is made of; see its constructor.
BoundPart bind(const Part& part, const Surroundings& surroundings, const Layout& layout, const Unit& unit);

}  // namespace tutti::run
