#pragma once

#include "runtime/communicator.hpp"
#include "tuning/library_samples.hpp"

namespace tutti::runtime {

/// Measures the MPI library's own algorithms for a point's operation in turn, on a communicator of the
/// point's ranks, after a first run of each that is checked; the library's choice is the first. What fails
/// there, or gives a wrong result, is left out. Collective over the communicator.
LibrarySamples measure_library(Communicator& own, const Point& point, Measurer::Effort effort);

}  // namespace tutti::runtime
