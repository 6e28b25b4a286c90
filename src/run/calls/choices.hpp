#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "run/calls/routing.hpp"

namespace tutti::run {

/// Plans that the program itself has chosen for operations on one communicator. A choice stays when
/// it is given back, for calls under way and statistics refer to it, and serves when the same is
/// chosen again.
class Choices {
 public:
  /// The route in force, or null.
  Route* of(Called called) const { return in_force_[called]; }

  /// Puts a plan in force. `rules` are the communicator's, `setting` what plans have to serve
  /// there.
  void choose(Called called, const Plan& plan, const Rules& rules, const Setting& setting);
  void give_back(Called called) { in_force_[called] = nullptr; }

  /// Calls visit(called, route) for all that were ever in force.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const auto& [what, choice] : made_) visit(what.first, choice->route);
  }

 private:
  struct Choice {
    Choice(Called called, const Plan& plan, const Rules& rules, const Setting& setting);
    Rules rules;  // the route's plan lives here
    Route route;
  };
  ByCalled<Route*> in_force_;
  std::map<std::pair<Called, std::string>, std::unique_ptr<Choice>> made_;
};

}  // namespace tutti::run
