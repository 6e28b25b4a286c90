// What happens around collectives: thousands of communicators made and freed, a communicator's user
// attributes left alone, intercommunicators and spawned processes passed through, errors returned
// the user's way, threads on communicators of their own, messages on their way during collectives,
// a rank that dies.
//
// Usage: life [COMMUNICATORS [spawn | killed | ordered]]. "ordered" has one thread, and begins on
// MPI_COMM_WORLD.

#include <mpi.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "require.hpp"

namespace {

int rank = 0, ranks = 0;

int sum_of_ranks(MPI_Comm comm) {
  int mine = 0, sum = -1;
  MPI_Comm_rank(comm, &mine);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

void many_communicators(int count) {
  for (int i = 0; i < count; ++i) {
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, (rank + i) % 2, rank, &half);
    int size = 0;
    MPI_Comm_size(half, &size);
    require(sum_of_ranks(half) == size * (size - 1) / 2, "a sum on a short-lived communicator is wrong");
    MPI_Comm_free(&half);
  }
}

int copies = 0;
int count_copy(MPI_Comm, int, void*, void*, void*, int* flag) {
  ++copies;
  *flag = 0;
  return MPI_SUCCESS;
}

void attributes_left_alone() {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(count_copy, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_attr(comm, key, &copies);
  require(sum_of_ranks(comm) == ranks * (ranks - 1) / 2, "a sum is wrong");
  require(copies == 0, "a user's attribute was copied behind the user's back");
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&key);
}

void intercommunicator() {
  if (ranks < 2) return;
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 == 0 ? 1 : 0, 7, &inter);
  int value = rank % 2 == 0 ? 1 : 100, sum = 0, remote = 0;
  MPI_Comm_remote_size(inter, &remote);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, inter);
  require(sum == remote * (rank % 2 == 0 ? 100 : 1), "an allreduce between groups is wrong");
  value = rank == 0 ? 7 : -1;
  MPI_Bcast(&value, 1, MPI_INT, rank % 2 == 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
  require(value == (rank % 2 == 1 || rank == 0 ? 7 : -1), "a bcast between groups is wrong");
  std::vector<int> all(static_cast<std::size_t>(remote), -1);
  MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, inter);
  for (int i = 0; i < remote; ++i)
    require(all[static_cast<std::size_t>(i)] == 2 * i + (rank % 2 == 0 ? 1 : 0),
            "an allgather between groups is wrong");
  MPI_Barrier(inter);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

void errors_are_the_users() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  sum_of_ranks(comm);  // Tutti knows it
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int value = 0;
  int error_class = MPI_SUCCESS;
  MPI_Error_class(MPI_Bcast(&value, -1, MPI_INT, 0, comm), &error_class);
  require(error_class == MPI_ERR_COUNT, "a negative count is not reported as such");
  MPI_Error_class(MPI_Bcast(&value, 1, MPI_INT, ranks, comm), &error_class);
  require(error_class == MPI_ERR_ROOT, "a wrong root is not reported as such");
  const auto reported = [&error_class](int error) {
    MPI_Error_class(error, &error_class);
    return error_class;
  };
  int other = 0;
  require(reported(MPI_Allreduce(&value, &other, 1, MPI_DATATYPE_NULL, MPI_SUM, comm)) != MPI_SUCCESS,
          "a null datatype is not reported");
  require(reported(MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_OP_NULL, comm)) == MPI_ERR_OP,
          "a null operation is not reported as such");
  double real = 0, sum = 0;
  require(reported(MPI_Allreduce(&real, &sum, 1, MPI_DOUBLE, MPI_BAND, comm)) == MPI_ERR_OP,
          "bits of floating-point numbers are not reported");
  require(reported(MPI_Reduce(&real, &sum, 1, MPI_DOUBLE, MPI_BAND, 0, comm)) == MPI_ERR_OP,
          "bits of floating-point numbers are not reported by reduce");
  require(reported(MPI_Gather(&value, 1, MPI_INT, &other, 1, MPI_INT, -3, comm)) == MPI_ERR_ROOT,
          "a wrong root is not reported by gather");
  require(reported(MPI_Alltoall(&value, -1, MPI_INT, &other, -1, MPI_INT, comm)) == MPI_ERR_COUNT,
          "a negative count is not reported by alltoall");
  require(sum_of_ranks(comm) == ranks * (ranks - 1) / 2, "a sum after errors is wrong");
  MPI_Comm_free(&comm);
}

// Rank i sends j + 1 numbers to rank j.
void exchange(MPI_Comm comm, int what) {
  const auto p = static_cast<std::size_t>(ranks);
  std::vector<int> sends(p), receives(p, rank + 1), from(p), to(p);
  int total = 0;
  for (std::size_t r = 0; r < p; ++r) {
    sends[r] = static_cast<int>(r) + 1;
    from[r] = total;
    to[r] = static_cast<int>(r) * (rank + 1);
    total += sends[r];
  }
  std::vector<int> given(static_cast<std::size_t>(total), what + rank);
  std::vector<int> got(p * static_cast<std::size_t>(rank + 1), -1);
  MPI_Alltoallv(given.data(), sends.data(), from.data(), MPI_INT, got.data(), receives.data(), to.data(),
                MPI_INT, comm);
  for (std::size_t i = 0; i < got.size(); ++i)
    require(got[i] == what + static_cast<int>(i) / (rank + 1), "an alltoallv in a thread is wrong");
}

void threads() {
  constexpr int count = 4;
  std::vector<MPI_Comm> comms(count);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> running;
  for (const MPI_Comm comm : comms)
    running.emplace_back([comm] {
      for (int i = 0; i < 50; ++i) {
        int value = rank == i % ranks ? i : -1;
        MPI_Bcast(&value, 1, MPI_INT, i % ranks, comm);
        require(value == i, "a broadcast in a thread is wrong");
        require(sum_of_ranks(comm) == ranks * (ranks - 1) / 2, "a sum in a thread is wrong");
        exchange(comm, i);
      }
    });
  for (std::thread& thread : running) thread.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

// A rank can't come to a barrier before it has received a long message whose sender waits there
// already: the message has to go on meanwhile.
void message_behind_a_barrier() {
  if (ranks < 2) return;
  std::vector<int> data(2 << 20);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = rank == 0 ? static_cast<int>(i) + round : -1;
    MPI_Request request = MPI_REQUEST_NULL;
    const int count = static_cast<int>(data.size());
    if (rank == 0) MPI_Isend(data.data(), count, MPI_INT, 1, round, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Recv(data.data(), count, MPI_INT, 0, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < data.size() && rank < 2; ++i)
      require(data[i] == static_cast<int>(i) + round, "a message sent before a barrier is wrong");
  }
}

// Dies while the others wait for it: the job has to end. It is said well before, for a launcher may
// lose what was said last.
void die() {
  if (rank == 0) std::fprintf(stderr, "life: a rank dies\n");
  for (int barriers = 0; barriers < 100; ++barriers) MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) std::raise(SIGKILL);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Started processes and we together: they need not have Tutti.
void spawned(char* program) {
  MPI_Comm children, together;
  char child[] = "0", word[] = "child";
  char* arguments[] = {child, word, nullptr};
  MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  MPI_Intercomm_merge(children, 0, &together);
  require(sum_of_ranks(together) == (ranks + 2) * (ranks + 1) / 2, "a sum with spawned processes is wrong");
  MPI_Comm_free(&together);
  MPI_Comm_disconnect(&children);
}

void be_child(MPI_Comm parents) {
  MPI_Comm together;
  MPI_Intercomm_merge(parents, 1, &together);
  int size = 0;
  MPI_Comm_size(together, &size);
  require(sum_of_ranks(together) == size * (size - 1) / 2, "a sum with those who spawned us is wrong");
  MPI_Comm_free(&together);
  MPI_Comm_disconnect(&parents);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view further = argc > 2 ? argv[2] : "";
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, further == "ordered" ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm parents = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parents);
  if (parents != MPI_COMM_NULL) {
    be_child(parents);
    MPI_Finalize();
    return 0;
  }
  if (further == "ordered")
    require(sum_of_ranks(MPI_COMM_WORLD) == ranks * (ranks - 1) / 2, "a sum is wrong");
  many_communicators(argc > 1 ? std::atoi(argv[1]) : 100);
  attributes_left_alone();
  intercommunicator();
  errors_are_the_users();
  if (further != "ordered") {
    require(provided == MPI_THREAD_MULTIPLE, "threads may not call MPI at the same time");
    threads();
  }
  message_behind_a_barrier();
  if (further == "spawn") spawned(argv[0]);
  if (further == "killed") die();
  if (rank == 0) std::printf("life: all right\n");
  MPI_Finalize();
  return 0;
}
