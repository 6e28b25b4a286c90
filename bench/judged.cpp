// A program for bench/judging: iterations of computing, a collective that runs natively or by a
// plan, and maybe a native broadcast. It compares the two ways by whole stretches of the program,
// which is the truth, and by what can be measured of batches that take turns within one run: the
// time in calls, averaged over ranks, and that of the rank that spent most; the time from one call
// to the next; and what learning makes of these. Prints ratios to native as JSON. To be run under
// Tutti.
//
//     judged OPERATION BYTES PLAN ARRIVAL COMPUTING FOLLOWER SEED
//
// ARRIVAL is balanced, one-late, turns or random; COMPUTING milliseconds an iteration, during which
// ranks sleep, so that hosts which share a processor compute at the same time; FOLLOWER bytes, 0
// for no broadcast.

#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "choose/evidence/contrast.hpp"
#include "choose/online/race.hpp"
#include "core/network/median.hpp"
#include "late_ranks.hpp"
#include "tutti/tutti.h"

namespace {

using namespace tutti;
using bench::Program;

constexpr int stretches = 5, iterations_a_stretch = 80;
constexpr std::array calls_of_batches{8,  8,  8,  8,  16,
                                      16, 16, 16, 16, 16};  // by each way in turn, as in learning

// Natively, and by the plan.
using Ways = std::array<MPI_Comm, 2>;

// What calls by these ways in turn took, averaged over ranks or of the rank that spent most.
std::vector<BatchTime> in_turn(Program& program, const Ways& ways, std::span<const Batch> batches) {
  std::vector<double> mine;  // by batch in calls, and from call to call
  for (const Batch& batch : batches) {
    const double begin = MPI_Wtime();
    double in_calls = 0;
    for (int i = 0; i < batch.calls; ++i) in_calls += program.iterate(ways[batch.arm]);
    mine.insert(mine.end(), {in_calls / batch.calls, (MPI_Wtime() - begin) / batch.calls});
  }
  std::vector<double> sums(mine.size()), largest(mine.size());
  const int count = static_cast<int>(mine.size());
  MPI_Allreduce(mine.data(), sums.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(mine.data(), largest.data(), count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  std::vector<BatchTime> times;
  for (std::size_t i = 0; i < mine.size(); i += 2)
    times.push_back({sums[i] / program.ranks(), largest[i], sums[i + 1] / program.ranks()});
  return times;
}

// The plan's time over native's by whole stretches of the program.
double truth(Program& program, const Ways& ways) {
  std::vector<double> ratios;
  for (int stretch = 0; stretch < stretches; ++stretch) {
    std::array<double, 2> seconds{};
    for (const std::size_t turn : {0u, 1u}) {
      const std::size_t way = (turn + static_cast<std::size_t>(stretch)) % 2;
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      for (int i = 0; i < iterations_a_stretch; ++i) program.iterate(ways[way]);
      MPI_Barrier(MPI_COMM_WORLD);
      seconds[way] = MPI_Wtime() - begin;
    }
    ratios.push_back(seconds[1] / seconds[0]);
  }
  return median(ratios);
}

Json judge(Program& program, const Ways& ways) {
  std::vector<Batch> batches;
  for (std::size_t cycle = 0; cycle < calls_of_batches.size(); ++cycle)
    for (const std::size_t turn : {0u, 1u}) batches.push_back({(turn + cycle) % 2, calls_of_batches[cycle]});
  const auto times = in_turn(program, ways, batches);
  Race race(LearningRules{}, 2);
  race.compare(batches, times, 2);
  const auto by = [&](double BatchTime::*measure) {
    Sample contrasts;
    for (std::size_t i = 0; i < batches.size(); i += 2) {
      const std::size_t plan = batches[i].arm == 1 ? i : i + 1, native = i + (i + 1) - plan;
      contrasts.add(contrast(times[plan].*measure, times[native].*measure), batches[i].calls);
    }
    return ratio_of_contrast(contrasts.mean);
  };
  return {{"in call, all ranks", by(&BatchTime::in_call)},
          {"in call, the last rank", by(&BatchTime::latest)},
          {"from call to call", by(&BatchTime::period)},
          {"as learning judges", ratio_of_contrast(race.contrast_of(1, native_arm).mean)}};
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 8 || !bench::arrivals.contains(argv[4])) {
    std::fprintf(stderr, "usage: judged OPERATION BYTES PLAN ARRIVAL COMPUTING FOLLOWER SEED\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Program program(argv[1], std::atoi(argv[2]), bench::arrivals.at(argv[4]), std::atof(argv[5]) * 1e-3,
                  std::atoi(argv[6]), static_cast<unsigned>(std::atoi(argv[7])));
  Ways ways{};
  for (MPI_Comm& way : ways) MPI_Comm_dup(MPI_COMM_WORLD, &way);
  if (tutti_set_plan(ways[0], argv[1], "native") != TUTTI_SUCCESS ||
      tutti_set_plan(ways[1], argv[1], argv[3]) != TUTTI_SUCCESS) {
    std::fprintf(stderr, "judged: %s\n", tutti_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (const MPI_Comm way : ways)
    for (int i = 0; i < 8; ++i) program.iterate(way);  // connections
  Json ratios = judge(program, ways);
  ratios["the program"] = truth(program, ways);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("%s\n", ratios.dump().c_str());
  for (MPI_Comm& way : ways) MPI_Comm_free(&way);
  MPI_Finalize();
  return 0;
}
