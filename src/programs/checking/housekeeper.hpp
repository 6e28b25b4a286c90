#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "programs/checking/support.hpp"

namespace checking {

/// A thread that makes and frees datatypes and operations for as long as it lives, beside the calls
/// of the program's main thread. Needs MPI_THREAD_MULTIPLE.
class Housekeeper {
 public:
  Housekeeper() : thread_([this] { work(); }) {}
  Housekeeper(const Housekeeper&) = delete;
  ~Housekeeper() {
    ends_ = true;
    thread_.join();
  }

 private:
  void work() const {
    constexpr std::chrono::microseconds pause{200};  // leaves the processors to the ranks
    while (!ends_) {
      MPI_Datatype type;
      MPI_Type_contiguous(3, MPI_INT, &type);
      MPI_Type_commit(&type);
      MPI_Type_free(&type);
      MPI_Op op;
      MPI_Op_create(xor_words, 1, &op);
      MPI_Op_free(&op);
      std::this_thread::sleep_for(pause);
    }
  }

  std::atomic<bool> ends_ = false;
  std::thread thread_;  // begins when all else is there
};

}  // namespace checking
