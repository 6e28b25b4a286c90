#include "runtime/progress.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "mpi/threads.hpp"
#include "runtime/pending.hpp"
#include "runtime/persistent.hpp"
#include "runtime/process.hpp"

namespace tutti::runtime {
namespace {

std::mutex mutex;  // guards the list, and what is under way with it
std::vector<std::shared_ptr<Pending>> pending;
std::vector<MPI_Datatype> types_to_free;
std::vector<MPI_Op> ops_to_free;
std::jthread driver;

void free_what_nobody_needs() {
  if (!pending.empty() || any_persistent()) return;
  for (MPI_Datatype& type : types_to_free) PMPI_Type_free(&type);
  for (MPI_Op& op : ops_to_free) PMPI_Op_free(&op);
  types_to_free.clear();
  ops_to_free.clear();
}

// Those that are complete leave; the user may wait for them with any function of the MPI library.
void let_go_of_complete() {
  std::erase_if(pending, [](const std::shared_ptr<Pending>& one) {
    if (one->is_complete()) one->complete_request();
    return one->is_complete();
  });
  under_way.store(static_cast<int>(pending.size()), std::memory_order_relaxed);
  free_what_nobody_needs();
}

void advance_all() {
  for (const auto& one : pending) one->advance();
  let_go_of_complete();
}

// Until none is left of which `wanted` says so.
template <typename Wanted>
void complete_if(Wanted&& wanted) {
  if (!any_under_way()) return;
  const Inside inside;
  while (true) {
    {
      const std::lock_guard lock(mutex);
      advance_all();
      if (std::none_of(pending.begin(), pending.end(), [&](const auto& one) { return wanted(*one); })) return;
    }
    sched_yield();
  }
}

}  // namespace

int begin(const std::shared_ptr<Pending>& one) {
  // Tags come round again after some ten thousand calls.
  complete_if([&](const Pending& other) { return one->shares_tags_with(other); });
  const std::lock_guard lock(mutex);
  if (const int error = one->begin(); error != MPI_SUCCESS) return error;
  pending.push_back(one);
  under_way.store(static_cast<int>(pending.size()), std::memory_order_relaxed);
  advance_all();
  return MPI_SUCCESS;
}

void progress() {
  const Inside inside;
  const std::unique_lock lock(mutex, std::try_to_lock);
  if (lock) advance_all();
}

void complete_own() {
  if (driver.joinable()) return;  // which drives on
  complete_if([](const Pending& one) { return one.is_of_this_thread(); });
}

void complete_all_on(const Communicator& communicator) {
  complete_if([&](const Pending& one) { return &one.communicator() == &communicator; });
}

void complete(const Pending& pending) {
  complete_if([&](const Pending& one) { return &one == &pending; });
}

// Other threads would have to wait for the lock meanwhile.
void complete_if_only(MPI_Request request) {
  if (several_threads_call()) return;
  const Inside inside;
  const std::lock_guard lock(mutex);
  if (pending.size() != 1 || pending.front()->request() != request) return;
  pending.front()->finish();
  let_go_of_complete();
}

int free_type_later(MPI_Datatype* type) {
  const std::lock_guard lock(mutex);
  types_to_free.push_back(std::exchange(*type, MPI_DATATYPE_NULL));
  return MPI_SUCCESS;
}

int free_op_later(MPI_Op* op) {
  const std::lock_guard lock(mutex);
  ops_to_free.push_back(std::exchange(*op, MPI_OP_NULL));
  return MPI_SUCCESS;
}

void free_what_waits() {
  const std::lock_guard lock(mutex);
  free_what_nobody_needs();
}

bool drive_by_thread() {
  if (!several_threads_call()) return false;
  constexpr std::chrono::microseconds between_looks{20};
  driver = std::jthread([between_looks](const std::stop_token& end) {
    for (; !end.stop_requested(); std::this_thread::sleep_for(between_looks))
      if (any_under_way()) progress();
  });
  return true;
}

void end_thread() {
  driver = {};
}

}  // namespace tutti::runtime
