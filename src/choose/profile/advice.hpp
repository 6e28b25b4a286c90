#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "choose/evidence/table.hpp"
#include "choose/profile/profile.hpp"

namespace tutti::inline choose {

/// Whether calls that a profile or statistics list with that plan ran natively, for any reason.
bool ran_natively(std::string_view plan);

/// Calls that the same plan may serve: of one operation and size class, on communicators that lie
/// alike.
struct CallGroup {
  Collective collective;
  Placement placement;
  SizeClass size;
  std::uint64_t calls = 0;  ///< of all ranks together
  double bytes = 0;
  double seconds = 0;
  double waiting_at_least_s = 0, waiting_at_most_s = 0;  ///< of them, see ProfiledCalls
  double native_share = 0;                               ///< of the time, in calls that ran natively

  /// Bytes of the average call, by CollectiveTraits::size_means.
  std::size_t size_of_call() const;
};

/// Whether nobody knows what size such calls have: each rank knows its own, and ranks have agreed
/// on none.
bool is_of_any_size(const CallGroup& group);

/// The groups of a profile, those in which most time is spent other than waiting first.
std::vector<CallGroup> groups_of(const Profile& profile);

/// What a source says of a plan for such calls.
struct Promise {
  std::string plan;
  std::string evidence;               ///< "measured at 1K"
  double ratio = 1;                   ///< its time over native's,
  std::optional<double> native = {};  ///< which a call took by itself, seconds, until the last rank was done;
  std::optional<double> price = {};  ///< or, where nothing was measured, what a call of it is priced, seconds
};

/// What a table promises; nothing where it says nothing of them, or goes by a size that nobody
/// knows. Native where it says so.
std::optional<Promise> promise_of(const Table& table, const CallGroup& group);

/// What prices on a network promise: the plan with the lowest one. Nothing where nobody knows what
/// size calls have, or nothing has a price. Not quick: prices may take a second.
std::optional<Promise> priced_promise(const Network& network, const CallGroup& group);

/// What may be saved, in seconds of the average rank: of the time that is not waiting for late
/// ranks, by the bounds of what that is. Of calls that ran natively only; nothing where a price is
/// above what they take. Expected is what the plan gains by itself, call by call, within the
/// bounds; of prices, their middle.
struct Saving {
  double at_least_s, at_most_s, expected_s;
};
Saving saving_of(const Profile& profile, const CallGroup& group, const Promise& promise);

}  // namespace tutti::inline choose
