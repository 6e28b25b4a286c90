#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "base/result.hpp"
#include "choose/evidence/call_class.hpp"
#include "choose/evidence/fingerprint.hpp"
#include "choose/profile/sampled_calls.hpp"

namespace tutti::inline choose {

/// Calls of a program that are profiled together.
struct ProfiledKind {
  Collective collective;
  Placement placement;       ///< of their communicator; no hosts: it is not known how many
  SizeClass size;            ///< number 0 where ranks can't go by a size
  std::string communicator;  ///< the name that the program gave it; empty: none
  std::string plan;          ///< what ran, as the statistics name it
  std::string phase = {};    ///< of the program, as it said itself; empty: none
  friend auto operator<=>(const ProfiledKind&, const ProfiledKind&) = default;
};

/// What ranks spent in calls of one kind.
struct ProfiledCalls {
  std::uint64_t calls = 0;    ///< of all ranks together
  double bytes = 0;           ///< of all, by CollectiveTraits::size_means
  double seconds = 0;         ///< of all ranks together
  double least_s = 0;         ///< a call, of the rank that spent least in its average one
  double most_s = 0;          ///< of the one that spent most
  double shortest_s = 0;      ///< the shortest call, on any rank
  int ranks = 0;              ///< that called
  SampledCalls sampled = {};  ///< by which it is told who came late; none where it can't be

  /// Adds more calls of the same rank, of which there is only one so far.
  void add(std::uint64_t more, double more_bytes, double took_s, double shortest_call_s);
  /// Adds what other ranks spent.
  void merge(const ProfiledCalls& other);
  /// What ranks waited for late ones, of `seconds`, from below and from above. Who comes last does
  /// not wait. So all beyond the shortest call may be waiting. Where no rank can leave before all
  /// have come, and one is in its calls for less time than others are, these wait for it; in other
  /// operations ranks have shares of their own, and nothing is known from below.
  double waiting_at_least_s(Collective collective) const;
  double waiting_at_most_s(Collective collective) const;
};

/// What ranks spent in another function of MPI.
struct ProfiledFunction {
  std::uint64_t calls = 0;  ///< of all ranks together
  double bytes = 0;         ///< that they sent by it, or moved from or to a window or a file
  double seconds = 0;       ///< of all ranks together

  void merge(const ProfiledFunction& other);
};

/// What a program did in its calls of MPI, and for how long.
struct Profile {
  Fingerprint fingerprint;
  std::string date;  ///< "2026-03-01"
  int ranks = 0;     ///< of the job
  int hosts = 0;
  double seconds =
      0;  ///< of the run, from the first call of MPI that was seen to MPI_Finalize; the longest rank's
  int profiled_ranks = 0;  ///< whose calls are in it
  std::map<ProfiledKind, ProfiledCalls> calls;
  /// The others by name, as far as they are counted: messages between two ranks, what waits for
  /// them, accesses to windows and files, collectives that Tutti does not serve. Empty where the
  /// library that counts them was not there.
  std::map<std::string, ProfiledFunction> functions = {};

  /// Adds what other ranks of the same job did.
  void merge(const Profile& other);
  /// Leaves out samples of calls of which not all ranks told, and of most kinds but those that take
  /// longest.
  void settle_samples();
  /// Leaves out samples of kinds beyond so many, as of too many communicators.
  void bound_samples(std::size_t kinds);
  /// Seconds in collective calls, of the average rank.
  double collective_s() const;
  /// Seconds in the other functions, of the average rank.
  double other_s() const;
};

/// Reads a profile's JSON ("tutti-profile-1"); `source` names it in errors.
Result<Profile> parse_profile(const std::string& text, const std::string& source);

/// A profile's JSON.
std::string to_text(const Profile& profile);

}  // namespace tutti::inline choose
