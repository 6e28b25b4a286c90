#pragma once

#include <cstddef>
#include <optional>

#include "choose/evidence/call_class.hpp"
#include "core/network/network.hpp"
#include "core/plan/plan.hpp"

namespace tutti::inline choose {

/// What a plan is thought to take: its time, and the messages of all ranks where it is priced, else
/// of the busiest.
struct CostEstimate {
  double seconds, messages;
};

/// Estimates costs in a time that a program does not notice, of plans for all ranks of a
/// communicator or for some of them: by a price on few ranks; on many by closed forms, and where
/// there is none by what the busiest of some ranks sends or gets, and how far it is to them.
class Appraiser {
 public:
  /// `placement` and `setting` are the communicator's. `network`: what is known of it, if anything is.
  Appraiser(const Placement& placement, const Setting& setting, const Network* network);

  /// Whether plans are priced on `ranks` ranks.
  static bool prices(int ranks) { return ranks <= most_priced_ranks; }
  static std::optional<Cost> closed_form(const Plan& plan, int ranks);
  /// `size` in bytes, see CollectiveTraits::size_means.
  CostEstimate of(const Plan& plan, const Setting& setting, std::size_t size) const;
  /// What messages between hosts take, or between ranks where there is one host.
  const Hockney& wire() const { return wire_; }

 private:
  static constexpr int most_priced_ranks = 16;

  CostEstimate price_of(const Plan& plan, const Setting& setting, std::size_t bytes) const;
  CostEstimate estimate(const Plan& plan, const Setting& setting, std::size_t bytes) const;
  double time_of(const Part& part, const Operation& message, const Shape& shape, std::size_t bytes) const;
  double port_time(const Part& part, const Shape& shape, std::size_t bytes) const;
  double way(const Plan& plan, const Shape& shape, Rank rank, std::size_t bytes) const;

  int ranks_;
  Network network_, alike_;  // of all ranks; with those of a part as far from each other
  Hockney wire_, memory_;    // what messages take; through memory, where all ranks share it
};

}  // namespace tutti::inline choose
