#include "run/mpi/device_support.hpp"

#include <atomic>
#include <iterator>
#include <string_view>

#include "run/mpi/native.hpp"
#include "run/mpi/world.hpp"

namespace tutti::run {
namespace {

// What a library says of one kind: how its functions and the standard's side document call it, and
// MPICH's number for it.
struct Named {
  const char* query;
  std::string_view kind;
  int number;
};
constexpr Named names[] = {{"MPIX_Query_cuda_support", "cuda", 0}, {"MPIX_Query_rocm_support", "rocm", 2}};

bool query_says(const Named& named) {
  auto* const query = reinterpret_cast<int (*)()>(native_function(named.query));
  return query && query() == 1;
}

bool gpu_query_says(const Named& named) {
  auto* const query = reinterpret_cast<int (*)(int, int*)>(native_function("MPIX_GPU_query_support"));
  int is_supported = 0;
  return query && query(named.number, &is_supported) == MPI_SUCCESS && is_supported == 1;
}

// Kinds are separated by commas, each with what it is restricted to behind colons. A kind without
// restrictions is all of its memory; of others that of a device is asked for.
bool lists(std::string_view kinds, std::string_view wanted) {
  while (!kinds.empty()) {
    const std::string_view one = kinds.substr(0, kinds.find(','));
    kinds.remove_prefix(one.size() == kinds.size() ? one.size() : one.size() + 1);
    const std::string_view name = one.substr(0, one.find(':'));
    if (name == wanted && (name == one || one.substr(name.size()).find(":device") != std::string_view::npos))
      return true;
  }
  return false;
}

bool info_says(const Named& named) {
  MPI_Info info = MPI_INFO_NULL;
  if (PMPI_Comm_get_info(world::any_communicator(), &info) != MPI_SUCCESS || info == MPI_INFO_NULL)
    return false;
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int is_there = 0;
  const int error = PMPI_Info_get(info, "mpi_memory_alloc_kinds", MPI_MAX_INFO_VAL, value, &is_there);
  PMPI_Info_free(&info);
  return error == MPI_SUCCESS && is_there && lists(value, named.kind);
}

}  // namespace

bool mpi_takes_memory_of(DeviceKind kind) {
  enum Answer : signed char { not_asked, no, yes };
  static constinit std::atomic<Answer> answers[std::size(names)]{};
  std::atomic<Answer>& answer = answers[static_cast<int>(kind)];
  if (answer == not_asked) {
    const Named& named = names[static_cast<int>(kind)];
    answer = query_says(named) || gpu_query_says(named) || info_says(named) ? yes : no;
  }
  return answer == yes;
}

}  // namespace tutti::run
