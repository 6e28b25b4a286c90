#include "runtime/progress.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "mpi/threads.hpp"
#include "runtime/pending.hpp"
#include "runtime/process.hpp"

namespace tutti::runtime {
namespace {

std::mutex mutex;  // guards the list, and what is under way with it
std::vector<std::unique_ptr<Pending>> pending;
std::vector<MPI_Datatype> types_to_free;
std::vector<MPI_Op> ops_to_free;
std::jthread driver;

// Those that are complete leave; the user may wait for them with any function of the MPI library.
void let_go_of_complete() {
  std::erase_if(pending, [](const std::unique_ptr<Pending>& one) {
    if (one->is_complete()) one->complete_request();
    return one->is_complete();
  });
  under_way.store(static_cast<int>(pending.size()), std::memory_order_relaxed);
  if (!pending.empty()) return;
  for (MPI_Datatype& type : types_to_free) PMPI_Type_free(&type);
  for (MPI_Op& op : ops_to_free) PMPI_Op_free(&op);
  types_to_free.clear();
  ops_to_free.clear();
}

void advance_all() {
  for (const auto& one : pending) one->advance();
  let_go_of_complete();
}

// Until none is left of which `wanted` says so.
template <typename Wanted>
void complete(Wanted&& wanted) {
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

int begin(std::unique_ptr<Pending> one, MPI_Request* request) {
  // Tags come round again after some ten thousand calls.
  complete([&](const Pending& other) { return one->shares_tags_with(other); });
  const std::lock_guard lock(mutex);
  int error = one->begin();
  if (error == MPI_SUCCESS) error = one->make_request(request);
  if (error != MPI_SUCCESS) return error;
  pending.push_back(std::move(one));
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
  complete([](const Pending& one) { return one.is_of_this_thread(); });
}

void complete_all_on(const Communicator& communicator) {
  complete([&](const Pending& one) { return &one.communicator() == &communicator; });
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
