#pragma once

#include "choose/evidence/library_samples.hpp"
#include "run/calls/communicator.hpp"

namespace tutti::run {

/// Measures the MPI library's own algorithms for a point's operation in turn, on a communicator of
/// the point's ranks, after a first run of each that is checked; the library's choice is the first.
/// What plans could not ask for, fails there, or gives a wrong result, is left out. Collective over
/// the communicator.
LibrarySamples measure_library(Communicator& own, const Point& point, Measurer::Effort effort);

}  // namespace tutti::run
