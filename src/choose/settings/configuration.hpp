#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "choose/evidence/nonblocking_calls.hpp"
#include "choose/evidence/rules.hpp"
#include "choose/evidence/table.hpp"
#include "choose/evidence/whereabouts.hpp"
#include "choose/settings/log.hpp"

namespace tutti::inline choose {

enum class Fallback { silent, warn, error };

/// Which plans reductions of floating-point numbers may go by: any, those of the MPI library where
/// no variable forces one, or those in the fixed order of operands.
enum class FloatSums { any, native, reproducible };

/// What is done where a buffer is a device's memory.
enum class DeviceMemory { automatic, stage, native };

/// What drives nonblocking collectives on.
enum class ProgressBy { calls, thread };

/// What decides about calls, the same on all ranks of a communicator: plans forced by the
/// environment, a table, and what to do with calls that a plan can't serve.
struct Rules {
  ByCalled<std::vector<Rule>> forced;  ///< by sizes; other sizes go as usual
  std::optional<Table> table;
  bool builtin = false;            ///< the built-in table instead of one that was tuned
  std::optional<Network> network;  ///< in place of the table's
  Fallback fallback = Fallback::warn;
  DeviceMemory device = DeviceMemory::automatic;
  FloatSums float_sums = FloatSums::native;
  bool operations_whole = true;  ///< operations of the program's own get whole vectors
  double adapt_s = 0;            ///< how often the network is measured again; 0: never
  bool learn = false;            ///< plans are tried in the program's calls
  bool guard = true;             ///< tables' plans are compared with native there
  LearningRules learning;        ///< what that may cost
  bool profile = false;          ///< what ranks spend in their calls is kept
  /// The variables of all this that were set and understood, but for those that name files, by
  /// name.
  std::map<std::string, std::string> settings;
  /// Hashes of the files that are taken, by the names of the variables that name them.
  std::map<std::string, std::uint64_t> files = {};

  /// A hash of what the rules were read from, variables and files: where it is the same on two
  /// ranks, rules are.
  std::uint64_t hash() const;

  /// The network that is known, if any: the one that is named, or else the table's.
  const Network* known_network() const;

  /// What schedules are computed for; null if it is not known, or if no plan asks for it.
  const Network* computed_for() const;

  /// Whether some nonblocking or persistent call is to run by a plan from its first use on; others
  /// only once a program mixes blocking and nonblocking calls.
  bool prepares_nonblocking() const;
  /// Whether some such call between neighbours is.
  bool prepares_neighbors() const;
  /// Whether some nonblocking call is to go through memory that ranks share.
  bool shares_memory_at_once() const;

 private:
  bool prepares(bool (*concerns)(Called, const Plan&)) const;
};

/// Rules as text, which a rank hands on to ranks that have others.
std::string to_text(const Rules& rules);

/// The rules of such a text, which is one of ours. Their `hash` knows no files: what counts is that
/// of the rank that wrote the text.
Rules rules_in(const std::string& text);

/// Bounds of what is finite.
struct Limits {
  std::size_t host_memory = std::size_t{256} << 20;  ///< bytes that ranks of a host share, by communicator
  std::size_t schedules = std::size_t{64} << 20;     ///< bytes of the cached schedules of a rank
  /// What a rank may have under way at a time, to others and from others.
  std::size_t messages = 512, bytes = std::size_t{64} << 20;
};

/// The folder in which all that is kept from run to run lies unless told otherwise; empty where
/// there is no home.
std::string cache_folder();

/// What the environment asks of this process.
struct Configuration {
  bool off = false;
  bool stats = false;
  LogLevel log_level = LogLevel::warn;
  Limits limits;
  ProgressBy progress = ProgressBy::calls;
  Rules rules;
  /// The folder of schedules and of what was learnt; empty: none.
  std::string cache = cache_folder();
  std::optional<Whereabouts> groups;  ///< that hosts are in, where a file says so
  std::string profile;                ///< the file that rank 0 writes; empty: none
  std::vector<std::string>
      complaints;                    ///< one line for each variable that was not understood, and so ignored
  std::vector<std::string> remarks;  ///< what may be worth knowing of what was understood
};

/// The job that reads its settings: where it runs, as tables see it, on `ranks` ranks.
struct Job {
  Fingerprint fingerprint = {};
  int ranks = 0;
};

/// Reads the environment of a job. A table has to have been made for its fingerprint.
Configuration read_environment(const Job& job);

/// Whether the user has switched Tutti off, as can be told before MPI begins.
bool is_switched_off();

/// Whether the environment, or the table that it names, has plans for nonblocking or persistent
/// calls, as can be told before MPI begins.
bool names_nonblocking_plans();

/// What is known of nonblocking calls that may come in the job, which can be learnt of only where
/// ranks have met before; nothing where the environment asks for no learning.
KnownNonblocking learns_of_nonblocking(const Job& job);

/// Whether the environment asks for learning, as can be told before MPI begins.
bool asks_to_learn();

/// Whether the environment, or the table that it names, has plans that are algorithms of the MPI
/// library's own, which some libraries have to know before MPI begins.
bool names_library_algorithms();

}  // namespace tutti::inline choose
