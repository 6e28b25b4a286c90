#include "programs/measuring/library_switch.hpp"

#include <mpi.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <regex>

namespace tutti::run {

#ifdef TUTTI_SIMULATED

// Simulated libraries are chosen on the command line.
LibrarySwitch::LibrarySwitch(Collective collective) : collective_(collective) {}
LibrarySwitch::~LibrarySwitch() = default;
std::vector<std::string> LibrarySwitch::algorithms(std::size_t) const {
  return {};
}
void LibrarySwitch::choose(const std::string&) {}

#else

namespace {

constexpr std::size_t segments[] = {8192, 65536};

struct ControlVariable {
  std::string name, description;
  MPI_T_enum values = MPI_T_ENUM_NULL;
  bool is_int = false;
};

std::optional<ControlVariable> control_variable(int number) {
  char name[256], description[4096];
  int name_length = sizeof name, description_length = sizeof description, verbosity, binding, scope;
  MPI_Datatype type;
  ControlVariable found;
  if (MPI_T_cvar_get_info(number, name, &name_length, &verbosity, &type, &found.values, description,
                          &description_length, &binding, &scope) != MPI_SUCCESS)
    return std::nullopt;
  found.name = name;
  found.description = description;
  found.is_int = type == MPI_INT;
  return found;
}

void write(int variable, int value) {
  MPI_T_cvar_handle handle;
  int count = 0;
  if (variable < 0 || MPI_T_cvar_handle_alloc(variable, nullptr, &handle, &count) != MPI_SUCCESS) return;
  if (count == 1) MPI_T_cvar_write(handle, &value);
  MPI_T_cvar_handle_free(&handle);
}

// Whether Open MPI's coll/tuned cuts vectors into segments by an algorithm, if it is told how long
// they are.
bool goes_in_segments(Collective collective, const std::string& algorithm) {
  switch (collective) {
    case Collective::bcast:
      return algorithm == "chain" || algorithm == "pipeline" || algorithm == "split_binary_tree" ||
             algorithm == "binary_tree";
    case Collective::reduce:
      return algorithm == "chain" || algorithm == "pipeline" || algorithm == "binary" ||
             algorithm == "in-order_binary";
    case Collective::allreduce:
      return algorithm == "segmented_ring";
    default:
      return false;
  }
}

// MPICH numbers its algorithms in the order in which the variable's description explains them,
// "name - Force …", one behind the other without a separator. Nothing where there is one among them
// that nobody here knows.
std::vector<std::string> names_in(const std::string& description) {
  static const std::regex known(
      "(auto|nb|smp|binomial|brucks|dissemination|linear|noncommutative|pairwise_sendrecv_replace|pairwise|"
      "scatter_recursive_doubling_allgather|scatter_ring_allgather|reduce_scatter_allgather|"
      "reduce_scatter_gather|recursive_doubling|recursive_halving|ring|scattered)\\s*- ");
  static const std::regex any("\\s- (Force|Internal)");
  std::vector<std::string> names;
  for (std::sregex_iterator it(description.begin(), description.end(), known), end; it != end; ++it)
    names.push_back((*it)[1]);
  const auto all = std::distance(std::sregex_iterator(description.begin(), description.end(), any),
                                 std::sregex_iterator());
  const bool complete = all == static_cast<std::ptrdiff_t>(names.size()) && !names.empty();
  return complete && names.front() == "auto" ? names : std::vector<std::string>();
}

// Algorithms' names by number, as Open MPI's enumeration has them.
std::vector<std::string> names_in(MPI_T_enum values) {
  int count = 0, length = 0;
  std::vector<std::string> names;
  if (MPI_T_enum_get_info(values, &count, nullptr, &length) != MPI_SUCCESS) return names;
  for (int i = 0; i < count; ++i) {
    char name[128];
    int value = -1, name_length = sizeof name;
    if (MPI_T_enum_get_item(values, i, &value, name, &name_length) != MPI_SUCCESS || value != i) return {};
    names.emplace_back(name);
  }
  return names;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

}  // namespace

LibrarySwitch::LibrarySwitch(Collective collective) : collective_(collective) {
  int provided = 0, count = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return;
  MPI_T_cvar_get_num(&count);
  const std::string operation(name(collective)), open_mpi = "coll_tuned_" + operation + "_algorithm",
                                                 mpich = "MPIR_CVAR_" + upper(operation) + "_INTRA_ALGORITHM";
  for (int number = 0; number < count; ++number) {
    const auto variable = control_variable(number);
    if (!variable || !variable->is_int) continue;
    if (variable->name == open_mpi + "_segmentsize") segment_ = number;
    if (variable->name != open_mpi && variable->name != mpich) continue;
    names_ = variable->name == mpich ? names_in(variable->description) : names_in(variable->values);
    if (!names_.empty()) algorithm_ = number;
  }
}

LibrarySwitch::~LibrarySwitch() {
  choose("");
  MPI_T_finalize();
}

std::vector<std::string> LibrarySwitch::algorithms(std::size_t size) const {
  std::vector<std::string> all;
  for (std::size_t i = 1; i < names_.size(); ++i) {
    all.push_back(names_[i]);
    if (segment_ >= 0 && goes_in_segments(collective_, names_[i]))
      for (const std::size_t segment : segments)
        if (segment < size) all.push_back(names_[i] + "/" + std::to_string(segment));
  }
  return all;
}

void LibrarySwitch::choose(const std::string& algorithm) {
  const auto slash = algorithm.find('/');
  const auto found = std::ranges::find(names_, algorithm.substr(0, slash));
  write(algorithm_,
        algorithm.empty() || found == names_.end() ? 0 : static_cast<int>(found - names_.begin()));
  write(segment_, slash == algorithm.npos ? 0 : std::stoi(algorithm.substr(slash + 1)));
}

#endif

}  // namespace tutti::run
