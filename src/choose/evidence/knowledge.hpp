#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "choose/evidence/call_class.hpp"
#include "choose/evidence/day.hpp"
#include "choose/evidence/fingerprint.hpp"
#include "choose/evidence/found_groups.hpp"
#include "choose/evidence/sample.hpp"
#include "core/network/network.hpp"

namespace tutti::inline choose {

/// What is known of a plan in a class of calls.
struct Evidence {
  double calls = 0;       ///< that were measured
  Sample seconds;         ///< in a call, of the average rank
  Sample against_native;  ///< contrasts of that with native's, taken in turn; of native itself none
  /// Contrasts with what other plans' calls took, by their texts; the evidence of either of two
  /// plans has them.
  std::map<std::string, Sample> against_others = {};
  double alone = 0;  ///< what a call surely takes that waits for nobody, in seconds, of late; 0: unknown
  /// Native's evidence has the seconds that calls took programs which tried nothing in them, less
  /// those for which later ones have tried plans.
  double untried_s = 0;
  Day first = 0, last = 0;  ///< when it was seen

  bool empty() const { return calls <= 0 && untried_s == 0; }
  void merge(const Evidence& other);
  /// A time over native's, with the bounds that hold at all times together with 99 % confidence.
  Interval ratio_to_native() const;
  friend bool operator==(const Evidence&, const Evidence&) = default;
};

/// Evidence of plans, by their texts.
using EvidenceByPlan = std::map<std::string, Evidence>;

/// What programs have found out on one machine: evidence, from which decisions follow anew each
/// time. What is older counts for less, half of it for each two months.
struct Knowledge {
  struct Key {
    std::string mpi;  ///< as of Fingerprint
    CallClass calls;
    std::string transport = {};  ///< Fingerprint::carrier between those ranks; empty: not known
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  /// What carries messages.
  struct Stack {
    std::string mpi, transport = {};  ///< as of Key
    friend auto operator<=>(const Stack&, const Stack&) = default;
  };

  using Classes = std::map<Key, EvidenceByPlan>;

  std::string machine;  ///< as of Fingerprint
  Classes classes;
  /// What messages cost within a host and between two, by MPI: a network of two ranks on one host
  /// and one on another, as far as there are such. Where hosts were told to be in groups it says
  /// what these cost (count_levels).
  std::map<Stack, Network> networks;
  /// Groups that its hosts are in, the last ones found behind the others.
  std::vector<FoundGroups> groups = {};
  Day as_of = 0;  ///< what was last seen before has faded to this day
  /// Evidence of plans that this Tutti does not have, kept for other versions, which share the
  /// file.
  Classes of_other_versions = {};

  bool empty() const { return classes.empty() && networks.empty() && groups.empty(); }
  /// Adds what another file or program has found out on the same machine, both as of the later day.
  void merge(const Knowledge& other);
  /// Drops the classes that `which` names, of plans of other versions too; it may be asked of each
  /// twice.
  void drop(const std::function<bool(const Key&)>& which);
  /// What programs of one MPI know who run on those transports, as if there were no others: in keys
  /// and networks none is named. What does not say where it was seen counts as seen here.
  Knowledge seen_from(const Fingerprint& here) const;
  /// Where something of this was seen, one MPI and pair of transports after another.
  std::vector<Fingerprint> places() const;
  /// Makes what was last seen before `today` count for less. Evidence of which nothing is left
  /// goes, and so do groups that were found long ago.
  void fade(Day today);
  /// Takes later days for that one. A host whose clock is ahead writes days that are yet to come,
  /// and beside these all news would be old, and fade.
  void end_by(Day day);
  /// Ends and fades what was read of a file, by that day. A clock that does not know the day yet,
  /// as of a host that has just started, changes nothing.
  void fade_as_of(Day day);
};

/// The network of ranks on hosts, of one that knows what messages cost within a host and between
/// two; of one that knows groups, too, between the farthest.
Network network_on(const Hosts& hosts, const Network& known);

/// Reads knowledge's JSON; `source` names it in errors.
Result<Knowledge> parse_knowledge(const std::string& text, const std::string& source);

/// What a knowledge's JSON says of groups of hosts, without reading the rest; nothing where that is
/// not as it should be.
std::vector<FoundGroups> parse_found_groups(const std::string& text);

/// Knowledge's JSON.
std::string to_text(const Knowledge& knowledge);

}  // namespace tutti::inline choose
