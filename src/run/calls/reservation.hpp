#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "run/calls/context.hpp"
#include "run/calls/context_numbers.hpp"
#include "run/calls/own_collective.hpp"

namespace tutti::run {

/// Numbers that the ranks of a communicator reserve while they wait for nobody, for others that are
/// made of it. Each rank holds some and tells the others; what all hold is reserved, and goes to
/// those to whom places were promised meanwhile. So what is promised, and how often ranks tell each
/// other, follows from the order of calls alone, whenever a rank hears of the others.
class Reservation {
 public:
  /// Begins: `wanted` numbers at most. All ranks of a communicator do so in the order of its
  /// collectives; one thread of each calls.
  Reservation(MPI_Comm users, int wanted);

  bool has_place() const { return promised_ < wanted_; }
  int promise() { return promised_++; }

  /// Whether this rank has heard which numbers they are: looks at a number only.
  bool is_known() const { return telling_.is_complete(); }
  /// The number of a place, once; nothing on all ranks where too few were free. Waits for the
  /// others where it is not known yet.
  std::optional<ContextNumber> take(int place);

 private:
  void settle();

  int wanted_, promised_ = 0;
  std::vector<ContextNumber> held_, reserved_;
  ContextNumbers mine_, all_;
  OwnCollective telling_;  // reads and writes those until it has ended
};

/// The number of a communicator that is being made, which this rank may hear of later.
class PromisedNumber {
 public:
  explicit PromisedNumber(std::shared_ptr<Reservation> of) : of_(std::move(of)), place_(of_->promise()) {}

  bool is_known() const { return of_->is_known(); }
  std::optional<ContextNumber> take() { return of_->take(place_); }

 private:
  std::shared_ptr<Reservation> of_;
  int place_;
};

}  // namespace tutti::run
