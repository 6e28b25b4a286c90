// The C++ face of tutti.h: a plan for as long as an object lives, phases likewise, statistics as a
// vector.
//
//     tutti::phase solving("solve");
//     {
//       tutti::plan_in_force ring(comm, "allgather", "ring");
//       MPI_Allgather(…, comm);  // by that plan
//     }
//     for (const tutti::use& use : tutti::statistics()) …
//
// All of it does nothing where Tutti is not loaded.

#ifndef TUTTI_TUTTI_HPP
#define TUTTI_TUTTI_HPP

#include <string>
#include <utility>
#include <vector>

#include "tutti/tutti.h"

namespace tutti {

/// An operation runs by a plan on a communicator as long as this lives. Its making and its end are
/// collective over the communicator (see tutti_set_plan).
class plan_in_force {
 public:
  plan_in_force(MPI_Comm comm, std::string operation, const std::string& plan)
      : comm_(comm),
        operation_(std::move(operation)),
        status_(tutti_set_plan(comm, operation_.c_str(), plan.c_str())) {}
  plan_in_force(const plan_in_force&) = delete;
  plan_in_force& operator=(const plan_in_force&) = delete;
  ~plan_in_force() {
    if (*this) tutti_set_plan(comm_, operation_.c_str(), nullptr);
  }

  /// Whether it is in force; else `status` says why not, and tutti_error() in words.
  explicit operator bool() const { return status_ == TUTTI_SUCCESS; }
  int status() const { return status_; }

 private:
  MPI_Comm comm_;
  std::string operation_;
  int status_;
};

/// What runs as long as this lives belongs to a phase of the program (see tutti_begin_phase).
class phase {
 public:
  explicit phase(const char* name) : begun_(tutti_begin_phase(name) == TUTTI_SUCCESS) {}
  phase(const phase&) = delete;
  phase& operator=(const phase&) = delete;
  ~phase() {
    if (begun_) tutti_end_phase();
  }

 private:
  bool begun_;
};

/// What this rank has run of an operation by one plan (see tutti_use).
struct use {
  std::string operation, plan;
  unsigned long long calls, bytes;
  double seconds;
};

/// All of it so far; nothing where Tutti is not loaded.
inline std::vector<use> statistics() {
  std::vector<use> all;
  tutti_statistics(
      [](const tutti_use* u, void* context) {
        static_cast<std::vector<use>*>(context)->push_back(
            {u->operation, u->plan, u->calls, u->bytes, u->seconds});
      },
      &all);
  return all;
}

}  // namespace tutti

#endif
