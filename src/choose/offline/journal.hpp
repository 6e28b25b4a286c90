#pragma once

#include <string>
#include <vector>

#include "choose/offline/tuner.hpp"

namespace tutti::inline choose {

/// What the points of a tuning run depend on, beside the site.
struct TuningTerms {
  bool fixed_order = false, exhaustive = false;  ///< as of TuningRequest
  std::string arrival = {};                      ///< when ranks come to calls; empty: together
  BlockLengths lengths = BlockLengths::equal;    ///< as of TuningRequest
  std::string network = {};                      ///< what a user's network says; empty: of a probe
};

/// The partial file of a tuning run, beside the table to be: what was measured so far, a JSON
/// object a line. A run of the same table on the same site and terms resumes from it; it is removed
/// when the table is written. Of a table that goes to what is no regular file it lies in the
/// working directory.
class Journal {
 public:
  explicit Journal(const std::string& table_path, TuningTerms terms = {});

  const std::string& path() const { return path_; }

  /// The points kept by an interrupted run on this site; none if there was none, or if it ran
  /// elsewhere, or on other terms. A last line that was cut short is passed over.
  std::vector<TunedPoint> resume(const Fingerprint& fingerprint) const;

  /// Begins the file anew with those points.
  Result<void> begin(const Fingerprint& fingerprint, const std::vector<TunedPoint>& points) const;

  /// Adds a point.
  Result<void> keep(const TunedPoint& point) const;

  void remove() const;

 private:
  std::string first_line(const Fingerprint& fingerprint) const;

  std::string path_;
  TuningTerms terms_;
};

}  // namespace tutti::inline choose
