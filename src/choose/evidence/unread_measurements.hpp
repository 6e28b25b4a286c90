#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "choose/evidence/measurement.hpp"

namespace tutti::inline choose {

/// Measurements as a program finds them in its table: text, which is read when they are first asked
/// for. Only decisions between what was tuned ask, and most programs run on ranks that were.
class UnreadMeasurements {
 public:
  /// `text`: a list in JSON; `source`: the table that it is of.
  UnreadMeasurements(std::string text, std::string source)
      : source_(std::move(source)), text_(std::move(text)) {}

  /// The measurements that tell of communicators that were not tuned (tells_of_others), in order.
  /// There are none where the text is wrong, which all ranks have alike: they decide alike, too.
  const std::vector<Measurement>& read() const;

  /// What is wrong with the text, in words for people; empty where nothing is, and as long as it
  /// was not read.
  std::string complaint() const;

 private:
  const std::string source_;
  mutable std::mutex mutex_;
  mutable std::string text_;  // empty once it was read
  mutable std::vector<Measurement> measurements_;
  mutable bool damaged_ = false;
};

}  // namespace tutti::inline choose
