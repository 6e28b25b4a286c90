// What happens around collectives: thousands of communicators made and freed, a communicator's user
// attributes left alone, intercommunicators passed through, errors returned the user's way, threads on
// communicators of their own.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

int rank = 0, ranks = 0;

void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "life: rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

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
    expect(sum_of_ranks(half) == size * (size - 1) / 2, "a sum on a short-lived communicator is wrong");
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
  expect(sum_of_ranks(comm) == ranks * (ranks - 1) / 2, "a sum is wrong");
  expect(copies == 0, "a user's attribute was copied behind the user's back");
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
  expect(sum == remote * (rank % 2 == 0 ? 100 : 1), "an allreduce between groups is wrong");
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
  expect(error_class == MPI_ERR_COUNT, "a negative count is not reported as such");
  MPI_Error_class(MPI_Bcast(&value, 1, MPI_INT, ranks, comm), &error_class);
  expect(error_class == MPI_ERR_ROOT, "a wrong root is not reported as such");
  MPI_Error_class(MPI_Allreduce(&value, &value, 1, MPI_DATATYPE_NULL, MPI_SUM, comm), &error_class);
  expect(error_class != MPI_SUCCESS, "a null datatype is not reported");
  MPI_Comm_free(&comm);
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
        expect(value == i, "a broadcast in a thread is wrong");
        expect(sum_of_ranks(comm) == ranks * (ranks - 1) / 2, "a sum in a thread is wrong");
      }
    });
  for (std::thread& thread : running) thread.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  many_communicators(argc > 1 ? std::atoi(argv[1]) : 100);
  attributes_left_alone();
  intercommunicator();
  errors_are_the_users();
  if (provided == MPI_THREAD_MULTIPLE) threads();
  if (rank == 0) std::printf("life: all right\n");
  MPI_Finalize();
  return 0;
}
