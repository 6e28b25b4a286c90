#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/plan/plan.hpp"

namespace tutti::inline core {

/// The plans that a composition is given for its phases: one for all of them or one in each place,
/// or none, which leaves all of them open.
class PhasePlans {
 public:
  /// The plan in a place, for the collective of a phase.
  using Find = std::function<Result<Plan>(std::size_t place, Collective collective)>;

  /// None. `whole` is the composition's collective.
  explicit PhasePlans(Collective whole) : whole_(whole) {}
  /// Plans of the collectives of the phases that they are for.
  PhasePlans(Collective whole, const std::vector<Plan>& plans);
  /// Plans as they are written, found when they are asked for.
  PhasePlans(Collective whole, std::vector<std::string> written, Find find)
      : whole_(whole), written_(std::move(written)), find_(std::move(find)) {}

  Collective whole() const { return whole_; }
  std::size_t size() const { return written_.size(); }
  /// The plan of a phase by its place, or the only one, or an open one.
  Result<Plan> plan(std::size_t place, Collective collective) const;
  /// The plans of phases, one place after the other.
  Result<std::vector<Plan>> plans(const std::vector<Collective>& phases) const;
  /// The plans before the last one, if there are several: for a composition of `whole` in this one.
  PhasePlans without_last(Collective whole) const;
  /// "[ring,native]", or in parentheses; nothing where the phases are open.
  std::string text(bool in_parentheses = false) const;

 private:
  Collective whole_;
  std::vector<std::string> written_;
  Find find_;
};

}  // namespace tutti::inline core
