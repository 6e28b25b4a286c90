#pragma once

#include <atomic>
#include <cstddef>

/// Allocations by operator new so far: of the program and of Tutti in it. What MPI libraries
/// written in C do inside is their own affair.
extern std::atomic<std::size_t> allocations;
