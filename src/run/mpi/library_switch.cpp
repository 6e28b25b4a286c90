#include "run/mpi/library_switch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>

#include "base/letters.hpp"
#include "base/number.hpp"
#include "base/split.hpp"
#include "base/suggest.hpp"
#include "choose/evidence/fingerprint.hpp"
#include "run/mpi/library_text.hpp"
#include "run/mpi/library_version.hpp"
#include "run/mpi/threads.hpp"

namespace tutti::run {
namespace {

constinit std::atomic<bool> tools_are_open = false;

// What the MPI library can be told: it is asked once.
const ToolInterface& tools() {
  static const auto& opened = *new ToolInterface;
  tools_are_open = true;
  return opened;
}

}  // namespace

bool LibrarySwitch::has_asked() {
  return tools_are_open;
}

std::string LibrarySwitch::refusal_of_all() {
  if (several_threads_call())
    return "several threads may call MPI at the same time, and the switch is the whole process's";
  if (!tools_are_open && is_open_mpi() && world::is_of_sessions)
    return "Open MPI can't be asked for its algorithms in programs of sessions";
  return "";
}

LibrarySwitch& LibrarySwitch::of(Collective collective) {
  static constinit std::mutex looking_up;
  const std::lock_guard lock(looking_up);
  static auto& all =
      *new std::array<LibrarySwitch*, collectives.size()>{};  // programs may end MPI after our statics
  LibrarySwitch*& found = all[static_cast<std::size_t>(collective)];
  if (!found) found = new LibrarySwitch(collective);
  return *found;
}

#ifdef TUTTI_SIMULATED

// Simulated libraries are chosen on the command line.
LibrarySwitch::LibrarySwitch(Collective collective) : tools_(tools()), collective_(collective) {}
std::vector<std::string> LibrarySwitch::algorithms(std::size_t) const {
  return {};
}
std::string LibrarySwitch::refusal(const std::string&, int) const {
  return "simulated MPI libraries are told on the command line which algorithms to use";
}
std::optional<LibrarySwitch::Setting> LibrarySwitch::setting_of(const std::string&) const {
  return std::nullopt;
}
void LibrarySwitch::choose(const std::optional<Setting>&) {}

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

// MPICH's algorithms that go by no further parameters.
constexpr std::string_view of_mpich[] = {"auto",
                                         "nb",
                                         "smp",
                                         "binomial",
                                         "brucks",
                                         "dissemination",
                                         "linear",
                                         "noncommutative",
                                         "pairwise_sendrecv_replace",
                                         "pairwise",
                                         "scatter_recursive_doubling_allgather",
                                         "scatter_ring_allgather",
                                         "reduce_scatter_allgather",
                                         "reduce_scatter_gather",
                                         "recursive_doubling",
                                         "recursive_halving",
                                         "ring",
                                         "scattered"};

// MPICH numbers the values of a variable in the order in which its description explains them, "name
// - Force …": from version 4.2 on a line each, before that one behind the other without a
// separator. Of those that are none of `known` there is the empty name in the former, and none in
// the latter.
template <typename Names>
std::vector<std::string> values_in(const std::string& description, const Names& known) {
  std::vector<std::string> found;
  if (description.find('\n') != description.npos) {
    for (const std::string& line : split(description, '\n')) {
      const auto dash = line.find(" - ");
      if (dash == line.npos) continue;
      const std::string name = trimmed(line.substr(0, dash));
      found.push_back(std::ranges::find(known, name) == std::end(known) ? "" : name);
    }
  } else {
    for (auto dash = description.find("- "); dash != description.npos;
         dash = description.find("- ", dash + 1)) {
      const std::string before = trimmed(description.substr(0, dash));
      std::string_view longest;  // name that stands there
      for (const std::string_view name : known)
        if (before.ends_with(name) && name.size() > longest.size()) longest = name;
      if (!longest.empty()) found.emplace_back(longest);
    }
  }
  return found;
}

// The algorithms of such a variable; none at all where it can't be told where names begin.
std::vector<std::string> algorithms_in(const std::string& description) {
  std::vector<std::string> found = values_in(description, of_mpich);
  if (description.find('\n') == description.npos) {
    std::size_t all = 0;
    for (const std::string_view explanation : {" - Force", " - Internal"})
      for (auto at = description.find(explanation); at != description.npos;
           at = description.find(explanation, at + 1))
        ++all;
    if (all != found.size()) return {};
  }
  return !found.empty() && found.front() == "auto" ? found : std::vector<std::string>();
}

// What a variable of MPICH's is set to, by name; empty where there is none.
template <typename Names>
std::string value_of(const ToolInterface& tools, const std::string& variable, const Names& known) {
  const auto* found = tools.find(variable);
  const auto number = found ? tools.read(*found) : std::nullopt;
  if (!number) return "";
  const auto all = values_in(tools.description(*found), known);
  const auto index = static_cast<std::size_t>(*number);
  return index < all.size() ? all[index] : "";
}

// Why MPICH does not go by the switches of its algorithms, or does not say so; empty: it does.
std::string why_mpich_does_not_hear(const ToolInterface& tools) {
  constexpr std::string_view devices[] = {"all", "none", "percoll"},
                             fallbacks[] = {"error", "print", "silent"};
  if (!Fingerprint{library_version(library_text()), ""}.is_of_mpich())
    return "an MPI library that is made of MPICH may not go by MPICH's switches";
  if (value_of(tools, "MPIR_CVAR_DEVICE_COLLECTIVES", devices) == "all")
    return "MPIR_CVAR_DEVICE_COLLECTIVES=all leaves all calls to MPICH's device";
  if (value_of(tools, "MPIR_CVAR_COLLECTIVE_FALLBACK", fallbacks) != "silent")
    return "MPICH would not be silent where an algorithm serves no such call (MPIR_CVAR_COLLECTIVE_FALLBACK)";
  return "";
}

}  // namespace

LibrarySwitch::LibrarySwitch(Collective collective) : tools_(tools()), collective_(collective) {
  const std::string operation(name(collective)),
      open_mpi = "coll_tuned_" + operation + "_algorithm",
      mpich = "MPIR_CVAR_" + upper_case(operation) + "_INTRA_ALGORITHM";
  if (const auto* variable = tools_.find(open_mpi); variable && variable->is_int) {
    names_ = tools_.values(*variable);
    algorithm_ = variable;
    segment_ = tools_.find(open_mpi + "_segmentsize");
    is_read_by_communicators_ = true;
    if (tools_.read("coll_tuned_use_dynamic_rules").value_or(0) == 0)
      why_not_heard_ =
          "Open MPI hears which algorithm to use only where coll_tuned_use_dynamic_rules is set "
          "before MPI_Init";
    stand_first();
  } else if (variable = tools_.find(mpich); variable && variable->is_int) {
    names_ = algorithms_in(tools_.description(*variable));
    algorithm_ = variable;
    device_ = tools_.find("MPIR_CVAR_" + upper_case(operation) + "_DEVICE_COLLECTIVE");
    why_not_heard_ = why_mpich_does_not_hear(tools_);
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
    raised_priority_ = components.front().priority + 1;
  } else {
    above_ = components.front();
  }
}

std::vector<std::string> LibrarySwitch::algorithms(std::size_t size) const {
  std::vector<std::string> all;
  for (std::size_t i = 1; i < names_.size(); ++i) {
    if (names_[i].empty()) continue;
    all.push_back(names_[i]);
    if (segment_ && goes_in_segments(collective_, names_[i]))
      for (const std::size_t segment : segments)
        if (segment < size) all.push_back(names_[i] + "/" + std::to_string(segment));
  }
  return all;
}

std::optional<LibrarySwitch::Setting> LibrarySwitch::setting_of(const std::string& algorithm) const {
  const auto slash = algorithm.find('/');
  const std::string name = algorithm.substr(0, slash);
  const auto found = std::ranges::find(names_, name);
  if (name.empty() || found == names_.end() || found == names_.begin()) return std::nullopt;
  const int number = static_cast<int>(found - names_.begin());
  if (slash == algorithm.npos) return Setting{number, 0};
  const auto segment = number_in<int>(algorithm.substr(slash + 1));
  if (!segment || *segment <= 0 || !segment_ || !goes_in_segments(collective_, name)) return std::nullopt;
  return Setting{number, *segment};
}

std::string LibrarySwitch::refusal(const std::string& algorithm, int hosts) const {
  const std::string_view operation = name(collective_);
  if (names_.empty())
    return fmt::format("the MPI library has no switch that Tutti knows for its algorithms of {}", operation);
  if (!setting_of(algorithm)) {
    const std::vector<std::string> all = algorithms(std::numeric_limits<std::size_t>::max());
    return fmt::format("the MPI library's {} has no algorithm '{}'{}", operation, algorithm,
                       suggestion(algorithm, {all.begin(), all.end()}));
  }
  if (!why_not_heard_.empty()) return why_not_heard_;
  if (above_ && above_->serves(collective_, hosts))
    return fmt::format("coll/{} serves {} before coll/{}, whose algorithms have switches", above_->name,
                       operation, tuned_component);
  if (is_read_at_calls() && world::is_of_sessions)
    return "a session that begins later may let several threads call, and the switch is the whole process's";
  return "";
}

LibrarySwitch::State LibrarySwitch::state() const {
  const auto value = [this](const ToolInterface::Variable* variable) {
    return variable ? tools_.read(*variable).value_or(0) : 0;
  };
  return {{value(algorithm_), value(segment_)}, value(priority_), value(device_)};
}

void LibrarySwitch::set(const State& state) {
  tools_.write(*algorithm_, state.setting.number);
  if (segment_) tools_.write(*segment_, state.setting.segment);
  if (priority_) tools_.write(*priority_, state.priority);
  if (device_) tools_.write(*device_, state.device);
}

void LibrarySwitch::choose(const std::optional<Setting>& setting) {
  if (!algorithm_ || (!setting && !before_)) return;
  if (!before_) before_ = state();
  set(setting ? State{*setting, raised_priority_, 0} : *before_);
  if (!setting) before_.reset();
}

#endif

}  // namespace tutti::run
