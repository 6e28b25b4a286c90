#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "choose/evidence/fingerprint.hpp"
#include "choose/evidence/library_component.hpp"
#include "choose/evidence/measurement.hpp"
#include "core/network/network.hpp"
#include "core/plan/plan.hpp"

namespace tutti::inline choose {

class UnreadMeasurements;

/// How a communicator lies on the machine, as far as tables tell communicators apart.
struct Placement {
  int ranks;
  int hosts;
  friend auto operator<=>(const Placement&, const Placement&) = default;
};

/// A placement in words, such as "4 ranks, 2 hosts".
std::string placement_text(Placement placement);

/// The plan for messages of size_min … size_max bytes (see CollectiveTraits::size_means; where each
/// rank knows its own size as ranks agree on it, has_own_sizes).
struct Rule {
  std::size_t size_min;
  std::size_t size_max;  ///< inclusive
  Plan plan;
};

inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// The first rule for that size, or null if none covers it.
const Rule* find_rule(const std::vector<Rule>& rules, std::size_t size);

/// The rules for one collective on communicators of one placement, or of more ranks, up to
/// `ranks_max`, and on any hosts where `placement.hosts` is any_hosts; the first that matches
/// holds.
struct RuleSet {
  static constexpr int any_hosts = 0;

  Collective collective;
  Placement placement;
  std::vector<Rule> rules;
  int ranks_max = placement.ranks;
  Mode mode = Mode::blocking;
  Called called() const { return {collective, mode}; }
  bool serves(Placement wanted) const {
    return placement.ranks <= wanted.ranks && wanted.ranks <= ranks_max &&
           (placement.hosts == any_hosts || placement.hosts == wanted.hosts);
  }
  const Rule* find(std::size_t size) const { return find_rule(rules, size); }
  /// Whether calls of some sizes may go another way than those of others.
  bool goes_by_size() const {
    return std::ranges::any_of(
        rules, [](const Rule& rule) { return rule.size_min > 0 || rule.size_max < unlimited; });
  }
};

/// How a table came about.
struct Origin {
  std::string command;  ///< that was typed
  std::string date;     ///< "2026-03-01"
  double seconds;       ///< it took
  std::string version;  ///< Tutti's
  /// When ranks came to what was measured, as `tutti tune --arrival` has it; empty: together.
  std::string arrival = {};
  /// How long blocks were, where the collective has some (has_lengths).
  BlockLengths lengths = BlockLengths::equal;
};

/// A tuned machine: decisions, and the measurements behind them.
struct Table {
  Fingerprint fingerprint;
  Hockney network;
  std::vector<RuleSet> rule_sets;
  std::vector<Measurement> measurements;
  /// What the MPI library's own algorithms took, by their names in place of plans ("native" is the
  /// library's choice).
  std::vector<Measurement> library = {};
  std::optional<Network> links = {};  ///< the whole network, where plans are computed for it
  bool exact = true;                  ///< communicators between those that were tuned stay native
  /// For the others: links between two hosts and on one, for any ranks, and where ways between
  /// groups of hosts are narrow the groups of the hosts that it was tuned on (by_hosts_in_groups).
  std::optional<Network> model = {};
  std::optional<Origin> origin = {};  ///< where it is known
  /// What serves native calls there, the highest priority first, where the MPI library says.
  std::vector<LibraryComponent> components = {};
  /// In a program: the measurements, as the file has them, where the table serves communicators
  /// that were not tuned; `measurements` are empty then.
  std::shared_ptr<const UnreadMeasurements> unread = {};

  /// The measurements that are known, those that are unread among them: these are read now, if they
  /// were not before.
  const std::vector<Measurement>& known_measurements() const;
  /// What is wrong with those that were unread, in words for people; empty where nothing is, and as
  /// long as nobody has asked for them.
  std::string complaint() const;

  /// The rules for such communicators, or null if they were not tuned (they stay native).
  const RuleSet* find(Called called, Placement placement) const;
  const RuleSet* find(Collective collective, Placement placement) const {
    return find(Called{collective}, placement);
  }
};

/// Whether a measurement tells what communicators that were not tuned would take (Estimates): of
/// native, or of a plan that has a price, in blocking calls.
bool tells_of_others(const Measurement& measurement);

/// Reads a table's JSON; `source` names it in errors.
Result<Table> parse_table(const std::string& text, const std::string& source);

/// Reads of a table's JSON what programs need when they start. Most of it are measurements, which
/// stay unread where the table serves communicators that were not tuned, by a model; elsewhere
/// nobody asks for any.
Result<Table> parse_table_for_program(std::string text, const std::string& source);

/// The table's JSON, with what is unread.
std::string to_text(const Table& table);

}  // namespace tutti::inline choose
