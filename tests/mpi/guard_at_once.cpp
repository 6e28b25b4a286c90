// A program of nonblocking broadcasts that all ranks wait for, one after the other, or that one
// rank waits for at its end only. Every result is compared with what it has to be, and after each
// call that all have waited for all ranks have to name the same plan for the next one. Prints
// "guard at once: all right".
//
// Usage: guard_at_once BYTES CALLS [hoards | threads]
//
// "hoards": the root waits for no call before it has started all. "threads": the program may
// call from several threads.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "all_right.hpp"
#include "tutti/tutti.h"

namespace {

// A broadcast from rank 0.
class Broadcast {
 public:
  Broadcast(std::size_t bytes, int call)
      : call_(static_cast<char>(call)), data_(bytes, rank == 0 ? call_ : '\0') {
    MPI_Ibcast(data_.data(), static_cast<int>(bytes), MPI_CHAR, 0, MPI_COMM_WORLD, &request_);
  }
  void wait() {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    require(std::ranges::count(data_, call_) == static_cast<long>(data_.size()), "a broadcast is wrong");
  }

 private:
  char call_;
  std::vector<char> data_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

// Whether the next call is to go natively, as this rank has it.
int is_next_native(std::size_t bytes) {
  std::array<char, 100> plan{};
  require(tutti_get_plan(MPI_COMM_WORLD, "ibcast", bytes, plan.data(), plan.size()) == TUTTI_SUCCESS,
          tutti_error());
  return std::string_view(plan.data()) == "native";
}

void wait_for_each(std::size_t bytes, int calls) {
  std::vector<int> natively;
  for (int call = 0; call < calls; ++call) {
    Broadcast(bytes, call).wait();
    natively.push_back(is_next_native(bytes));
  }
  std::vector<int> somewhere(natively.size());
  MPI_Allreduce(natively.data(), somewhere.data(), calls, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  require(natively == somewhere, "another rank has given up the plan before another call");
}

// The root hears from the others that they have a broadcast, and keeps its request.
void hoard(std::size_t bytes, int calls) {
  constexpr int tag = 7;
  std::vector<Broadcast> kept;
  for (int call = 0; call < calls; ++call) {
    Broadcast& one = kept.emplace_back(bytes, call);
    if (rank != 0) {
      one.wait();
      MPI_Send(nullptr, 0, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
    } else {
      for (int other = 1; other < ranks; ++other)
        MPI_Recv(nullptr, 0, MPI_CHAR, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  if (rank == 0)
    for (Broadcast& one : kept) one.wait();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 3 ? argv[3] : "";
  const auto run = [&] {
    require(argc > 2, "usage: guard_at_once BYTES CALLS [hoards | threads]");
    const auto bytes = static_cast<std::size_t>(std::atol(argv[1]));
    const int calls = std::atoi(argv[2]);
    how == "hoards" ? hoard(bytes, calls) : wait_for_each(bytes, calls);
  };
  if (how == "threads") return all_right("guard at once", argc, argv, run, MPI_THREAD_MULTIPLE);
  return all_right("guard at once", argc, argv, run);
}
