#pragma once

#include <optional>
#include <string>
#include <vector>

#include "choose/evidence/library_component.hpp"
#include "core/schedule/collective.hpp"
#include "run/mpi/tool_interface.hpp"

namespace tutti::run {

/// Chooses one of the MPI library's own algorithms for a collective, by the library's own switches:
/// control variables of MPI's tool interface. Open MPI looks at them when it makes a communicator,
/// MPICH at every call. What stands before the algorithms by itself is passed then: components of
/// Open MPI's with a higher priority than the one that has them, and MPICH's device, which combines
/// algorithms by hosts.
class LibrarySwitch {
 public:
  /// What an algorithm's name means to the library.
  struct Setting {
    int number = 0, segment = 0;
  };

  /// The switch of a blocking collective, if the library has one that we understand: looked for
  /// when it is first asked for, while MPI runs.
  static LibrarySwitch& of(Collective collective);
  /// Whether a switch was asked for: the first one asks the library for all its variables.
  static bool has_asked();
  /// Why the library can't be told anything in such a program, for which nobody has to ask it;
  /// empty: it may. Open MPI 5 keeps what it loads when it is asked, and a session that begins
  /// later would find no transports.
  static std::string refusal_of_all();
  LibrarySwitch(const LibrarySwitch&) = delete;
  LibrarySwitch& operator=(const LibrarySwitch&) = delete;

  /// The algorithms' names as the library has them, with the segments of those that pass a vector
  /// on in segments, where these are shorter than `size`: "binomial", "pipeline/8192". None where
  /// there is no switch.
  std::vector<std::string> algorithms(std::size_t size) const;
  /// Why the library can't be told in a program to use an algorithm between so many hosts, beside
  /// what refuses all; empty: it can, at each call or by a communicator that is made under the
  /// switch.
  std::string refusal(const std::string& algorithm, int hosts) const;
  /// Whether the library looks at the switch at each call, on any communicator; else when it makes
  /// a communicator.
  bool is_read_at_calls() const { return algorithm_ && !is_read_by_communicators_; }
  /// What a name means; nothing where the library has no such algorithm.
  std::optional<Setting> setting_of(const std::string& algorithm) const;
  /// Chooses an algorithm from now on; nothing, "", and one that there is not: what was chosen
  /// before, which is the library's choice if the user said nothing else. Programs may say
  /// something else at any time, so that this is looked at anew when an algorithm is chosen.
  /// @{
  void choose(const std::optional<Setting>& setting);
  void choose(const std::string& algorithm) { choose(setting_of(algorithm)); }
  /// @}

  /// The component that is asked before the one that has the algorithms, and can't be made to wait.
  const std::optional<LibraryComponent>& above() const { return above_; }

 private:
  /// What its variables are set to, 0 where there is none of them.
  struct State {
    Setting setting;
    int priority, device;
  };
  explicit LibrarySwitch(Collective collective);
  void stand_first();
  State state() const;
  void set(const State& state);

  const ToolInterface& tools_;
  std::vector<std::string> names_;  // by number; the first is the library's choice
  const ToolInterface::Variable *algorithm_ = nullptr, *segment_ = nullptr, *priority_ = nullptr,
                                *device_ = nullptr;
  int raised_priority_ = 0;
  std::optional<State> before_;  // while an algorithm is chosen
  std::optional<LibraryComponent> above_;
  bool is_read_by_communicators_ = false;
  std::string why_not_heard_;  // empty: the library goes by the switch
  Collective collective_;
};

/// Has the MPI library use an algorithm as long as this lives, by a switch that it looks at at each
/// call; without a switch nothing.
class ChosenForCall {
 public:
  ChosenForCall(LibrarySwitch* by, LibrarySwitch::Setting setting) : by_(by) {
    if (by_) by_->choose(setting);
  }
  ChosenForCall(const ChosenForCall&) = delete;
  ChosenForCall& operator=(const ChosenForCall&) = delete;
  ~ChosenForCall() {
    if (by_) by_->choose(std::nullopt);
  }

 private:
  LibrarySwitch* by_;
};

/// Runs something while the library is told to use an algorithm of its own for an operation, and
/// for those operations with other counts that have one of that name.
template <typename Run>
auto under_switches(Collective collective, const std::string& algorithm, Run&& run) {
  // They share what stands before them: all are looked for before one is used, and the first one
  // that is used, which has seen it as it was, is the last one to go back.
  struct Switches {
    std::vector<LibrarySwitch*> all = {};
    ~Switches() {
      while (!all.empty()) {
        all.back()->choose(std::nullopt);
        all.pop_back();
      }
    }
  } switches;
  for (const CollectiveTraits& other : collectives)
    if (other.regular == traits(collective).regular)
      switches.all.push_back(&LibrarySwitch::of(other.collective));
  for (LibrarySwitch* by : switches.all) by->choose(algorithm);
  return run();
}

}  // namespace tutti::run
