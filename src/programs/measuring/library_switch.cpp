#include "programs/measuring/library_switch.hpp"

#include <algorithm>
#include <regex>

#include "base/letters.hpp"

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

}  // namespace

LibrarySwitch::LibrarySwitch(Collective collective) : collective_(collective) {
  const std::string operation(name(collective)),
      open_mpi = "coll_tuned_" + operation + "_algorithm",
      mpich = "MPIR_CVAR_" + upper_case(operation) + "_INTRA_ALGORITHM";
  if (const auto* variable = tools_.find(open_mpi); variable && variable->is_int) {
    names_ = tools_.values(*variable);
    algorithm_ = variable;
    segment_ = tools_.find(open_mpi + "_segmentsize");
    stand_first();
  } else if (variable = tools_.find(mpich); variable && variable->is_int) {
    names_ = names_in(tools_.description(*variable));
    algorithm_ = variable;
  }
}

// Where other components of Open MPI's would be asked before the one that has the switch, its
// priority is to be raised with each choice; some versions do not let it.
void LibrarySwitch::stand_first() {
  const auto components =
      library_components({tools_.names(), [this](const std::string& name) { return tools_.read(name); }});
  if (components.empty() || components.front().name == tuned_component) return;
  const auto* priority = tools_.find("coll_tuned_priority");
  const auto own = priority ? tools_.read(*priority) : std::nullopt;
  if (own && tools_.write(*priority, *own)) {
    priority_ = priority;
    usual_priority_ = *own;
    raised_priority_ = components.front().priority + 1;
  } else {
    above_ = components.front();
  }
}

LibrarySwitch::~LibrarySwitch() {
  choose("");
}

std::vector<std::string> LibrarySwitch::algorithms(std::size_t size) const {
  std::vector<std::string> all;
  for (std::size_t i = 1; i < names_.size(); ++i) {
    all.push_back(names_[i]);
    if (segment_ && goes_in_segments(collective_, names_[i]))
      for (const std::size_t segment : segments)
        if (segment < size) all.push_back(names_[i] + "/" + std::to_string(segment));
  }
  return all;
}

void LibrarySwitch::choose(const std::string& algorithm) {
  const auto slash = algorithm.find('/');
  const auto found = std::ranges::find(names_, algorithm.substr(0, slash));
  const bool by_itself = algorithm.empty() || found == names_.end();
  if (algorithm_) tools_.write(*algorithm_, by_itself ? 0 : static_cast<int>(found - names_.begin()));
  if (segment_) tools_.write(*segment_, slash == algorithm.npos ? 0 : std::stoi(algorithm.substr(slash + 1)));
  if (priority_) tools_.write(*priority_, by_itself ? usual_priority_ : raised_priority_);
}

#endif

}  // namespace tutti::run
