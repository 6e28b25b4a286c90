#include "run/mpi/tool_interface.hpp"

#include <algorithm>

#include "run/mpi/library_text.hpp"

namespace tutti::run {

#ifdef TUTTI_SIMULATED

ToolInterface::ToolInterface() = default;
ToolInterface::~ToolInterface() = default;
std::string ToolInterface::description(const Variable&) const {
  return "";
}
std::vector<std::string> ToolInterface::values(const Variable&) const {
  return {};
}
std::optional<int> ToolInterface::read(const Variable&) const {
  return std::nullopt;
}
bool ToolInterface::write(const Variable&, int) const {
  return false;
}

#else

namespace {

std::vector<std::string> names_in(MPI_T_enum values) {
  int count = 0, length = 0;
  std::vector<std::string> found;
  if (values == MPI_T_ENUM_NULL || PMPI_T_enum_get_info(values, &count, nullptr, &length) != MPI_SUCCESS)
    return found;
  for (int i = 0; i < count; ++i) {
    char name[128];
    int value = -1, name_length = sizeof name;
    if (PMPI_T_enum_get_item(values, i, &value, name, &name_length) != MPI_SUCCESS || value != i) return {};
    found.emplace_back(name);
  }
  return found;
}

struct Information {
  std::string name, description;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum values = MPI_T_ENUM_NULL;
};

std::optional<Information> information_on(int number) {
  char name[256], description[4096];
  int name_length = sizeof name, description_length = sizeof description, verbosity, binding, scope;
  Information found;
  if (PMPI_T_cvar_get_info(number, name, &name_length, &verbosity, &found.type, &found.values, description,
                           &description_length, &binding, &scope) != MPI_SUCCESS)
    return std::nullopt;
  found.name = name;
  found.description = description;
  return found;
}

// Calls function(handle) where the variable has one value for the whole process; it may be kept for
// the next time.
template <typename Function>
bool with_handle(const ToolInterface::Variable& variable, Function function, bool keeps = false) {
  auto handle = static_cast<MPI_T_cvar_handle>(variable.kept);
  int count = 1;
  if (!(variable.is_int || variable.is_bool) ||
      (!handle && PMPI_T_cvar_handle_alloc(variable.number, nullptr, &handle, &count) != MPI_SUCCESS))
    return false;
  const bool done = count == 1 && function(handle) == MPI_SUCCESS;
  if (keeps && count == 1)
    variable.kept = handle;
  else if (!variable.kept)
    PMPI_T_cvar_handle_free(&handle);
  return done;
}

// Open MPI takes the level that is asked for here for that of the program as well: with a lower one
// several threads would share what belongs to one. Which level sessions have can't be asked for.
int threads_of_program() {
  int running = 0, level = MPI_THREAD_MULTIPLE;
  PMPI_Initialized(&running);
  if (running) PMPI_Query_thread(&level);
  return level;
}

bool open() {
  int provided = 0;
  return PMPI_T_init_thread(threads_of_program(), &provided) == MPI_SUCCESS;
}

bool open_for_good() {
  static const bool once = open();
  return once;
}

}  // namespace

ToolInterface::ToolInterface() {
  const bool is_open = is_open_mpi() ? open() : open_for_good();
  is_to_close_ = is_open && is_open_mpi();
  int count = 0;
  if (!is_open || PMPI_T_cvar_get_num(&count) != MPI_SUCCESS) return;
  for (int number = 0; number < count; ++number)
    if (auto found = information_on(number))
      variables_.push_back(
          {number, std::move(found->name), found->type == MPI_INT, found->type == MPI_C_BOOL});
}

ToolInterface::~ToolInterface() {
  if (is_to_close_) PMPI_T_finalize();
}

std::string ToolInterface::description(const Variable& variable) const {
  const auto found = information_on(variable.number);
  return found ? found->description : "";
}

std::vector<std::string> ToolInterface::values(const Variable& variable) const {
  const auto found = information_on(variable.number);
  return found ? names_in(found->values) : std::vector<std::string>();
}

std::optional<int> ToolInterface::read(const Variable& variable) const {
  int value = 0;
  bool flag = false;
  void* const into = variable.is_bool ? static_cast<void*>(&flag) : &value;
  const auto ask = [&](MPI_T_cvar_handle handle) { return PMPI_T_cvar_read(handle, into); };
  if (!with_handle(variable, ask)) return std::nullopt;
  return variable.is_bool ? flag : value;
}

bool ToolInterface::write(const Variable& variable, int value) const {
  const auto tell = [&](MPI_T_cvar_handle handle) { return PMPI_T_cvar_write(handle, &value); };
  return variable.is_int && with_handle(variable, tell, !is_to_close_);
}

#endif

std::vector<std::string> ToolInterface::names() const {
  std::vector<std::string> all;
  for (const Variable& variable : variables_) all.push_back(variable.name);
  return all;
}

const ToolInterface::Variable* ToolInterface::find(const std::string& name) const {
  const auto found = std::ranges::find(variables_, name, &Variable::name);
  return found == variables_.end() ? nullptr : &*found;
}

std::optional<int> ToolInterface::read(const std::string& name) const {
  const Variable* variable = find(name);
  return variable ? read(*variable) : std::nullopt;
}

}  // namespace tutti::run
