// A program that gives learning a lot to learn of: collectives of several sizes, with and without
// an order of operands, on communicators of several sizes, some of which are freed in the middle,
// and from several threads. Every result is compared with what it has to be.
//
// Usage: learning ITERATIONS [threads | alone | neighbors | slow [CALLS] | refused]. With `alone`
// no other thread may call MPI. With `slow` it begins with CALLS calls that take long, three where
// it is not told. With `refused` it makes calls alone of which some have to fail and some have to
// be right.

#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "require.hpp"

namespace {

// Takes the first operand's high and the last one's low half: associative, and not commutative.
void ends(void* in, void* inout, int* length, MPI_Datatype*) {
  const auto* first = static_cast<unsigned*>(in);
  auto* last = static_cast<unsigned*>(inout);
  for (int i = 0; i < *length; ++i) last[i] = (first[i] & 0xffff0000U) | (last[i] & 0xffffU);
}

class Calls {
 public:
  explicit Calls(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
    MPI_Op_create(ends, 0, &ends_);
    MPI_Type_contiguous(2, MPI_INT, &pair_);
    MPI_Type_commit(&pair_);
  }
  ~Calls() {
    MPI_Op_free(&ends_);
    MPI_Type_free(&pair_);
  }

  void all(int iteration) {
    const int root = iteration % ranks_;
    for (const int count : {2, 6, 1000, 1500}) {  // the last two are of one class
      broadcast(count, root, iteration);
      reduce(count, root);
      allreduce(count);
      allgather(count, iteration);
    }
    require(ordered(), "an operation that does not commute fails");
    irregular(iteration, 1);
    irregular(iteration, 500);
    MPI_Barrier(comm_);
  }

  // What the rank before and the one behind give, in a grid and in a graph.
  void between_neighbors() {
    const std::array<int, 4> given{rank_, rank_, -rank_, -rank_};
    std::array<int, 4> got{};
    MPI_Neighbor_alltoall(given.data(), 2, MPI_INT, got.data(), 2, MPI_INT, comm_);
    const int before = (rank_ + ranks_ - 1) % ranks_, behind = (rank_ + 1) % ranks_;
    require(got[0] == -before && got[2] == behind, "an exchange between neighbours is wrong");
    MPI_Neighbor_allgather(given.data(), 2, MPI_INT, got.data(), 2, MPI_INT, comm_);
    require(got[0] == before && got[2] == behind, "an allgather between neighbours is wrong");
  }

  void slow(int calls) {
    for (int call = 0; call < calls; ++call) allreduce(90'000);
  }

  // Whether an allreduce by an operation that does not commute gives a result, which has to be
  // right.
  bool ordered() {
    const unsigned mine = static_cast<unsigned>(rank_) << 16 | static_cast<unsigned>(rank_);
    unsigned both = 0;
    if (MPI_Allreduce(&mine, &both, 1, MPI_UNSIGNED, ends_, comm_) != MPI_SUCCESS) return false;
    require(both == static_cast<unsigned>(ranks_ - 1), "an operation that does not commute is wrong");
    return true;
  }

 private:
  // Ranks of odd number give pairs of half the count: the same signature.
  void broadcast(int count, int root, int iteration) {
    std::vector<int> data(static_cast<std::size_t>(count), rank_ == root ? iteration : -1);
    const bool pairs = rank_ % 2 == 1;
    MPI_Bcast(data.data(), pairs ? count / 2 : count, pairs ? pair_ : MPI_INT, root, comm_);
    for (const int value : data) require(value == iteration, "a broadcast is wrong");
  }

  void reduce(int count, int root) {
    std::vector<long> given(static_cast<std::size_t>(count), rank_ + 1), sum(given.size(), -1);
    MPI_Reduce(given.data(), sum.data(), count, MPI_LONG, MPI_SUM, root, comm_);
    if (rank_ == root)
      for (const long value : sum)
        require(value == long{ranks_} * (ranks_ + 1) / 2, "a sum at a root is wrong");
  }

  void allreduce(int count) {
    std::vector<long> given(static_cast<std::size_t>(count), rank_);
    MPI_Allreduce(MPI_IN_PLACE, given.data(), count, MPI_LONG, MPI_SUM, comm_);
    for (const long value : given) require(value == long{ranks_} * (ranks_ - 1) / 2, "a sum is wrong");
  }

  void allgather(int count, int iteration) {
    const std::vector<int> given(static_cast<std::size_t>(count), rank_ + iteration);
    std::vector<int> all(given.size() * static_cast<std::size_t>(ranks_));
    MPI_Allgather(given.data(), count, MPI_INT, all.data(), count, MPI_INT, comm_);
    for (std::size_t i = 0; i < all.size(); ++i)
      require(all[i] == static_cast<int>(i) / count + iteration, "an allgather is wrong");
  }

  // Counts that change from call to call, of which there is no size that all ranks know.
  void irregular(int iteration, int unit) {
    const auto ranks = static_cast<std::size_t>(ranks_);
    const auto count = [&](int from, int to) { return (from + to + iteration) % 5 * unit; };
    std::vector<int> out(ranks), in(ranks), out_at(ranks), in_at(ranks);
    int sent = 0, received = 0;
    for (int r = 0; r < ranks_; ++r) {
      const auto i = static_cast<std::size_t>(r);
      out[i] = count(rank_, r), in[i] = count(r, rank_);
      out_at[i] = sent, in_at[i] = received;
      sent += out[i], received += in[i];
    }
    const std::vector<int> given(static_cast<std::size_t>(sent) + 1, rank_);
    std::vector<int> got(static_cast<std::size_t>(received) + 1, -1);
    MPI_Alltoallv(given.data(), out.data(), out_at.data(), MPI_INT, got.data(), in.data(), in_at.data(),
                  MPI_INT, comm_);
    for (int r = 0; r < ranks_; ++r)
      for (int k = 0; k < in[static_cast<std::size_t>(r)]; ++k)
        require(got[static_cast<std::size_t>(in_at[static_cast<std::size_t>(r)] + k)] == r,
                "an alltoallv is wrong");
  }

  MPI_Comm comm_;
  int rank_ = 0, ranks_ = 0;
  MPI_Op ends_ = MPI_OP_NULL;
  MPI_Datatype pair_ = MPI_DATATYPE_NULL;
};

void run(MPI_Comm comm, int iterations) {
  Calls calls(comm);
  for (int i = 0; i < iterations; ++i) calls.all(i);
}

// On a ring of ranks: a grid, and a graph with the same edges.
void run_between_neighbors(int iterations) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int round = 1, peers[] = {(rank + ranks - 1) % ranks, (rank + 1) % ranks};
  std::array<MPI_Comm, 2> made;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &round, 0, &made[0]);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, peers, MPI_UNWEIGHTED, 2, peers, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &made[1]);
  for (MPI_Comm& comm : made) {
    Calls calls(comm);
    for (int i = 0; i < iterations; ++i) calls.between_neighbors();
  }
  for (MPI_Comm& comm : made) MPI_Comm_free(&comm);
}

// Where each rank is its own neighbour alone, calls have lengths of their own on each.
void run_by_themselves(int iterations) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm made;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &rank, MPI_UNWEIGHTED, 1, &rank, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &made);
  for (int i = 0; i < iterations; ++i) {
    const int count = i % (rank + 2) * 10 + 1;
    const std::vector<int> given(static_cast<std::size_t>(count), i);
    std::vector<int> got(given.size());
    MPI_Neighbor_alltoall(given.data(), count, MPI_INT, got.data(), count, MPI_INT, made);
    require(got == given, "an exchange of a rank with itself is wrong");
  }
  MPI_Comm_free(&made);
}

// Communicators that go after a number of calls, wherever experiments are.
void run_short_lived(int iterations) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int calls = 1; calls < iterations; calls = calls * 2 + 1) {
    MPI_Comm some;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &some);
    run(some, calls);
    MPI_Comm_free(&some);
  }
}

// Calls that a plan is to serve which can't, where that is an error, and native beside it.
void run_refused(int iterations) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int failed = 0;
  Calls calls(comm);
  for (int i = 0; i < iterations; ++i) failed += !calls.ordered();
  require(failed > iterations / 2, "calls are served that the plan can't serve");
  require(failed < iterations, "native serves no call");
  MPI_Comm_free(&comm);
}

void run_in_threads(int iterations) {
  constexpr int threads = 3;
  std::vector<MPI_Comm> comms(threads);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> running;
  for (const MPI_Comm comm : comms) running.emplace_back([comm, iterations] { run(comm, iterations); });
  for (std::thread& thread : running) thread.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 100;
  const std::string mode = argc > 2 ? argv[2] : "";
  int provided = 0;
  MPI_Init_thread(&argc, &argv, mode == "alone" ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &provided);
  if (mode == "slow") Calls(MPI_COMM_WORLD).slow(argc > 3 ? std::atoi(argv[3]) : 3);
  if (mode == "refused") {
    run_refused(iterations);
  } else {
    run(MPI_COMM_WORLD, iterations);
    run_short_lived(iterations);
  }
  if (mode == "neighbors") {
    run_between_neighbors(iterations);
    run_by_themselves(iterations);
  }
  if (mode == "threads") {
    require(provided == MPI_THREAD_MULTIPLE, "threads may not call MPI at the same time");
    run_in_threads(iterations);
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::puts("learning: all right");
  MPI_Finalize();
  return 0;
}
