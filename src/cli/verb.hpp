#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/launcher.hpp"
#include "network/network.hpp"
#include "network/runtime_model.hpp"
#include "plan/plan.hpp"

namespace tutti::cli {

/// What a verb throws to end with a one-line error: the message says what to do. The exit status is 1.
struct Failure {
  std::string message;
};

/// The value of a result, or the end of the verb.
template <typename T>
T value_or_fail(Result<T> result) {
  if (!result) throw Failure{result.error().message};
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// The collective of that name; "did you mean" if there is none.
Collective read_collective(const std::string& text);
/// A comma-separated list; "all" means all.
std::vector<Collective> read_collectives(const std::string& text);
/// Sizes such as "1K,10K,512000", ascending.
std::vector<std::size_t> read_sizes(const std::string& text);
/// Positive numbers such as "2,4,8", ascending.
std::vector<int> read_numbers(const std::string& text, const std::string& what);
/// Seconds: "60", "60s", "2m".
double read_seconds(const std::string& text);

/// The network in a file of `tutti probe`.
Network read_network(const std::string& path);

/// The runtime functions in a file of `tutti model fit`.
RuntimeModel read_runtime_model(const std::string& path);

/// Seconds since it was made.
std::function<double()> stopwatch();

/// The options that verbs with a launcher share.
struct LauncherOptions {
  std::string mpi;
  std::vector<std::string> command;
  /// Returns the option that the command is; it is required.
  CLI::Option* add_to(CLI::App& verb);
  /// The launcher they name.
  Launcher recognise() const;
};

// Each verb adds itself to the application.
void add_list(CLI::App& app);
void add_verify(CLI::App& app);
void add_bench(CLI::App& app);
void add_tune(CLI::App& app);
void add_run(CLI::App& app);
void add_explain(CLI::App& app);
void add_price(CLI::App& app);
void add_probe(CLI::App& app);
void add_model(CLI::App& app);
void add_pools(CLI::App& app);

}  // namespace tutti::cli
