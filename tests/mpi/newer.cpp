// What the MPI library has that its header may not declare: a program that finds out while it runs,
// as bindings for other languages do. What it finds it uses, beside a nonblocking collective where
// ranks wait in it. Prints "newer: NAME" for each function that it has found, and "newer: all
// right".

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <vector>

#include "all_right.hpp"

namespace {

// A function of the running library, if it has it.
template <typename Function>
class Found {
 public:
  explicit Found(const char* name) : function_(reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name))) {
    if (function_ && rank == 0) std::printf("newer: %s\n", name);
  }
  explicit operator bool() const { return function_; }
  template <typename... Arguments>
  void operator()(Arguments... arguments) const {
    require(function_(arguments...) == MPI_SUCCESS, "a function fails");
  }

 private:
  Function* function_;
};

using Send = int(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
using Isend = int(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
using Recv = int(void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
using Irecv = int(void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

// Rank 0 does something that ends only when rank 1 has got a broadcast from the last rank, which
// under a chain rank 0 has to pass on.
template <typename Do>
void meanwhile(Do&& what) {
  constexpr int length = 200'000;
  std::vector<int> data(length);
  if (rank == ranks - 1) std::iota(data.begin(), data.end(), 0);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(data.data(), length, MPI_INT, ranks - 1, MPI_COMM_WORLD, &request);
  if (rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
  what(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < length; ++i) require(data[static_cast<std::size_t>(i)] == i, "a broadcast is wrong");
}

// A message from rank 1 to rank 0, or the other way round, received in some way.
template <typename Give, typename Get>
void passed(int from, Give&& give, Get&& get) {
  meanwhile([&](MPI_Request&) {
    int word = rank == from ? 7 : 0;
    if (rank == from) give(&word);
    if (rank == 1 - from) get(&word);
    require(rank > 1 || word == 7, "a message is wrong");
  });
}

void messages() {
  constexpr int tag = 3;
  const Found<Send> send("MPI_Send_c"), ssend("MPI_Ssend_c"), rsend("MPI_Rsend_c"), bsend("MPI_Bsend_c");
  const Found<Isend> isend("MPI_Isend_c"), issend("MPI_Issend_c");
  const Found<Recv> recv("MPI_Recv_c");
  const Found<Irecv> irecv("MPI_Irecv_c");
  const Found<int(void*, MPI_Count, MPI_Datatype, MPI_Message*, MPI_Status*)> mrecv("MPI_Mrecv_c");
  const auto plain_send = [](int* word) { MPI_Send(word, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD); };
  const auto plain_recv = [](int* word) {
    MPI_Recv(word, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  };
  if (recv)
    passed(1, plain_send, [&](int* word) {
      MPI_Status status;
      recv(word, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
      require(status.MPI_SOURCE == 1 && status.MPI_TAG == tag, "a status is wrong");
    });
  if (mrecv)
    passed(1, plain_send, [&](int* word) {
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Mprobe(1, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      mrecv(word, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    });
  if (irecv)
    passed(1, plain_send, [&](int* word) {
      MPI_Request request = MPI_REQUEST_NULL;
      irecv(word, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
  for (const auto* give : {&send, &ssend})
    if (*give)
      passed(
          0, [&](int* word) { (*give)(word, 1, MPI_INT, 1, tag, MPI_COMM_WORLD); }, plain_recv);
  for (const auto* give : {&isend, &issend})
    if (*give)
      passed(
          0,
          [&](int* word) {
            MPI_Request request = MPI_REQUEST_NULL;
            (*give)(word, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
          },
          plain_recv);
}

void exchanges() {
  constexpr int tag = 4;
  const Found<int(const void*, MPI_Count, MPI_Datatype, int, int, void*, MPI_Count, MPI_Datatype, int, int,
                  MPI_Comm, MPI_Status*)>
      sendrecv("MPI_Sendrecv_c");
  const Found<int(void*, MPI_Count, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status*)> replace(
      "MPI_Sendrecv_replace_c");
  const Found<int(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int, MPI_Comm,
                  MPI_Request*)>
      isendrecv("MPI_Isendrecv");
  const Found<int(void*, int, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request*)> ireplace(
      "MPI_Isendrecv_replace");
  const auto exchanged = [](auto&& exchange) {
    meanwhile([&](MPI_Request&) {
      if (rank > 1) return;
      int given = rank + 5, got = given;
      MPI_Request request = MPI_REQUEST_NULL;
      exchange(1 - rank, &given, &got, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      require(got == 1 - rank + 5, "an exchange is wrong");
    });
  };
  if (sendrecv)
    exchanged([&](int other, int* given, int* got, MPI_Request*) {
      sendrecv(given, 1, MPI_INT, other, tag, got, 1, MPI_INT, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
  if (replace)
    exchanged([&](int other, int*, int* got, MPI_Request*) {
      MPI_Status status;
      replace(got, 1, MPI_INT, other, tag, other, tag, MPI_COMM_WORLD, &status);
      require(status.MPI_SOURCE == other && status.MPI_TAG == tag, "a status is wrong");
    });
  if (isendrecv)
    exchanged([&](int other, int* given, int* got, MPI_Request* request) {
      isendrecv(given, 1, MPI_INT, other, tag, got, 1, MPI_INT, other, tag, MPI_COMM_WORLD, request);
    });
  if (ireplace)
    exchanged([&](int other, int*, int* got, MPI_Request* request) {
      ireplace(got, 1, MPI_INT, other, tag, other, tag, MPI_COMM_WORLD, request);
    });
}

// Open MPI 5.0 overwrites its own memory in partitioned messages.
bool breaks_partitions() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  return std::string_view(text).starts_with("Open MPI v5");
}

// A vector that goes from rank 1 to rank 0 in parts; rank 0 asks for the last part, and waits then,
// for MPICH 4 does nothing in the question.
void partitions() {
  if (breaks_partitions()) return;
  const Found<int(void*, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request*)> receive(
      "MPI_Precv_init");
  const Found<int(const void*, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request*)>
      send("MPI_Psend_init");
  const Found<int(int, MPI_Request)> ready("MPI_Pready");
  const Found<int(MPI_Request, int, int*)> arrived("MPI_Parrived");
  if (!send || !receive || !ready || !arrived) return;
  constexpr int parts = 4, each = 10;
  std::vector<int> vector(parts * each, rank == 1 ? 6 : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 1) send(vector.data(), parts, each, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (rank == 0) receive(vector.data(), parts, each, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int round = 0; round < 2; ++round) {
    if (rank < 2) MPI_Start(&request);
    meanwhile([&](MPI_Request&) {
      if (rank == 1)
        for (int part = 0; part < parts; ++part) ready(part, request);
      int is_there = 0;
      for (int look = 0; rank == 0 && look < 10; ++look) arrived(request, parts - 1, &is_there);
      if (rank < 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
    require(rank > 1 || (vector.front() == 6 && vector.back() == 6), "a part is wrong");
  }
  if (rank < 2) MPI_Request_free(&request);
}

void asks_of_requests() {
  const Found<int(int, const MPI_Request*, int*, MPI_Status*)> all("MPI_Request_get_status_all");
  if (all)
    meanwhile([&](MPI_Request& request) {
      for (int done = 0; !done;) all(1, &request, &done, MPI_STATUSES_IGNORE);
    });
}

void communicators() {
  const Found<int(MPI_Group, const char*, MPI_Info, MPI_Errhandler, MPI_Comm*)> make(
      "MPI_Comm_create_from_group");
  if (make)
    meanwhile([&](MPI_Request&) {
      MPI_Group group = MPI_GROUP_NULL;
      MPI_Comm_group(MPI_COMM_WORLD, &group);
      MPI_Comm made = MPI_COMM_NULL;
      make(group, "newer", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
      MPI_Group_free(&group);
      int one = 1, sum = 0;
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made);
      require(sum == ranks, "a sum is wrong");
      MPI_Comm_free(&made);
    });
}

void collectives() {
  const Found<int(void*, MPI_Count, MPI_Datatype, int, MPI_Comm)> bcast("MPI_Bcast_c");
  const Found<int(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*)> iallreduce(
      "MPI_Iallreduce_c");
  const Found<int(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*,
                  MPI_Datatype, MPI_Comm)>
      allgatherv("MPI_Allgatherv_c");
  const Found<int(MPI_Count, MPI_Datatype, MPI_Datatype*)> contiguous("MPI_Type_contiguous_c");
  MPI_Datatype type = MPI_INT;
  if (contiguous) {
    contiguous(1, MPI_INT, &type);
    MPI_Type_commit(&type);
  }
  if (bcast) {
    std::vector<int> vector(100, rank == 0 ? 3 : 0);
    bcast(vector.data(), 100, type, 0, MPI_COMM_WORLD);
    for (const int word : vector) require(word == 3, "a broadcast is wrong");
  }
  if (iallreduce) {
    int sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    require(sum == ranks * (ranks - 1) / 2, "a sum is wrong");
  }
  if (allgatherv) {
    const auto all = static_cast<std::size_t>(ranks);
    std::vector<MPI_Count> counts(all, 1);
    std::vector<MPI_Aint> places(all);
    std::iota(places.rbegin(), places.rend(), 0);
    std::vector<int> got(all);
    allgatherv(&rank, 1, MPI_INT, got.data(), counts.data(), places.data(), type, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; ++i)
      require(got[static_cast<std::size_t>(ranks - 1 - i)] == i, "a block is wrong");
  }
  if (contiguous) MPI_Type_free(&type);
}

void persistent() {
  const Found<int(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request*)> bcast("MPI_Bcast_init");
  if (!bcast) return;
  std::vector<int> vector(100);
  MPI_Request request = MPI_REQUEST_NULL;
  bcast(vector.data(), 100, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int round = 1; round < 4; ++round) {
    vector.assign(vector.size(), rank == 0 ? round : 0);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (const int word : vector) require(word == round, "a broadcast is wrong");
  }
  MPI_Request_free(&request);
}

}  // namespace

int main(int argc, char** argv) {
  return all_right("newer", argc, argv, [] {
    require(ranks >= 3, "needs three ranks");
    MPI_Barrier(MPI_COMM_WORLD);
    messages();
    exchanges();
    partitions();
    asks_of_requests();
    communicators();
    collectives();
    persistent();
  });
}
