#pragma once

#include <map>
#include <tuple>

#include "choose/evidence/call_class.hpp"
#include "choose/planner/constants.hpp"
#include "choose/planner/cost_model.hpp"

namespace tutti::inline choose {

/// Costs in a time that a program does not notice, of plans for all ranks of a communicator or for
/// some of them: by a price on few ranks; on many by closed forms, and where there is none by what
/// the busiest of some ranks sends or gets, and how far it is to them. Where it is known what
/// levels of groups cost (count_levels), a few plans have prices on many ranks, too.
class QuickModel final : public CostModel {
 public:
  /// `placement` and `setting` are the communicator's. `network`: what is known of it, if anything
  /// is.
  QuickModel(const Placement& placement, const Setting& setting, const Network* network);
  QuickModel(const QuickModel&) = delete;

  /// Whether plans are priced on `ranks` ranks.
  static bool prices(int ranks) { return ranks <= planner::most_priced_ranks; }
  std::optional<CostEstimate> of(const Plan& plan, const Setting& setting, std::size_t bytes) override;
  /// What messages between hosts take, or between ranks where there is one host.
  const Hockney& wire() const { return wire_; }

  /// Whether levels of groups are known, on few enough ranks.
  bool knows_levels() const { return on_levels_.has_value(); }
  /// What a plan for all ranks takes on these levels, by a price; nothing where they are not known,
  /// or where that would take more work than is left.
  std::optional<double> price_on_levels(const Plan& plan, const Setting& setting, std::size_t bytes);
  /// Seconds in which an outermost group of mean size lets through a byte of each of its ranks; 0
  /// where that is not known, or its ways are not narrow.
  double out_of_group() const { return out_of_group_; }

 private:
  CostEstimate estimate(const Plan& plan, const Setting& setting, std::size_t bytes) const;
  double time_of(const Part& part, const Operation& message, const Shape& shape, std::size_t bytes) const;
  double port_time(const Part& part, const Shape& shape, std::size_t bytes) const;
  double way(const Plan& plan, const Shape& shape, Rank rank, std::size_t bytes) const;

  void take_levels(const Setting& setting, const Network& known);

  int ranks_;
  Network network_, alike_;  // of all ranks; with those of a part as far from each other
  EventModel on_network_{network_, {}}, on_alike_{alike_, {}};
  // The networks of all ranks with their levels, in the ranks' own order and in that of groups.
  std::optional<Network> on_levels_, in_order_;
  std::size_t left_ = 0;  // operations of prices on these
  double out_of_group_ = 0;
  std::map<std::tuple<int, int, std::size_t>, CostEstimate> estimates_;  // by plan's id, ranks and bytes
  Hockney wire_, memory_;  // what messages take; through memory, where all ranks share it
};

}  // namespace tutti::inline choose
