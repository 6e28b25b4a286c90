#pragma once

#include <string>
#include <vector>

#include "choose/evidence/library_component.hpp"
#include "core/schedule/collective.hpp"
#include "run/mpi/tool_interface.hpp"

namespace tutti::run {

/// Chooses one of the MPI library's own algorithms for a collective, by the library's own switches:
/// control variables of MPI's tool interface. Open MPI looks at them when it makes a communicator,
/// MPICH at every call. Open MPI's component that has the algorithms is asked first then, whatever
/// stands above it by itself.
class LibrarySwitch {
 public:
  /// The switch of a blocking collective, if the library has one that we understand: looked for
  /// when it is first asked for, while MPI runs.
  static LibrarySwitch& of(Collective collective);
  LibrarySwitch(const LibrarySwitch&) = delete;
  LibrarySwitch& operator=(const LibrarySwitch&) = delete;

  /// The algorithms' names as the library has them, with the segments of those that pass a vector
  /// on in segments, where these are shorter than `size`: "binomial", "pipeline/8192". None where
  /// there is no switch.
  std::vector<std::string> algorithms(std::size_t size) const;
  /// Why the library can't be told in a program to use an algorithm between so many hosts, by a
  /// communicator that is made under the switch; empty: it can.
  std::string refusal(const std::string& algorithm, int hosts) const;
  /// Chooses an algorithm from now on; "", and one that there is not: what was chosen when the
  /// program began, which is the library's choice if the user said nothing else.
  void choose(const std::string& algorithm);

  /// The component that is asked before the one that has the algorithms, and can't be made to wait.
  const std::optional<LibraryComponent>& above() const { return above_; }

 private:
  /// What an algorithm's name means to the library.
  struct Setting {
    int number, segment;
  };
  explicit LibrarySwitch(Collective collective);
  std::optional<Setting> setting_of(const std::string& algorithm) const;
  void stand_first();

  const ToolInterface& tools_;
  std::vector<std::string> names_;  // by number; the first is the library's choice
  const ToolInterface::Variable *algorithm_ = nullptr, *segment_ = nullptr, *priority_ = nullptr;
  Setting usual_{0, 0};
  int usual_priority_ = 0, raised_priority_ = 0;
  std::optional<LibraryComponent> above_;
  bool is_read_by_communicators_ = false;
  bool is_heard_ = true;  // Open MPI: it was told before it began that it will be told
  Collective collective_;
};

/// Runs something while the library is told to use an algorithm of its own for an operation, and
/// for those operations with other counts that have one of that name.
template <typename Run>
auto under_switches(Collective collective, const std::string& algorithm, Run&& run) {
  const auto choose = [&](const std::string& what) {
    for (const CollectiveTraits& other : collectives)
      if (other.regular == traits(collective).regular) LibrarySwitch::of(other.collective).choose(what);
  };
  choose(algorithm);
  auto result = run();
  choose("");
  return result;
}

}  // namespace tutti::run
