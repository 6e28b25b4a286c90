#include "run/online/agreement.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "run/mpi/native.hpp"

namespace tutti::run {
namespace {

constexpr int values_of_a_time = sizeof(SharedTime) / sizeof(std::int64_t);

// Combines times, as a function for MPI_Op_create.
void combine(void* in, void* inout, int* length, MPI_Datatype*) {
  const auto* given = static_cast<const SharedTime*>(in);
  auto* result = static_cast<SharedTime*>(inout);
  for (int i = 0; i < *length; ++i) {
    result[i].in_call += given[i].in_call;
    result[i].period += given[i].period;
    result[i].latest = std::max(result[i].latest, given[i].latest);
    result[i].earliest = std::min(result[i].earliest, given[i].earliest);
  }
}

std::mutex preparing;
MPI_Op operation = MPI_OP_NULL;
MPI_Datatype shared_times = MPI_DATATYPE_NULL;

Combination combination_of(const std::vector<SharedTime>&) {
  return combination_of_times();
}

Combination combination_of(const std::vector<SharedSize>&) {
  return {MPI_UINT8_T, MPI_MAX};
}

}  // namespace

// SimGrid's nonblocking allreduce has every rank send to all others.
template <typename Value>
void Agreement<Value>::begin(std::vector<Value> mine, MPI_Comm comm) {
  const auto [type, operation] = combination_of(mine);
  mine_ = std::move(mine);
  all_.resize(mine_.size());
  const int count = static_cast<int>(mine_.size());
  call_.begin([&, type = type, operation = operation](MPI_Request* request) {
#ifdef TUTTI_SIMULATED
    *request = MPI_REQUEST_NULL;
    return native().MPI_Allreduce(mine_.data(), all_.data(), count, type, operation, comm);
#else
    return PMPI_Iallreduce(mine_.data(), all_.data(), count, type, operation, comm, request);
#endif
  });
}

template <typename Value>
std::span<const Value> Agreement<Value>::finish() {
  if (!is_under_way() || call_.finish() != MPI_SUCCESS) return {};
  return all_;
}

Combination combination_of_times() {
  const std::lock_guard lock(preparing);
  if (operation == MPI_OP_NULL) {
    PMPI_Type_contiguous(values_of_a_time, MPI_INT64_T, &shared_times);
    PMPI_Type_commit(&shared_times);
    PMPI_Op_create(combine, 1, &operation);
  }
  return {shared_times, operation};
}

template class Agreement<SharedTime>;
template class Agreement<SharedSize>;

void release_agreements() {
  const std::lock_guard lock(preparing);
  if (operation == MPI_OP_NULL) return;
  PMPI_Op_free(&operation);
  PMPI_Type_free(&shared_times);
}

}  // namespace tutti::run
