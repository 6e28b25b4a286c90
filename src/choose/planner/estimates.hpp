#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "choose/evidence/table.hpp"

namespace tutti::inline choose {

/// What a table's measurements of one collective say of calls that were not measured.
class Estimates {
 public:
  /// Estimates for communicators on one host, or for those on several; of native also from the
  /// others, where it was measured on just them.
  Estimates(const Table& table, Collective collective, bool on_one_host);

  /// Seconds that the library's own operation takes, along straight lines between logarithms: over
  /// sizes, then over ranks. Nothing where it was not measured on both sides.
  std::optional<double> native(int ranks, std::size_t size) const;

  /// By what factor plans took longer than their prices, at the point nearest to that; 1 where
  /// nothing is known.
  double correction(int ranks, std::size_t size) const;

  /// By how much both may be wrong, as a share: how far plans of one point scatter about their
  /// correction (three quarters of them by less), and how far native is from what lines through its
  /// neighbours say (half as far as half of them are, since there are points in between then). At
  /// least 2 %.
  double margin() const { return margin_; }

 private:
  using BySize = std::map<std::size_t, double>;
  static std::optional<double> along(const BySize& seconds, std::size_t size);
  double find_margin() const;

  std::map<int, BySize> native_;                                          // by ranks
  std::map<int, std::map<std::size_t, std::vector<double>>> over_price_;  // logarithms, by ranks and size
  double margin_;
};

}  // namespace tutti::inline choose
