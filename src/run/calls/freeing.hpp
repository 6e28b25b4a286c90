#pragma once

#include "run/mpi/handles.hpp"

namespace tutti::run {

/// Marks a communicator as one that the thread is freeing, as long as it lives. What Tutti knows of
/// it has gone on all ranks by then, while the program's callbacks for attributes may still call
/// collectives on it: these are native.
class Freeing {
 public:
  explicit Freeing(MPI_Comm comm) : comm_(comm) { innermost_ = this; }
  Freeing(const Freeing&) = delete;
  Freeing& operator=(const Freeing&) = delete;
  ~Freeing() { innermost_ = around_; }

  static bool is_under_way(MPI_Comm comm) {
    for (const Freeing* freeing = innermost_; freeing; freeing = freeing->around_)
      if (freeing->comm_ == comm) return true;
    return false;
  }

 private:
  inline static constinit thread_local const Freeing* innermost_ = nullptr;

  MPI_Comm comm_;
  const Freeing* around_ = innermost_;
};

}  // namespace tutti::run
