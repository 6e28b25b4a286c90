#pragma once

#include <string>
#include <vector>

#include "choose/evidence/measurer.hpp"

namespace tutti::inline choose {

/// What the MPI library's own algorithms took at a point.
struct LibrarySamples {
  int hosts = 0;
  std::vector<std::string> algorithms;       ///< "native", the library's choice, first
  std::vector<std::vector<double>> seconds;  ///< by algorithm and repetition: the slowest rank's time
  /// The component that serves in place of the one whose algorithms were to be measured; or none.
  std::vector<LibraryComponent> above = {};
};

/// The samples in words: measurements whose plans are the algorithms' names.
std::vector<Measurement> summarize(const Point& point, const LibrarySamples& samples);

}  // namespace tutti::inline choose
