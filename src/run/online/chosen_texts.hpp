#pragma once

#include <map>
#include <string>

#include "choose/evidence/call_class.hpp"

namespace tutti::run {

/// What a process has told others to try in classes of calls, as texts. Choosing that takes time,
/// and a program may make many requests of one class: what was chosen holds until the run has paid
/// for choosing anew.
class ChosenTexts {
 public:
  /// The text for a class, or what `choose()` makes of it. `now` is in seconds of one clock, and
  /// `share` the part of the run that choosing may take.
  template <typename Choose>
  const std::string& find(const CallClass& calls, double now, double share, Choose&& choose) {
    Chosen& chosen = chosen_[calls];
    if (chosen.text.empty() || now >= chosen.holds_until) {
      double took = 0;
      chosen.text = choose(took);
      chosen.holds_until = now + took / share;
    }
    return chosen.text;
  }

 private:
  struct Chosen {
    std::string text;
    double holds_until = 0;
  };
  std::map<CallClass, Chosen> chosen_;
};

}  // namespace tutti::run
