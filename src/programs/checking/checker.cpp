// Draws random collective calls and compares every result with an oracle: for data that are moved
// the MPI library's own nonblocking operation (support.hpp), for reductions a computation by hand.
// What is checked is blocking, or nonblocking, or persistent and made twice, beside others
// (crowd.hpp). Data and integers have to be equal bit for bit, gaps included; floating-point sums
// within the bound of reordering, and those of an allreduce the same bits on all ranks. `tutti
// check` starts it under plans, of which it knows nothing then; with --plans it chooses some
// itself, round after round (plans.hpp).
//
// Usage: tutti-checker CALLS SEED [--first CALL] [--seconds S] [--only OPERATION,…] [--goes-on]
// [--restarts]
//                      [--plans FILE]
//
// All ranks draw the same calls, each by the seed and its number alone, so that any can be made
// again (with the one before it, where it repeats that). Ends after CALLS calls or S seconds. The
// first difference is a line on standard error and exit status 1; with --goes-on the first one of
// each operation, whose calls are left out then. With --restarts persistent requests are started
// twice, which MPICH 4.0 by itself can't do.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <string_view>

#include "programs/checking/housekeeper.hpp"
#include "programs/checking/neighbors.hpp"

namespace checking {
namespace {

struct Options {
  int calls = 0, first = 0;
  unsigned seed = 0;
  double seconds = std::numeric_limits<double>::infinity();
  std::string only, plans;
  bool goes_on = false, restarts = false;
};

class Checker : public Neighbors {
 public:
  Checker(const Options& options, const Plans& plans) : Neighbors(options.seed, plans), options_(options) {
    restarts_ = options.restarts;
    anything_is_wanted_ =
        std::any_of(kinds.begin(), kinds.end(), [this](const Kind& kind) { return is_wanted(kind.name); });
  }

  // Whether all calls agree.
  bool run() {
    const auto begin = std::chrono::steady_clock::now();  // not the simulation's, if it is one
    bool agree = true;
    for (call_ = options_.first; call_ < options_.first + options_.calls; ++call_) {
      if (call_ % 16 == 0 && is_over(std::chrono::steady_clock::now() - begin)) break;
      // Every rank draws the same, also what only some of them use. One call of each kind on all
      // ranks comes first, so that a plan has something to do however few calls there are. Later
      // every fourth call is the one before with other data: programs repeat their calls.
      const auto call = static_cast<std::size_t>(call_);
      first_calls_ = call < modes * kinds.size();
      const bool repeats = !first_calls_ && call % 4 == 3;
      std::seed_seq seeds{options_.seed, static_cast<unsigned>(repeats ? call_ - 1 : call_)};
      random_.seed(seeds);
      const std::size_t comm = first_calls_ ? 0 : draw(comms_.size());
      std::size_t kind = first_calls_ ? call % kinds.size() : draw(kinds.size());
      // Drawn again rather than from fewer: --only with fewer operations makes the same call of one
      // of them.
      while (!first_calls_ && anything_is_wanted_ && !is_wanted(kinds[kind].name)) kind = draw(kinds.size());
      const auto data_seed = static_cast<unsigned>(random_());
      if (left_out_[kind] || !is_wanted(kinds[kind].name)) continue;
      if (comms_[comm] != MPI_COMM_NULL) {
        comm_ = comms_[comm];
        MPI_Comm_size(comm_, &ranks_);
        MPI_Comm_rank(comm_, &rank_);
        shared_seed_ = data_seed;
        own_seed_ = data_seed + static_cast<unsigned>(rank_) * 7919 + (repeats ? 500009 : 0);
        large_ = draw(4) == 0 && runs_on_mpi_4();
        mode_ = static_cast<Mode>(first_calls_ ? call / kinds.size() : draw(modes + 1) % modes);
        (this->*kinds[kind].make)();
      }
      ++made_;
      if (!anyone_failed(kinds[kind].name)) continue;
      agree = false;
      if (!options_.goes_on) break;
      left_out_[kind] = true;
      failure_.clear();
    }
    failure_ = accesses_.difference();
    agree = !anyone_failed("one-sided") && agree;
    free_untouched();
#ifndef SMPI_H
    free_topologies();
#endif
    free_all();
    return agree;
  }

  int made() const {
    return made_;
  }

 private:
  bool is_wanted(std::string_view operation) const {
    if (options_.only.empty()) return true;
    std::string_view rest = options_.only;
    for (std::size_t end = 0; end != rest.npos; rest.remove_prefix(std::min(end + 1, rest.size()))) {
      end = rest.find(',');
      if (rest.substr(0, end) == operation) return true;
      if (end == rest.npos) break;
    }
    return false;
  }

  bool is_over(std::chrono::duration<double> time) const {
    int over = time.count() >= options_.seconds;
    TUTTI_ORACLE(Bcast, Ibcast)(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return over != 0;
  }

  bool anyone_failed(const char* operation) {
    int bad = failure_.empty() ? std::numeric_limits<int>::max() : world_rank_, first = 0;
    TUTTI_ORACLE(Allreduce, Iallreduce)(&bad, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == world_rank_)
      std::fprintf(stderr, "tutti-checker: %s%s: seed %u, call %d, world rank %d: %s%s\n", operation,
                   plans_.said_of(operation).c_str(), options_.seed, call_, world_rank_,
                   mode_ == Mode::persistent    ? "persistent, "
                   : mode_ == Mode::nonblocking ? "nonblocking, "
                                                : "",
                   failure_.c_str());
    return first != std::numeric_limits<int>::max();
  }

  struct Kind {
    const char* name;
    void (Checker::*make)();
  };
  static constexpr std::array kinds{Kind{"barrier", &Checker::barrier},
                                    Kind{"bcast", &Checker::bcast},
                                    Kind{"gather", &Checker::gather},
                                    Kind{"gatherv", &Checker::gatherv},
                                    Kind{"scatter", &Checker::scatter},
                                    Kind{"scatterv", &Checker::scatterv},
                                    Kind{"allgather", &Checker::allgather},
                                    Kind{"allgatherv", &Checker::allgatherv},
                                    Kind{"alltoall", &Checker::alltoall},
                                    Kind{"alltoallv", &Checker::alltoallv},
                                    Kind{"alltoallw", &Checker::alltoallw},
                                    Kind{"reduce", &Checker::reduce},
                                    Kind{"allreduce", &Checker::allreduce},
                                    Kind{"reduce_scatter_block", &Checker::reduce_scatter_block},
                                    Kind{"reduce_scatter", &Checker::reduce_scatter},
                                    Kind{"scan", &Checker::scan},
#ifndef SMPI_H
                                    Kind{"neighbor_allgather", &Checker::neighbor_allgather},
                                    Kind{"neighbor_allgatherv", &Checker::neighbor_allgatherv},
                                    Kind{"neighbor_alltoall", &Checker::neighbor_alltoall},
                                    Kind{"neighbor_alltoallv", &Checker::neighbor_alltoallv},
                                    Kind{"neighbor_alltoallw", &Checker::neighbor_alltoallw},
#endif
                                    Kind{"exscan", &Checker::exscan}};

  // SimGrid's own nonblocking collectives are not reliable. A header of MPI 4 names persistent ones
  // that a library of MPI 3 lacks; Open MPI 5 has them, and says MPI 3.
#ifdef SMPI_H
  const std::size_t modes = 1;
#elif defined(TUTTI_PERSISTENT_COLLECTIVES)
  const std::size_t modes = MPI_VERSION < 4 || runs_on_mpi_4() ? 3 : 2;
#else
  const std::size_t modes = 2;
#endif

  Options options_;
  int call_ = 0, made_ = 0;
  std::array<bool, kinds.size()> left_out_{};
  bool anything_is_wanted_ = false;
};

// Nothing if the arguments are none of ours.
bool read(int argc, char** argv, Options& options) {
  if (argc < 3) return false;
  options.calls = std::atoi(argv[1]);
  options.seed = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  for (int i = 3; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--goes-on")
      options.goes_on = true;
    else if (word == "--restarts")
      options.restarts = true;
    else if (i + 1 == argc)
      return false;
    else if (word == "--first")
      options.first = std::atoi(argv[++i]);
    else if (word == "--seconds")
      options.seconds = std::atof(argv[++i]);
    else if (word == "--only")
      options.only = argv[++i];
    else if (word == "--plans")
      options.plans = argv[++i];
    else
      return false;
  }
  return options.calls > 0;
}

// Makes the calls, and says so where they agree.
bool agree(const Options& options, const Plans& plans) {
  Checker checker(options, plans);
  if (!checker.run()) return false;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::printf("tutti-checker: %d calls agree, seed %u\n", checker.made(), options.seed);
    std::fflush(stdout);
  }
  return true;
}

}  // namespace
}  // namespace checking

#ifndef SMPI_H  // where statics outlive the simulation
namespace checking {
namespace {

// Ends MPI when the program exits, after a last call. It is registered behind MPI_Init, for MPICH
// 4.2 has handlers of its own, behind which MPI_Finalize does not always end well: statics come too
// late for it.
void end() {
  int one = 1, ranks = 0, sum = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (sum != ranks) {
    std::fprintf(stderr, "tutti-checker: the allreduce after main gives %d instead of %d\n", sum, ranks);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}

}  // namespace
}  // namespace checking
#endif

int main(int argc, char** argv) {
  checking::Options options;
  const bool readable = checking::read(argc, argv, options);
#ifdef SMPI_H
  MPI_Init(&argc, &argv);
#else
  // Every third seed has a thread beside the calls.
  int level = MPI_THREAD_SINGLE;
  const bool threads = options.seed % 3 == 0;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  std::atexit(checking::end);
#endif
  if (!readable) {
    std::fprintf(stderr,
                 "tutti-checker: CALLS SEED [--first CALL] [--seconds S] [--only OPERATION,…] [--goes-on] "
                 "[--restarts] [--plans FILE]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  bool agree = true;
  {
#ifndef SMPI_H
    std::optional<checking::Housekeeper> housekeeper;
    if (threads && level == MPI_THREAD_MULTIPLE) housekeeper.emplace();
#endif
    if (options.plans.empty()) {
      agree = checking::agree(options, {});
    } else {
      for (const checking::Plans& plans : checking::Plans::read_rounds(options.plans)) {
        options.only = plans.operations();
        agree = agree && checking::agree(options, plans);
        ++options.seed;
      }
    }
  }
#ifdef SMPI_H
  MPI_Finalize();
#endif
  return agree ? 0 : 1;
}
