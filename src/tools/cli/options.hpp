#pragma once

// What verbs of the command share: how they end, the words they read, the options they have.

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "choose/evidence/arrival_pattern.hpp"
#include "choose/evidence/knowledge_store.hpp"
#include "choose/evidence/measurer.hpp"
#include "choose/profile/profile.hpp"
#include "core/network/network.hpp"
#include "core/network/runtime_model.hpp"
#include "core/plan/plan.hpp"
#include "core/schedule/topology.hpp"
#include "tools/cli/launcher.hpp"
#include "tools/cli/stopwatch.hpp"

namespace tutti::tools {

/// What a verb throws to end with a one-line error: the message says what to do. The exit status is
/// 1.
struct Failure {
  std::string message;
};

/// What a verb throws to end with another exit status, having said all there is to say.
struct Ended {
  int status;
};

/// The value of a result, or the end of the verb.
template <typename T>
T value_or_fail(Result<T> result) {
  if (!result) throw Failure{result.error().message};
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// Why a word is none of those that an option may have: it names them.
std::string not_among(const std::string& word, const std::vector<std::string>& names);

/// Reads a word as the value that it names.
template <typename T>
CLI::Validator named_value(const std::map<std::string, T>& values) {
  return CLI::Validator(
      [values](std::string& word) {
        if (const auto found = values.find(word); found != values.end()) {
          word = std::to_string(static_cast<int>(found->second));  // as CLI11 reads an enumeration
          return std::string();
        }
        std::vector<std::string> names;
        for (const auto& [name, value] : values) names.push_back(name);
        return not_among(word, names);
      },
      "");
}

/// The collective of that name; "did you mean" if there is none.
Collective read_collective(const std::string& text);
/// "bcast", or "ibcast".
Called read_called(const std::string& text);
/// A comma-separated list; "all" means all.
std::vector<Collective> read_collectives(const std::string& text);

/// The operation that a verb is about: a bare word, or --op.
struct OperationOption {
  std::string word;
  /// `nonblocking`: whether such operations may be named, too.
  void add_to(CLI::App& verb, bool nonblocking = false);
  Collective read() const { return read_collective(word); }
  Called read_called() const { return tools::read_called(word); }
};

/// The operations that a verb is about: bare words or --op, with commas or without; all if none is
/// named.
struct OperationsOption {
  std::vector<std::string> words;
  void add_to(CLI::App& verb);
  std::vector<Collective> read() const;
  /// Nonblocking ones, too, such as ibcast; all that block if none is named.
  std::vector<Called> read_called() const;
};

/// Ends the verb at operations with requests to be started again: they are measured as nonblocking
/// ones.
void refuse_persistent(Called called);

/// Sizes such as "1K,10K,512000", ascending.
std::vector<std::size_t> read_sizes(const std::string& text);
/// Positive numbers such as "2,4,8", ascending.
std::vector<int> read_numbers(const std::string& text, const std::string& what);
/// Seconds: "60", "60s", "2m".
double read_seconds(const std::string& text);

/// The network in a file of `tutti probe`.
Network read_network(const std::string& path);

/// What a program did, in a file of `tutti run --profile`.
Profile read_profile(const std::string& path);

/// The runtime functions in a file of `tutti model fit`.
RuntimeModel read_runtime_model(const std::string& path);

/// How ranks lie on hosts.
struct HostsOption {
  int hosts = 1;
  int ranks_a_host = 0;  ///< 0: as equally as can be
  bool cyclic = false;
  /// Adds --hosts, --ranks-per-host and --cyclic.
  void add_to(CLI::App& verb);
  /// Number of hosts that `ranks` ranks are on.
  int count_for(int ranks) const;
  /// The hosts of the first `some` of `ranks` ranks.
  Hosts placed(int ranks, int some) const;
};

/// Who is whose neighbour, in operations between neighbours.
struct StencilOption {
  int points = default_stencil;
  void add_to(CLI::App& verb);
  /// The neighbours; nothing for operations that have none.
  std::optional<Topology> topology(Collective collective, int ranks) const;
};

/// How long blocks are, in operations that have some (has_lengths).
struct BlocksOption {
  BlockLengths lengths = BlockLengths::equal;
  CLI::Option* add_to(CLI::App& verb);
  /// Ends the verb if none of the operations has blocks of other lengths than equal ones, and such
  /// are asked for.
  void check(const std::vector<Called>& operations) const;
};

/// When ranks come to the calls that are measured.
struct ArrivalOption {
  std::string text;  ///< an arrival pattern, or the name of a profile; empty: together
  CLI::Option* add_to(CLI::App& verb);
  /// The pattern of each point's calls; of a profile that of the calls most like them.
  std::function<ArrivalPattern(const Point&)> read() const;
};

/// The file that a verb writes, by its name.
struct OutputOption {
  std::string path;
  /// -o, which has to be given unless it is optional.
  void add_to(CLI::App& verb, const std::string& what, bool required = true);
  /// Ends the verb if nothing can be written there: to be called before anything long.
  void check() const;
  /// Writes it, says so, and ends the verb if that fails.
  void write(const std::string& text) const;
  /// Whether what the verb has to tell may go to standard output: not where the output goes there.
  bool leaves_standard_output() const;
};

/// The options that verbs with a launcher share.
struct LauncherOptions {
  std::vector<std::string> command;
  std::string mpi = "", start_limit = "120s";
  /// `usage` is what usage lines show of them.
  void add_to(CLI::App& verb, const std::string& usage);
  /// Adds also the options of verbs that start the measuring program.
  void add_to_measuring(CLI::App& verb, const std::string& usage = "-- LAUNCHER");
  void add_start_limit(CLI::App& verb);
  /// The launcher they name.
  Launcher recognise() const;
  double start_limit_s() const { return read_seconds(start_limit); }
};

/// The knowledge that a verb is about.
struct KnowledgeOption {
  std::string folder = "", mpi = "", transport = "", machine = "";
  void add_to(CLI::App& verb);
  /// Adds --folder only, where a profile names the MPI and the machine.
  void add_folder_to(CLI::App& verb);
  KnowledgeStore store() const;
  /// Whether an MPI library and a transport are among those meant.
  bool means(const std::string& of_mpi, const std::string& of_transport) const;
  /// The knowledge of all machines meant, as of today; ends the verb if there is none.
  std::vector<Knowledge> read() const;
  /// The knowledge of all machines meant, as of today; there may be none.
  std::vector<Knowledge> read_if_any() const;
};

}  // namespace tutti::tools
