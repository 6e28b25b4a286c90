// Nonblocking collectives for which there is no memory while they are driven on: each fails by its
// error code, and what comes after it is right. A call before has left memory enough to tell the
// sizes of blocks, so that all ranks come as far, and none waits for another. With an argument
// there is none for other threads either, from the beginning of the call. Prints "out of memory:
// all right".
//
// What is refused is what Tutti's library asks for, and the C++ library, which Tutti's may carry.

#include <dlfcn.h>
#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "all_right.hpp"

namespace {

std::atomic<bool> none_for_this{false}, none_for_others{false};
const std::thread::id this_thread = std::this_thread::get_id();

bool is_refused(const void* caller) {
  Dl_info of{};
  return (std::this_thread::get_id() == this_thread ? none_for_this : none_for_others) &&
         dladdr(caller, &of) != 0 &&
         (std::strstr(of.dli_fname, "libtutti") || std::strstr(of.dli_fname, "libstdc++"));
}

}  // namespace

extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void* malloc(std::size_t bytes) {
  return is_refused(__builtin_return_address(0)) ? nullptr : __libc_malloc(bytes);
}

namespace {

// The error handler of the communicator, which goes on.
int errors_told = 0;
void count_error(MPI_Comm*, int*, ...) {
  ++errors_told;
}

// Some numbers from everybody to everybody.
struct Exchange {
  std::vector<int> given, got, counts, at;
  MPI_Request request = MPI_REQUEST_NULL;

  explicit Exchange(int each) {
    for (int other = 0; other < ranks; ++other) {
      at.push_back(other * each);
      counts.push_back(each);
      given.insert(given.end(), static_cast<std::size_t>(each), rank + other);
    }
    got.assign(given.size(), -1);
  }
  void start() {
    const int error = MPI_Ialltoallv(given.data(), counts.data(), at.data(), MPI_INT, got.data(),
                                     counts.data(), at.data(), MPI_INT, MPI_COMM_WORLD, &request);
    require(error == MPI_SUCCESS, "a call can't begin");
  }
  void expect() {
    require(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS, "a call fails");
    for (int other = 0; other < ranks; ++other)
      require(got[static_cast<std::size_t>(at[static_cast<std::size_t>(other)])] == other + rank,
              "a call is wrong");
  }
};

#ifdef TUTTI_PERSISTENT_COLLECTIVES
// The communicator is told of an error in a request that is started again and again, and another
// such request works.
void again() {
  Exchange failing(3), working(3);
  for (Exchange* one : {&failing, &working})
    MPI_Alltoallv_init(one->given.data(), one->counts.data(), one->at.data(), MPI_INT, one->got.data(),
                       one->counts.data(), one->at.data(), MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &one->request);
  MPI_Start(&failing.request);
  none_for_this = true;
  MPI_Wait(&failing.request, MPI_STATUS_IGNORE);
  none_for_this = false;
  require(errors_told > 0, "a persistent call goes on without memory");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Start(&working.request);
  working.expect();
  MPI_Request_free(&failing.request);
  MPI_Request_free(&working.request);
}
#endif

void calls(bool threads) {
  MPI_Errhandler counting;
  MPI_Comm_create_errhandler(count_error, &counting);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, counting);
  MPI_Barrier(MPI_COMM_WORLD);
  // What others send to a call that has failed may come as long as there is MPI.
  static Exchange first(1), failing(2), working(2);
  first.start();
  first.expect();
  none_for_others = threads;
  failing.start();
  none_for_this = true;
  if (threads) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const int error = MPI_Wait(&failing.request, MPI_STATUS_IGNORE);
  none_for_this = none_for_others = false;
  require(error != MPI_SUCCESS, "a call goes on without memory");
  MPI_Barrier(MPI_COMM_WORLD);
  working.start();
  working.expect();
#ifdef TUTTI_PERSISTENT_COLLECTIVES
  errors_told = 0;
  if (!threads) again();
#endif
}

}  // namespace

int main(int argc, char** argv) {
  const bool threads = argc > 1;
  return all_right(
      "out of memory", argc, argv, [&] { calls(threads); },
      threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
}
