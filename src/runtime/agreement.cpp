#include "runtime/agreement.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "mpi/native.hpp"

namespace tutti::runtime {
namespace {

static_assert(sizeof(SharedTime) == 3 * sizeof(std::int64_t));

// As MPI_User_function has it.
void combine(void* in, void* inout, int* length, MPI_Datatype*) {
  const auto* given = static_cast<const SharedTime*>(in);
  auto* result = static_cast<SharedTime*>(inout);
  for (int i = 0; i < *length; ++i) {
    result[i].in_call += given[i].in_call;
    result[i].period += given[i].period;
    result[i].latest = std::max(result[i].latest, given[i].latest);
  }
}

std::mutex mutex;
MPI_Op operation = MPI_OP_NULL;
MPI_Datatype type = MPI_DATATYPE_NULL;

void prepare() {
  const std::lock_guard lock(mutex);
  if (operation != MPI_OP_NULL) return;
  PMPI_Type_contiguous(3, MPI_INT64_T, &type);
  PMPI_Type_commit(&type);
  PMPI_Op_create(combine, 1, &operation);
}

}  // namespace

int agree_on(std::span<SharedTime> times, MPI_Comm comm) {
  prepare();
  const std::vector<SharedTime> mine(times.begin(), times.end());
  return native().allreduce(mine.data(), times.data(), static_cast<int>(times.size()), type, operation, comm);
}

void release_agreements() {
  const std::lock_guard lock(mutex);
  if (operation == MPI_OP_NULL) return;
  PMPI_Op_free(&operation);
  PMPI_Type_free(&type);
}

}  // namespace tutti::runtime
