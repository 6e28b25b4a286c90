#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "choose/profile/profile.hpp"

namespace tutti::inline choose {

/// What collective calls are told apart by.
enum class ShareOf { communicator, phase };

/// What ranks spent in the collective calls on communicators of one name and placement, or in one
/// phase of the program.
struct ProfiledShare {
  std::string name;                                      ///< empty: the program gave none
  Placement placement{};                                 ///< of communicators; none of phases
  std::uint64_t calls = 0;                               ///< of all ranks together
  double seconds = 0;                                    ///< of all ranks together
  double waiting_at_least_s = 0, waiting_at_most_s = 0;  ///< of them, see ProfiledCalls
  std::map<Collective, double> seconds_in = {};          ///< by operation

  /// Operations, those in which most time is spent first.
  std::vector<Collective> operations() const;
};

/// The shares of a profile, those in which most time is spent first.
std::vector<ProfiledShare> shares_of(const Profile& profile, ShareOf what);

/// What the other functions of a profile are for, by their names: "one-sided", "files", "messages
/// and others"; and "with large counts", which are among these.
std::map<std::string_view, ProfiledFunction> functions_by_use(const Profile& profile);

}  // namespace tutti::inline choose
