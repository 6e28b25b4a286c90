// Programs that have sessions, in the lives that these have. What they are is their argument: one
// session alone; two that end in either order; one after another; beside MPI_Init, before it or
// after MPI_Finalize; with threads; a communicator that nobody frees. Prints "sessions: all right".

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <thread>
#include <vector>

#include "require.hpp"

namespace {

MPI_Session begun(const char* thread_level = "MPI_THREAD_SINGLE") {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", thread_level);
  MPI_Session session = MPI_SESSION_NULL;
  require(MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session) == MPI_SUCCESS, "no session");
  MPI_Info_free(&info);
  return session;
}

void end(MPI_Session& session) {
  require(MPI_Session_finalize(&session) == MPI_SUCCESS && session == MPI_SESSION_NULL,
          "a session does not end");
}

// A communicator of all processes, in the session's order or the other way round.
MPI_Comm everybody(MPI_Session session, const char* tag, bool reversed = false) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  if (reversed) {
    int size = 0;
    MPI_Group_size(all, &size);
    std::vector<int> order(static_cast<std::size_t>(size));
    std::iota(order.rbegin(), order.rend(), 0);
    MPI_Group turned = MPI_GROUP_NULL;
    MPI_Group_incl(all, size, order.data(), &turned);
    MPI_Group_free(&all);
    all = turned;
  }
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create_from_group(all, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&all);
  require(comm != MPI_COMM_NULL, "no communicator");
  return comm;
}

// Collectives of all kinds, and communicators that follow from one.
void use(MPI_Comm comm, int count = 100) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const auto length = static_cast<std::size_t>(count);
  std::vector<int> given(length, rank + 1), sums(length);
  MPI_Allreduce(given.data(), sums.data(), count, MPI_INT, MPI_SUM, comm);
  for (const int sum : sums) require(sum == ranks * (ranks + 1) / 2, "a sum is wrong");
  std::vector<int> news(length, rank == 0 ? 7 : 0);
  MPI_Bcast(news.data(), count, MPI_INT, 0, comm);
  for (const int word : news) require(word == 7, "a broadcast is wrong");
  news.assign(length, rank == 0 ? 9 : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(news.data(), count, MPI_INT, 0, comm, &request);
  MPI_Barrier(comm);
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  for (const int word : news) require(word == 9, "a nonblocking broadcast is wrong");
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  std::vector<int> blocks(2 * static_cast<std::size_t>(ranks));
  const int own[2] = {rank, -rank};
  MPI_Allgather(own, 1, pair, blocks.data(), 1, pair, comm);
  for (int i = 0; i < ranks; ++i) require(blocks[2 * static_cast<std::size_t>(i)] == i, "a block is wrong");
  MPI_Type_free(&pair);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(comm, rank % 2, 0, &part);
  int members = 0, one = 1;
  MPI_Allreduce(&one, &members, 1, MPI_INT, MPI_SUM, part);
  require(members == (ranks + 1 - rank % 2) / 2, "a part is wrong");
  MPI_Comm_free(&part);
}

void use_and_free(MPI_Session session, const char* tag, bool reversed = false) {
  MPI_Comm comm = everybody(session, tag, reversed);
  use(comm);
  MPI_Comm_free(&comm);
}

void alone() {
  MPI_Session session = begun();
  use_and_free(session, "one");
  use_and_free(session, "two", true);
  end(session);
}

// Two sessions; the first one begun ends first, or the second.
void two(bool first_first) {
  MPI_Session first = begun(), second = begun();
  MPI_Comm of_first = everybody(first, "first"), of_second = everybody(second, "second");
  use(of_first);
  use(of_second);
  use(of_first, 2000);
  MPI_Session& ending = first_first ? first : second;
  MPI_Comm &freed = first_first ? of_first : of_second, &kept = first_first ? of_second : of_first;
  MPI_Comm_free(&freed);
  end(ending);
  use(kept, 3000);
  MPI_Comm_free(&kept);
  end(first_first ? second : first);
}

void again() {
  for (int round = 0; round < 3; ++round) alone();
}

// Rank 0 ends its first session before it begins the next one; the others have both at a time.
void unlike() {
  MPI_Session first = begun();
  MPI_Comm comm = everybody(first, "first");
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  use(comm);
  MPI_Comm_free(&comm);
  if (rank == 0) end(first);
  MPI_Session second = begun();
  comm = everybody(second, "second");
  use(comm);
  if (rank != 0) end(first);
  use(comm, 1000);
  MPI_Comm_free(&comm);
  end(second);
}

void beside_init() {
  MPI_Init(nullptr, nullptr);
  use(MPI_COMM_WORLD);
  MPI_Session session = begun();
  use_and_free(session, "beside");
  end(session);
  use(MPI_COMM_WORLD);
  MPI_Finalize();
}

void before_init() {
  MPI_Session session = begun();
  use_and_free(session, "before");
  MPI_Init(nullptr, nullptr);
  use(MPI_COMM_WORLD);
  use_and_free(session, "with");
  end(session);
  use(MPI_COMM_WORLD, 2000);
  MPI_Finalize();
}

void after_finalize() {
  MPI_Session session = begun();
  MPI_Init(nullptr, nullptr);
  MPI_Comm comm = everybody(session, "beside");
  use(MPI_COMM_WORLD);
  use(comm);
  MPI_Finalize();
  use(comm);
  MPI_Comm_free(&comm);
  end(session);
}

void with_threads() {
  MPI_Session session = begun("MPI_THREAD_MULTIPLE");
  constexpr int threads = 3;
  std::vector<MPI_Comm> comms;
  for (const char* tag : {"a", "b", "c"}) comms.push_back(everybody(session, tag));
  std::vector<std::jthread> working;
  for (int i = 0; i < threads; ++i)
    working.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) use(comms[static_cast<std::size_t>(i)], 50 * (round + 1));
    });
  working.clear();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  end(session);
}

void unfreed() {
  MPI_Session session = begun(), other = begun();
  use(everybody(session, "left"));
  end(session);
  use_and_free(other, "freed");
  end(other);
}

// Calls enough to learn from.
void at_length() {
  MPI_Session session = begun();
  MPI_Comm comm = everybody(session, "long");
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  double word = 1, most = 0;
  std::vector<int> all(static_cast<std::size_t>(ranks));
  for (int i = 0; i < 3000; ++i) {
    MPI_Allreduce(&word, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
  }
  require(most == 1, "a maximum is wrong");
  for (int i = 0; i < ranks; ++i) require(all[static_cast<std::size_t>(i)] == i, "a number is wrong");
  MPI_Comm_free(&comm);
  end(session);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view life = argc > 1 ? argv[1] : "alone";
  if (life == "alone") alone();
  if (life == "first_first") two(true);
  if (life == "first_last") two(false);
  if (life == "again") again();
  if (life == "unlike") unlike();
  if (life == "beside_init") beside_init();
  if (life == "before_init") before_init();
  if (life == "after_finalize") after_finalize();
  if (life == "threads") with_threads();
  if (life == "unfreed") unfreed();
  if (life == "at_length") at_length();
  // Every rank says so: there is no rank 0 without MPI.
  std::printf("sessions: all right\n");
  return 0;
}
