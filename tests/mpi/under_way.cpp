// Programs that do other things while nonblocking collectives are under way: what others wait for
// has to go on meanwhile, and what calls need has to stay. Prints "under way: all right".

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

#include "require.hpp"

namespace {

int rank = 0, ranks = 0;

// Starts a broadcast from the last rank: under a chain rank 0 passes it on to rank 1.
struct Broadcast {
  static constexpr int length = 5000;
  std::vector<int> data = std::vector<int>(length);
  MPI_Request request = MPI_REQUEST_NULL;

  explicit Broadcast(MPI_Comm comm = MPI_COMM_WORLD) {
    if (rank == ranks - 1) std::iota(data.begin(), data.end(), 0);
    MPI_Ibcast(data.data(), length, MPI_INT, ranks - 1, comm, &request);
  }
  void expect() const {
    for (int i = 0; i < length; ++i) require(data[static_cast<std::size_t>(i)] == i, "a broadcast is wrong");
  }
  void wait_and_expect() {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    require(request == MPI_REQUEST_NULL, "a request is left");
    expect();
  }
};

// Rank 0 does something that ends only when rank 1 has got the broadcast, which rank 0 has to pass
// on.
template <typename Do>
void meanwhile(Do&& what) {
  Broadcast broadcast;
  if (rank == 1) broadcast.wait_and_expect();
  what();
  if (rank != 1) broadcast.wait_and_expect();
}

void blocks_in_messages() {
  int word = 7;
  const auto from_1_to_0 = [&](auto&& receive) {
    meanwhile([&] {
      if (rank == 1) MPI_Send(&word, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
      if (rank != 0) return;
      word = 0;
      receive();
      require(word == 7, "a message is wrong");
    });
  };
  MPI_Status status;
  from_1_to_0([&] {
    MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
    require(status.MPI_SOURCE == 1 && status.MPI_TAG == 3, "a status is wrong");
  });
  from_1_to_0([&] {
    MPI_Probe(1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&word, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  from_1_to_0([&] {
    MPI_Message message;
    MPI_Mprobe(1, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&word, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  });
  from_1_to_0([&] {
    MPI_Request request;
    MPI_Irecv(&word, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    require(status.MPI_SOURCE == 1, "a status is wrong");
  });
  from_1_to_0([&] {
    int sent = 1, got = 0;
    MPI_Sendrecv(&sent, 1, MPI_INT, 0, 4, &got, 1, MPI_INT, 0, 4, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    require(got == 1, "a message to itself is wrong");
    MPI_Recv(&word, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  // Rank 1 receives only when it has got the broadcast.
  std::vector<int> large(1 << 20, 5);
  meanwhile([&] {
    if (rank == 0) MPI_Ssend(large.data(), static_cast<int>(large.size()), MPI_INT, 1, 3, MPI_COMM_WORLD);
    if (rank == 1)
      MPI_Recv(large.data(), static_cast<int>(large.size()), MPI_INT, 0, 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  });
  meanwhile([&] {
    if (rank > 1) return;
    large.assign(large.size(), rank);
    MPI_Sendrecv_replace(large.data(), static_cast<int>(large.size()), MPI_INT, 1 - rank, 3, 1 - rank, 3,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    require(large.front() == 1 - rank && large.back() == 1 - rank, "an exchange is wrong");
  });
}

// The last rank begins the broadcast only when rank 0 has got what it waits for in one call.
void waits_for_all_of_others() {
  int word = 7, others = 0;
  if (rank == ranks - 1) MPI_Recv(&others, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  Broadcast broadcast;
  if (rank == 0) {
    MPI_Request requests[2];
    MPI_Irecv(&others, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(&word, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Send(&others, 1, MPI_INT, ranks - 1, 3, MPI_COMM_WORLD);
  }
  require(others == (rank % (ranks - 1) == 0 ? word : 0), "a message is wrong");
  broadcast.wait_and_expect();
}

void blocks_in_collectives() {
  meanwhile([] { MPI_Barrier(MPI_COMM_WORLD); });
  meanwhile([] {
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    require(sum == ranks * (ranks - 1) / 2, "a sum is wrong");
  });
  meanwhile([] {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    MPI_Comm_free(&comm);
  });
  meanwhile([] {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
  });
}

// Calls in which Tutti has ranks tell each other something: their neighbours on a graph, before the
// first call among these, and the sizes of blocks of which each knows its own.
void blocks_in_what_ranks_tell() {
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  meanwhile([&] {
    int got = -1;
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &got, 1, MPI_INT, graph);
    require(got == left, "a neighbour's number is wrong");
  });
  MPI_Comm_free(&graph);
  std::vector<int> counts, places, mine(static_cast<std::size_t>(100 + rank), rank);
  int all = 0;
  for (int one = 0; one < ranks; all += counts.back(), ++one) {
    counts.push_back(100 + one);
    places.push_back(all);
  }
  std::vector<int> got(static_cast<std::size_t>(all), -1);
  meanwhile([&] {
    MPI_Gatherv(mine.data(), 100 + rank, MPI_INT, got.data(), counts.data(), places.data(), MPI_INT, 0,
                MPI_COMM_WORLD);
  });
  for (int one = 0; rank == 0 && one < ranks; ++one)
    require(got[static_cast<std::size_t>(places[static_cast<std::size_t>(one)])] == one, "a block is wrong");
}

void blocks_in_windows() {
  int shown = 0;
  MPI_Win window;
  meanwhile(
      [&] { MPI_Win_create(&shown, sizeof shown, sizeof shown, MPI_INFO_NULL, MPI_COMM_WORLD, &window); });
  meanwhile([&] { MPI_Win_fence(0, window); });
  meanwhile([&] { MPI_Win_free(&window); });
}

// Rank 0 waits where the others come only when a collective of the MPI library's is complete, which
// that rank has to let through after all else that was under way is complete.
void library_waits_for_one_that_blocks() {
  int sum = 0;
  MPI_Request served, native;
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &served);
  const auto wait = [](MPI_Request& request) { MPI_Wait(&request, MPI_STATUS_IGNORE); };
  if (rank > 0) {
    wait(served);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  MPI_Ibarrier(MPI_COMM_WORLD, &native);
  if (rank > 0) wait(native);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    wait(served);
    wait(native);
  }
  require(sum == ranks * (ranks - 1) / 2, "a sum is wrong");
}

void add(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

// Types, operations and communicators may be freed before the calls are complete.
void frees_handles() {
  MPI_Datatype pair;
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op sum;
  MPI_Op_create(add, 1, &sum);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Barrier(comm);
  std::vector<int> spread(3 * 100, rank == 0 ? 4 : -1), own(100, rank), total(100, -1);
  MPI_Request requests[2];
  MPI_Ibcast(spread.data(), 100, pair, 0, comm, &requests[0]);
  MPI_Ireduce(own.data(), total.data(), 100, MPI_INT, sum, ranks - 1, comm, &requests[1]);
  MPI_Type_free(&pair);
  MPI_Op_free(&sum);
  MPI_Comm_free(&comm);
  require(pair == MPI_DATATYPE_NULL && sum == MPI_OP_NULL && comm == MPI_COMM_NULL, "a handle is left");
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (std::size_t i = 0; i < spread.size(); ++i)
    require(spread[i] == (i % 3 != 1 || rank == 0 ? 4 : -1), "a broadcast of pairs is wrong");
  for (const int value : total)
    require(rank != ranks - 1 || value == ranks * (ranks - 1) / 2, "a sum is wrong");
}

void add_and_look(void* in, void* inout, int* length, MPI_Datatype* type) {
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  require(handler == MPI_ERRORS_ARE_FATAL, "the error handler is another one while a call waits");
  MPI_Errhandler_free(&handler);
  add(in, inout, length, type);
}

// The program's error handlers stay its own while it waits for several requests: one thread sees
// that, for others may be waiting at any time.
void keeps_handlers_while_it_waits() {
  MPI_Op sum;
  MPI_Op_create(add_and_look, 1, &sum);
  int total = -1, word = 7, got = 0;
  MPI_Request requests[3];
  if (rank != 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  MPI_Iallreduce(&rank, &total, 1, MPI_INT, sum, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&got, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[1]);
  MPI_Isend(&word, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  require(got == word && total == ranks * (ranks - 1) / 2, "a sum is wrong");
  MPI_Op_free(&sum);
}

// What MPI_Pack can't count is exchanged all the same; here with nobody, for there may not be so
// much memory.
void exchanges_more_than_an_int_counts() {
  MPI_Datatype block;
  MPI_Type_contiguous(1 << 10, MPI_BYTE, &block);
  MPI_Type_commit(&block);
  meanwhile([&] {
    char byte = 1;
    MPI_Sendrecv_replace(&byte, 3 << 20, block, MPI_PROC_NULL, 3, MPI_PROC_NULL, 3, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    require(byte == 1, "something was exchanged with nobody");
  });
  MPI_Type_free(&block);
}

void asks_in_all_ways() {
  Broadcast broadcast;
  int done = 0;
  MPI_Status status;
  while (!done) MPI_Request_get_status(broadcast.request, &done, &status);
  require(broadcast.request != MPI_REQUEST_NULL, "a request is gone too early");
  broadcast.expect();
  MPI_Test(&broadcast.request, &done, &status);
  int count = -1;
  MPI_Get_count(&status, MPI_INT, &count);
  require(done && broadcast.request == MPI_REQUEST_NULL && count == 0, "a status is wrong");
}

// Sixty-four under way, some of them messages.
void many_at_once() {
  constexpr int calls = 64;
  std::vector<std::vector<int>> given, got;
  std::vector<MPI_Request> requests(calls, MPI_REQUEST_NULL);
  given.reserve(calls), got.reserve(calls);
  for (int call = 0; call < calls; ++call) {
    given.emplace_back(100, rank + call);
    got.emplace_back(100, -1);
    MPI_Request& request = requests[static_cast<std::size_t>(call)];
    if (call % 8 == 6)
      MPI_Isend(given.back().data(), 100, MPI_INT, (rank + 1) % ranks, call, MPI_COMM_WORLD, &request);
    else if (call % 8 == 7)
      MPI_Irecv(got.back().data(), 100, MPI_INT, (rank + ranks - 1) % ranks, call - 1, MPI_COMM_WORLD,
                &request);
    else
      MPI_Iallreduce(given.back().data(), got.back().data(), 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  }
  MPI_Waitall(calls, requests.data(), MPI_STATUSES_IGNORE);
  for (int call = 0; call < calls; ++call)
    for (const int value : got[static_cast<std::size_t>(call)])
      if (call % 8 < 6)
        require(value == ranks * (ranks - 1) / 2 + ranks * call, "a sum is wrong");
      else if (call % 8 == 7)
        require(value == (rank + ranks - 1) % ranks + call - 1, "a message is wrong");
}

// Nothing was agreed on this communicator: the first ones go natively, and none of them waits for
// other ranks.
void before_anything_else() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int word = 0;
  if (rank == 1) MPI_Recv(&word, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  Broadcast broadcast(comm);
  if (rank == 0) MPI_Send(&word, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
  broadcast.wait_and_expect();
  MPI_Comm_free(&comm);
}

// A nonblocking collective on one communicator and one that blocks on another, in different orders.
void in_different_orders() {
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Barrier(other);
  if (rank % 2 == 1) MPI_Barrier(MPI_COMM_WORLD);
  Broadcast broadcast(other);
  if (rank % 2 == 0) MPI_Barrier(MPI_COMM_WORLD);
  broadcast.wait_and_expect();
  MPI_Comm_free(&other);
}

// All ranks keep one order, but the last one comes when rank 0, which has to pass on what rank 1
// waits for, has blocked in the MPI library for longer than it drives by itself.
void root_is_late() {
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Barrier(other);
  if (rank == ranks - 1) std::this_thread::sleep_for(std::chrono::milliseconds(2200));
  Broadcast broadcast(other);
  if (rank == 1) broadcast.wait_and_expect();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 1) broadcast.wait_and_expect();
  MPI_Comm_free(&other);
}

// A thread of rank 0 waits for rank 1 before anything is under way, and its others call nothing.
void thread_has_blocked_before() {
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Barrier(other);
  int word = 7;
  std::thread beside([&] {
    if (rank == 0) MPI_Recv(&word, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  Broadcast broadcast(other);
  if (rank == 1) {
    broadcast.wait_and_expect();
    MPI_Send(&word, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
  }
  beside.join();
  if (rank != 1) broadcast.wait_and_expect();
  MPI_Comm_free(&other);
}

// The program's error handlers are its own again, whoever has waited beside whom.
void threads_wait_beside_each_other() {
  MPI_Comm comms[2];
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Barrier(comm);
  }
  const auto wait = [](MPI_Comm comm) {
    for (int time = 0; time < 20; ++time) {
      Broadcast one(comm), other(comm);
      MPI_Request both[2] = {one.request, other.request};
      MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
      one.expect();
      other.expect();
    }
  };
  std::thread beside(wait, comms[0]);
  wait(comms[1]);
  beside.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  require(handler == MPI_ERRORS_ARE_FATAL, "the error handler is another one");
  MPI_Errhandler_free(&handler);
}

}  // namespace

// With an argument: for a thread that drives on what is under way.
int main(int argc, char** argv) {
  int threads = 0;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &threads);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  require(ranks >= 3, "needs three ranks");
  before_anything_else();
  MPI_Barrier(MPI_COMM_WORLD);
  for (int time = 0; time < 20; ++time) {
    blocks_in_messages();
    waits_for_all_of_others();
    blocks_in_collectives();
    blocks_in_what_ranks_tell();
    blocks_in_windows();
    library_waits_for_one_that_blocks();
    frees_handles();
    if (argc == 1) keeps_handlers_while_it_waits();
    exchanges_more_than_an_int_counts();
    asks_in_all_ways();
    many_at_once();
    in_different_orders();
  }
  root_is_late();
  if (argc > 1) {
    require(threads == MPI_THREAD_MULTIPLE, "threads may not call MPI at the same time");
    thread_has_blocked_before();
    threads_wait_beside_each_other();
  }
  if (rank == 0) std::printf("under way: all right\n");
  MPI_Finalize();
  return 0;
}
