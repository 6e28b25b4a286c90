#pragma once

#include <string>
#include <vector>

#include "choose/evidence/knowledge.hpp"

namespace tutti::inline choose {

/// Whether a plan surely takes less time than native, by calls that took turns with native's.
inline bool gains(const Evidence& evidence) {
  return evidence.ratio_to_native().high < 1;
}

/// How the plans of a class of calls stand by what is known of them: which surely gain over native,
/// which is best, and which may be better yet. Plans that were never compared with native itself,
/// because it had left the race when they came, stand by those they were compared with.
class Ranking {
 public:
  /// `plans` outlives it.
  explicit Ranking(const EvidenceByPlan& plans);

  /// A plan other than native that was compared with any.
  struct Place {
    const std::string* plan;
    const Evidence* evidence;
    double mean;  ///< contrast to native, as far as can be told
  };
  /// The plans' places: plans that take least time come first.
  const std::vector<Place>& places() const { return places_; }

  /// The best one: it surely gains, or is ahead of one that does. Null where none gains.
  const Place* best() const;
  /// Whether a plan may gain over native. To think less of it costs gain, not safety.
  bool may_gain(const Place& place) const;
  /// Whether a plan may take less time than the best, by enough to try.
  bool may_beat(const Place& place, const Place& best) const;

  /// Contrasts of one plan's times with another's, of calls that took turns; native may be one of
  /// them.
  Sample contrasts(const std::string& plan, const std::string& other) const;

 private:
  void place_by_others();
  bool is_ahead(const Place& place, const Place& other) const;

  const EvidenceByPlan& plans_;
  std::vector<Place> places_;
};

}  // namespace tutti::inline choose
