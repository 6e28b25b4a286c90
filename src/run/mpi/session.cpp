#include "run/mpi/session.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "run/mpi/native.hpp"

namespace tutti::run {
namespace {

template <typename Function>
void find(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(native_function(name));
}

}  // namespace

const SessionFunctions& session_functions() {
  static const SessionFunctions all = [] {
    SessionFunctions found{};
    find(found.init, "PMPI_Session_init");
    find(found.finalize, "PMPI_Session_finalize");
    find(found.get_info, "PMPI_Session_get_info");
    find(found.group, "PMPI_Group_from_session_pset");
    find(found.communicator, "PMPI_Comm_create_from_group");
    return found;
  }();
  return all;
}

int thread_level_of(Session session) {
  MPI_Info info = MPI_INFO_NULL;
  if (session_functions().get_info(session, &info) != MPI_SUCCESS) return MPI_THREAD_MULTIPLE;
  std::array<char, MPI_MAX_INFO_VAL + 1> text{};
  int found = 0;
  PMPI_Info_get(info, "thread_level", MPI_MAX_INFO_VAL, text.data(), &found);
  PMPI_Info_free(&info);
  constexpr std::array levels{std::pair{std::string_view("MPI_THREAD_SINGLE"), MPI_THREAD_SINGLE},
                              std::pair{std::string_view("MPI_THREAD_FUNNELED"), MPI_THREAD_FUNNELED},
                              std::pair{std::string_view("MPI_THREAD_SERIALIZED"), MPI_THREAD_SERIALIZED}};
  for (const auto& [name, level] : levels)
    if (found && name == text.data()) return level;
  return MPI_THREAD_MULTIPLE;
}

}  // namespace tutti::run
