#pragma once

#include <string>
#include <vector>

#include "choose/evidence/library_component.hpp"
#include "core/schedule/collective.hpp"
#include "run/mpi/tool_interface.hpp"

namespace tutti::run {

/// Chooses one of the MPI library's own algorithms for a collective, by the library's own switches:
/// control variables of MPI's tool interface. Open MPI looks at them when a communicator is made,
/// MPICH at every call. Open MPI's component that has the algorithms is asked first then, whatever
/// stands above it by itself. In the end the library chooses again.
class LibrarySwitch {
 public:
  /// The switch of a blocking collective, if the library has one that we understand.
  explicit LibrarySwitch(Collective collective);
  LibrarySwitch(const LibrarySwitch&) = delete;
  LibrarySwitch& operator=(const LibrarySwitch&) = delete;
  ~LibrarySwitch();

  /// The algorithms' names as the library has them, with the segments of those that pass a vector
  /// on in segments, where these are shorter than `size`: "binomial", "pipeline/8192". None where
  /// there is no switch.
  std::vector<std::string> algorithms(std::size_t size) const;
  /// Chooses an algorithm from now on; "": the library's choice.
  void choose(const std::string& algorithm);

  /// The component that is asked before the one that has the algorithms, and can't be made to wait.
  const std::optional<LibraryComponent>& above() const { return above_; }

 private:
  void stand_first();

  ToolInterface tools_;
  std::vector<std::string> names_;  // by number; the first is the library's choice
  const ToolInterface::Variable *algorithm_ = nullptr, *segment_ = nullptr, *priority_ = nullptr;
  int usual_priority_ = 0, raised_priority_ = 0;
  std::optional<LibraryComponent> above_;
  Collective collective_;
};

}  // namespace tutti::run
