#pragma once

#include <optional>
#include <string>

#include "core/network/price.hpp"
#include "core/schedule/schedule.hpp"

namespace tutti::tools {

/// When the operations of a schedule happen: of messages, combinations and native phases.
struct Timetable {
  std::vector<Price::Step> steps;
  double end;                               ///< of the last
  bool in_rounds;                           ///< times are numbers of rounds, else seconds
  std::vector<OperationRef> critical = {};  ///< those that nothing else could have hidden
};

/// Messages take a round, as early as they may; local work takes none.
Timetable timetable_in_rounds(const Schedule& schedule);
/// Times as priced on a network, with the critical path.
Timetable timetable_on(const Schedule& schedule, std::size_t bytes, const Network& network);

struct DrawingStyle {
  bool small = false;   ///< a picture beside a text: no words but the ranks
  int most_lines = 64;  ///< more ranks are folded by hosts: a line a host
};

/// A space–time diagram as SVG: a line a rank, top to bottom, time from left to right; messages as
/// arrows with their blocks, combinations as dots, native phases as bars, the critical path strong.
/// Where there are more ranks than lines a line is a host, or several ranks in turn, and messages
/// within it are left out; the picture says how many. It is readable in light and in dark
/// surroundings, and says in its title and description what it shows.
std::string draw(const Schedule& schedule, const Timetable& timetable, const std::string& title,
                 const DrawingStyle& style = {});

}  // namespace tutti::tools
