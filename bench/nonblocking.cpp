// A program of nonblocking or persistent collectives only, for bench/learning-nonblocking: an
// iteration starts one to three of them, of operations and sizes that are drawn once, computes for
// a while without a look at them, for which it sleeps here, and waits for them. Prints what all
// iterations took, as JSON.
//
// Usage: nonblocking ITERATIONS SEED MICROSECONDS [persistent], the microseconds of computing.
// Persistent collectives need MPI 4.

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

namespace {

// A collective of a size, from the first rank or to it where one rank is different.
class Exchange {
 public:
  Exchange(std::mt19937& random, int ranks)
      : operation_(random() % 4),
        count_(static_cast<int>(std::exp2(std::uniform_real_distribution(7.0, 15.0)(random)))) {
    if (operation_ == 3) count_ = std::max(1, count_ / ranks);
    out_.resize(static_cast<std::size_t>(count_));
    in_.resize(static_cast<std::size_t>(count_) * (operation_ == 3 ? static_cast<std::size_t>(ranks) : 1));
  }

  void start(MPI_Request* request) {
    switch (operation_) {
      case 0:
        MPI_Ibcast(out_.data(), count_, MPI_LONG, 0, MPI_COMM_WORLD, request);
        break;
      case 1:
        MPI_Ireduce(out_.data(), in_.data(), count_, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD, request);
        break;
      case 2:
        MPI_Iallreduce(out_.data(), in_.data(), count_, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, request);
        break;
      default:
        MPI_Iallgather(out_.data(), count_, MPI_LONG, in_.data(), count_, MPI_LONG, MPI_COMM_WORLD, request);
    }
  }

  // A request that is started again and again.
  void prepare(MPI_Request* request) {
#if MPI_VERSION >= 4
    constexpr MPI_Info plain = MPI_INFO_NULL;
    switch (operation_) {
      case 0:
        MPI_Bcast_init(out_.data(), count_, MPI_LONG, 0, MPI_COMM_WORLD, plain, request);
        break;
      case 1:
        MPI_Reduce_init(out_.data(), in_.data(), count_, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD, plain,
                        request);
        break;
      case 2:
        MPI_Allreduce_init(out_.data(), in_.data(), count_, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, plain,
                           request);
        break;
      default:
        MPI_Allgather_init(out_.data(), count_, MPI_LONG, in_.data(), count_, MPI_LONG, MPI_COMM_WORLD, plain,
                           request);
    }
#else
    *request = MPI_REQUEST_NULL;
    std::fputs("nonblocking: this MPI has no persistent collectives\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
#endif
  }

 private:
  unsigned operation_;
  int count_;
  std::vector<long> out_, in_;
};

void meet() {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 100;
  std::mt19937 random(argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1);
  const std::chrono::microseconds computing(argc > 3 ? std::atoi(argv[3]) : 0);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<Exchange> exchanges;
  for (auto left = 1 + random() % 3; left > 0; --left) exchanges.emplace_back(random, ranks);
  std::vector<MPI_Request> requests(exchanges.size(), MPI_REQUEST_NULL);
  const bool persistent = argc > 4 && argv[4] == std::string_view("persistent");
  for (std::size_t i = 0; persistent && i < exchanges.size(); ++i) exchanges[i].prepare(&requests[i]);
  const int number = static_cast<int>(requests.size());
  meet();
  const double begin = MPI_Wtime();
  for (int iteration = 0; iteration < iterations; ++iteration) {
    if (persistent) MPI_Startall(number, requests.data());
    for (std::size_t i = 0; !persistent && i < exchanges.size(); ++i) exchanges[i].start(&requests[i]);
    if (computing.count() > 0) std::this_thread::sleep_for(computing);
    MPI_Waitall(number, requests.data(), MPI_STATUSES_IGNORE);
  }
  for (std::size_t i = 0; persistent && i < requests.size(); ++i) MPI_Request_free(&requests[i]);
  meet();
  if (rank == 0)
    std::printf("{\"seconds\": %.9f, \"exchanges\": %zu}\n", MPI_Wtime() - begin, exchanges.size());
  MPI_Finalize();
  return 0;
}
