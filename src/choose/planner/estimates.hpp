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
  /// Estimates for such communicators, on one host or on several, by others of the kind; of native
  /// also by those of the other kind, where it was measured on just them and the table's model
  /// knows the links of both.
  Estimates(const Table& table, Collective collective, Placement wanted);

  /// Seconds that the library's own operation takes, along straight lines between logarithms: over
  /// sizes, then over ranks; of some ranks on several numbers of hosts by the nearest that was
  /// measured. Nothing where it was not measured on both sides.
  std::optional<double> native(std::size_t size) const;

  /// By what factor plans took longer than their prices, at the point nearest to that size; 1 where
  /// nothing is known.
  double correction(std::size_t size) const;

  /// By how much both may be wrong, as a share: how far plans of one point scatter about their
  /// correction (three quarters of them by less), and how far native is from what lines through its
  /// neighbours say (half as far as half of them are, since there are points in between then). At
  /// least 2 %.
  double margin() const { return margin_; }

 private:
  using BySize = std::map<std::size_t, double>;
  static std::optional<double> along(const BySize& seconds, std::size_t size);
  std::optional<double> native_of(int ranks, std::size_t size) const;
  double find_margin() const;

  Placement wanted_;
  std::map<Placement, BySize> native_;
  std::map<int, std::map<std::size_t, std::vector<double>>> over_price_;  // logarithms, by ranks and size
  double margin_;
};

}  // namespace tutti::inline choose
