#pragma once

#include <map>
#include <string>
#include <utility>

#include "run/calls/routing.hpp"

namespace tutti::run {

/// Plans of a table that have lost to native in persistent requests of a communicator: requests of
/// the class that are made later need not try them again.
class LostPlans {
 public:
  /// `why` is as the statistics name it.
  void add(const CallClass& calls, const Decision& untuned, const std::string& why) {
    lost_.insert_or_assign({calls, &untuned}, why);
  }
  /// Why the plan is given up that would serve such calls; null: it is not, as far as this rank
  /// knows.
  const std::string* find(const CallClass& calls, const Decision& untuned) const {
    const auto found = lost_.find({calls, &untuned});
    return found == lost_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::pair<CallClass, const Decision*>, std::string> lost_;
};

}  // namespace tutti::run
