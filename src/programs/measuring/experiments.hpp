#pragma once

#include <vector>

#include "choose/probing/prober.hpp"
#include "run/calls/communicator.hpp"

namespace tutti::run {

/// Makes an experiment in several groups at the same time, as Prober::run says. Collective over
/// MPI_COMM_WORLD, which is everybody's; the seconds are on rank 0 only.
std::vector<double> run_experiment(Communicator& everybody, Experiment experiment,
                                   const std::vector<std::vector<Rank>>& groups, std::size_t bytes,
                                   int repetitions);

/// What combining costs on this rank.
std::vector<Combination> measure_combining();

}  // namespace tutti::run
