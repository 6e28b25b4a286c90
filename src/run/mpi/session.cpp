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

std::optional<int> thread_level_in(MPI_Info info) {
  std::array<char, MPI_MAX_INFO_VAL + 1> text{};
  int found = 0;
  if (info != MPI_INFO_NULL) PMPI_Info_get(info, "thread_level", MPI_MAX_INFO_VAL, text.data(), &found);
  using namespace std::string_view_literals;
  constexpr std::array levels{std::pair{"MPI_THREAD_SINGLE"sv, MPI_THREAD_SINGLE},
                              std::pair{"MPI_THREAD_FUNNELED"sv, MPI_THREAD_FUNNELED},
                              std::pair{"MPI_THREAD_SERIALIZED"sv, MPI_THREAD_SERIALIZED},
                              std::pair{"MPI_THREAD_MULTIPLE"sv, MPI_THREAD_MULTIPLE}};
  for (const auto& [name, level] : levels)
    if (found && name == text.data()) return level;
  return std::nullopt;
}

std::optional<int> thread_level_of(Session session) {
  MPI_Info info = MPI_INFO_NULL;
  if (session_functions().get_info(session, &info) != MPI_SUCCESS) return std::nullopt;
  const auto level = thread_level_in(info);
  PMPI_Info_free(&info);
  return level;
}

}  // namespace tutti::run
