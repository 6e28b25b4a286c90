// Persistent collectives in the lives that requests have: started again and again, in any order,
// beside others, freed at any time, with what they need freed before. Prints "persistent: all
// right".

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "all_right.hpp"

namespace {

// A sum over ranks of what each gives, of many numbers.
struct Sum {
  static constexpr int length = 300;
  std::vector<int> given = std::vector<int>(length), total = std::vector<int>(length);
  MPI_Request request = MPI_REQUEST_NULL;

  explicit Sum(MPI_Comm comm = MPI_COMM_WORLD, MPI_Datatype type = MPI_INT, MPI_Op op = MPI_SUM) {
    MPI_Allreduce_init(given.data(), total.data(), length, type, op, comm, MPI_INFO_NULL, &request);
  }
  void give(int number) {
    for (int i = 0; i < length; ++i) given[static_cast<std::size_t>(i)] = rank + number + i;
    total.assign(total.size(), -1);
  }
  void expect(int number, const char* what) const {
    for (int i = 0; i < length; ++i)
      require(total[static_cast<std::size_t>(i)] == ranks * (ranks - 1) / 2 + ranks * (number + i), what);
  }
};

void again_and_again() {
  Sum sum;
  int flag = 0;
  MPI_Wait(&sum.request, MPI_STATUS_IGNORE);
  MPI_Test(&sum.request, &flag, MPI_STATUS_IGNORE);
  require(flag != 0, "a request that was not started is not complete");
  for (int round = 0; round < 20; ++round) {
    sum.give(round);
    MPI_Start(&sum.request);
    if (round % 3 == 0)
      for (flag = 0; !flag;) MPI_Test(&sum.request, &flag, MPI_STATUS_IGNORE);
    if (round % 3 == 1)
      for (flag = 0; !flag;) MPI_Request_get_status(sum.request, &flag, MPI_STATUS_IGNORE);
    MPI_Wait(&sum.request, MPI_STATUS_IGNORE);
    require(sum.request != MPI_REQUEST_NULL, "a request is gone that can be started again");
    sum.expect(round, "a sum is wrong");
  }
  MPI_Request_free(&sum.request);
  require(sum.request == MPI_REQUEST_NULL, "a request is left that was freed");
}

// Starts all at once, each rank in an order of its own.
void many_in_any_order() {
  constexpr int many = 60;
  std::vector<Sum> sums(many);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < many; ++i) sums[static_cast<std::size_t>(i)].give(i + round);
    for (int i = 0; i < many; ++i)
      MPI_Start(&sums[static_cast<std::size_t>(rank % 2 == 0 ? i : many - 1 - i)].request);
    for (Sum& sum : sums) MPI_Wait(&sum.request, MPI_STATUS_IGNORE);
    for (int i = 0; i < many; ++i)
      sums[static_cast<std::size_t>(i)].expect(i + round, "one of many is wrong");
  }
  for (int i = 0; i < many; i += 2) MPI_Request_free(&sums[static_cast<std::size_t>(i)].request);
  for (int i = 1; i < many; i += 2) MPI_Request_free(&sums[static_cast<std::size_t>(i)].request);
}

// Messages that are started again, a nonblocking collective and a blocking one.
void beside_others() {
  Sum sum;
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  int sent = 0, got = 0, number = 0;
  MPI_Request requests[4] = {sum.request, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Send_init(&sent, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Recv_init(&got, 1, MPI_INT, before, 1, MPI_COMM_WORLD, &requests[2]);
  for (int round = 0; round < 5; ++round) {
    sum.give(round);
    sent = rank + round;
    number = rank == 0 ? round : -1;
    MPI_Startall(3, requests);
    MPI_Ibcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    sum.expect(round, "beside others a sum is wrong");
    require(got == before + round && number == round, "what is beside it is wrong");
  }
  for (int i = 0; i < 3; ++i) MPI_Request_free(&requests[i]);
}

void without_what_it_needs() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_name(comm, "a name in Latin-1: \xfc");
  MPI_Datatype type;
  MPI_Type_contiguous(1, MPI_INT, &type);
  MPI_Type_commit(&type);
  Sum sum(comm, MPI_INT), other(comm);
  std::vector<int> vector(100, rank == 0 ? 5 : 0);
  MPI_Request bcast;
  MPI_Bcast_init(vector.data(), 100, type, 0, comm, MPI_INFO_NULL, &bcast);
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
  MPI_Type_free(&type);
  for (int round = 0; round < 3; ++round) {
    sum.give(round);
    MPI_Start(&sum.request);
    MPI_Start(&bcast);
    MPI_Wait(&bcast, MPI_STATUS_IGNORE);
    MPI_Wait(&sum.request, MPI_STATUS_IGNORE);
    sum.expect(round, "on a communicator that was freed a sum is wrong");
    for (const int number : vector) require(number == 5, "with a type that was freed a vector is wrong");
  }
  MPI_Request_free(&sum.request);
  MPI_Request_free(&bcast);
  other.give(9);
  MPI_Start(&other.request);
  MPI_Wait(&other.request, MPI_STATUS_IGNORE);
  other.expect(9, "the last sum is wrong");
  MPI_Request_free(&other.request);
}

int types_gone = 0;
int count_gone(MPI_Datatype, int, void*, void*) {
  ++types_gone;
  return MPI_SUCCESS;
}

// A type goes when the program frees it, or with the last request that names it.
void frees_what_nobody_names() {
  int key = MPI_KEYVAL_INVALID;
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, count_gone, &key, nullptr);
  const auto made = [&] {
    MPI_Datatype type;
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_set_attr(type, key, nullptr);
    return type;
  };
  types_gone = 0;
  Sum sum;
  for (int time = 1; time <= 100; ++time) {
    MPI_Datatype type = made();
    MPI_Type_free(&type);
    require(type == MPI_DATATYPE_NULL && types_gone == time, "a type that nobody needs is kept");
  }
  types_gone = 0;
  std::vector<int> pairs(3 * 10, rank == 0 ? 5 : 0);
  MPI_Datatype named = made(), other = made();
  MPI_Request requests[2];
  for (MPI_Request& request : requests)
    MPI_Bcast_init(pairs.data(), 10, named, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Type_free(&named);
  require(named == MPI_DATATYPE_NULL && types_gone == 0, "a type is gone that a request names");
  MPI_Type_free(&other);
  require(types_gone == 1, "a type is kept that no request names");
  for (int left = 2; left-- > 0;) {
    MPI_Start(&requests[left]);
    MPI_Wait(&requests[left], MPI_STATUS_IGNORE);
    require(pairs[0] == 5 && pairs[2] == 5 && (rank == 0 || pairs[1] == 0), "a vector of pairs is wrong");
    MPI_Request_free(&requests[left]);
    require(types_gone == (left > 0 ? 1 : 2), "a type does not go with the last request that names it");
  }
  MPI_Request_free(&sum.request);
  MPI_Type_free_keyval(&key);
}

// Each rank starts a sum before or behind a function that blocks for all of them.
void around_what_blocks() {
  Sum sum;
  sum.give(3);
  MPI_Comm made;
  if (rank % 2 == 0) MPI_Start(&sum.request);
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  if (rank % 2 == 1) MPI_Start(&sum.request);
  MPI_Wait(&sum.request, MPI_STATUS_IGNORE);
  sum.expect(3, "a sum around a communicator that is made is wrong");
  MPI_Request_free(&sum.request);
  MPI_Comm_free(&made);
}

// Each rank starts an allgather before or behind one that blocks, for which the network may be
// measured.
void around_one_that_blocks() {
  constexpr int length = 2000;
  const std::vector<int> given(length, rank);
  std::vector<int> all(static_cast<std::size_t>(length * ranks)), others = all;
  MPI_Request request;
  MPI_Allgather_init(given.data(), length, MPI_INT, all.data(), length, MPI_INT, MPI_COMM_WORLD,
                     MPI_INFO_NULL, &request);
  for (int round = 0; round < 3; ++round) {
    all.assign(all.size(), -1);
    if (rank % 2 == 0) MPI_Start(&request);
    MPI_Allgather(given.data(), length, MPI_INT, others.data(), length, MPI_INT, MPI_COMM_WORLD);
    if (rank % 2 == 1) MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < length * ranks; ++i)
      require(all[static_cast<std::size_t>(i)] == i / length, "an allgather around another is wrong");
  }
  MPI_Request_free(&request);
}

}  // namespace

int main(int argc, char** argv) {
  return all_right("persistent", argc, argv, [] {
    again_and_again();
    many_in_any_order();
    beside_others();
    without_what_it_needs();
    frees_what_nobody_names();
    around_what_blocks();
    around_one_that_blocks();
    static Sum never_freed, never_started;  // whose arrays outlive MPI
    never_freed.give(1);
    MPI_Start(&never_freed.request);
    MPI_Wait(&never_freed.request, MPI_STATUS_IGNORE);
    never_freed.expect(1, "a sum is wrong");
  });
}
