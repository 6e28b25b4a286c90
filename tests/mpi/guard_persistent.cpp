// A program that starts persistent broadcasts again and again. Every result is compared with what
// it has to be. Prints "guard persistent: all right".
//
// Usage: guard_persistent BYTES STARTS [many | orders | threads]
//
// Without more, one request. "many": several of one kind at once, of which some are freed and made
// anew late, and one of a communicator of some ranks, which start it before those or behind them.
// "orders": two requests of one communicator, of which each rank starts another one first.
// "threads": the program may call from several threads.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "all_right.hpp"

namespace {

// A persistent broadcast from a communicator's first rank.
class Broadcast {
 public:
  explicit Broadcast(std::size_t bytes, MPI_Comm comm = MPI_COMM_WORLD) : data_(bytes) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Bcast_init(data_.data(), static_cast<int>(bytes), MPI_CHAR, 0, comm, MPI_INFO_NULL, &request_);
  }
  Broadcast(const Broadcast&) = delete;
  Broadcast& operator=(const Broadcast&) = delete;
  ~Broadcast() { MPI_Request_free(&request_); }

  MPI_Request fill(int number) {
    number_ = static_cast<char>(number);
    data_.assign(data_.size(), rank_ == 0 ? number_ : '\0');
    return request_;
  }
  void start(int number) {
    fill(number);
    MPI_Start(&request_);
  }
  void wait() {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    require(std::ranges::count(data_, number_) == static_cast<long>(data_.size()), "a broadcast is wrong");
  }

 private:
  int rank_ = 0;
  char number_ = 0;
  std::vector<char> data_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

void start_one(std::size_t bytes, int starts) {
  Broadcast one(bytes);
  for (int i = 0; i < starts; ++i) {
    one.start(i);
    one.wait();
  }
}

void start_many(std::size_t bytes, int starts) {
  const bool is_in_part = rank < 2;
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, is_in_part ? 0 : MPI_UNDEFINED, rank, &part);
  std::array<std::unique_ptr<Broadcast>, 3> all;
  for (auto& one : all) one = std::make_unique<Broadcast>(bytes);
  auto of_part = is_in_part ? std::make_unique<Broadcast>(bytes, part) : nullptr;
  for (int i = 0; i < starts; ++i) {
    const bool part_starts = is_in_part && i % 3 == 0;
    if (part_starts && rank == 0) of_part->start(i);
    std::array<MPI_Request, 3> requests;
    std::ranges::transform(all, requests.begin(), [&](auto& one) { return one->fill(i); });
    if (i % 2 == 0)
      MPI_Startall(static_cast<int>(requests.size()), requests.data());
    else
      for (auto& one : all) one->start(i);
    if (part_starts && rank == 1) of_part->start(i);
    for (auto& one : all) one->wait();
    if (part_starts) of_part->wait();
    if (i == starts * 3 / 4) {
      all[2].reset();
      all[0] = std::make_unique<Broadcast>(bytes);
      all[2] = std::make_unique<Broadcast>(bytes);
    }
  }
  of_part.reset();
  if (is_in_part) MPI_Comm_free(&part);
}

void start_in_orders_of_their_own(std::size_t bytes, int starts) {
  Broadcast one(bytes), other(bytes);
  for (int i = 0; i < starts; ++i) {
    (rank % 2 == 0 ? one : other).start(i);
    (rank % 2 == 0 ? other : one).start(i);
    one.wait();
    other.wait();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 3 ? argv[3] : "";
  const auto run = [&] {
    require(argc > 2, "usage: guard_persistent BYTES STARTS [many | orders | threads]");
    const auto bytes = static_cast<std::size_t>(std::atol(argv[1]));
    const int starts = std::atoi(argv[2]);
    how == "many"     ? start_many(bytes, starts)
    : how == "orders" ? start_in_orders_of_their_own(bytes, starts)
                      : start_one(bytes, starts);
  };
  if (how == "threads") return all_right("guard persistent", argc, argv, run, MPI_THREAD_MULTIPLE);
  return all_right("guard persistent", argc, argv, run);
}
