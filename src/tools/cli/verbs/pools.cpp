#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "choose/probing/probing.hpp"
#include "core/network/drawn_tree.hpp"
#include "core/network/network_file.hpp"
#include "core/network/remeasured.hpp"
#include "core/synthesis/known_network.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/progress_bar.hpp"
#include "tools/cli/tuning.hpp"
#include "tools/cli/verb.hpp"
#include "tools/cli/worker_client.hpp"

namespace tutti::tools {
namespace {

struct PoolsOptions {
  std::string network, svg, budget = "30s";
  bool refresh = false;
  LauncherOptions launcher;
};

// How many ranks the file knows.
int ranks_of(const Network& network, const std::string& path) {
  const auto ranks = static_cast<int>(network.known_ranks());
  if (ranks == 0) throw Failure{fmt::format("network {} says nothing of ranks; probe it again", path)};
  return ranks;
}

// Measures bandwidths again, as many pairs as there is time for, and writes the network back.
Network refreshed(const PoolsOptions& options, const Network& network, int ranks) {
  if (options.launcher.command.empty())
    throw Failure{"--refresh needs ranks to measure with; add what starts them, such as -- mpirun -n 20"};
  value_or_fail(check_output(options.network));
  WorkerClient worker =
      value_or_fail(WorkerClient::start(options.launcher.recognise(), options.launcher.start_limit_s()));
  if (worker.site().ranks != ranks)
    throw Failure{fmt::format("network {} is of {} ranks, and the launcher starts {}", options.network, ranks,
                              worker.site().ranks)};
  ProgressBar bar;
  const ProbeHooks hooks{
      .progress = [&](double share, const std::string& doing) { bar.show(share, doing, ""); },
      .clock = stopwatch()};
  const Network here = on_hosts_of(network, "network " + options.network, worker);
  Network now = value_or_fail(refresh(here, worker, read_seconds(options.budget), hooks));
  bar.clear();
  value_or_fail(write_file(options.network, to_text(now)));
  fmt::print(stderr, "wrote {}\n", options.network);
  return now;
}

void pools(const PoolsOptions& options) {
  Network network = read_network(options.network);
  const int ranks = ranks_of(network, options.network);
  if (!options.svg.empty()) value_or_fail(check_output(options.svg));
  if (options.refresh) network = refreshed(options, network, ranks);
  const KnownNetwork known = KnownNetwork::of(network, ranks);
  if (!is_standard_output(options.svg)) fmt::print("{}", to_text(drawn(known.pools)));
  if (!options.svg.empty()) value_or_fail(write_file(options.svg, to_svg({drawn(known.pools)})));
}

void declare_pools(CLI::App* verb, const LauncherWords& launcher) {
  auto options = std::make_shared<PoolsOptions>();
  options->launcher.command = launcher.words;
  verb->footer(
      "Example: tutti pools network.json --svg pools.svg\n"
      "         tutti pools network.json --refresh -- mpirun -n 20");
  verb->add_option("network", options->network, "network, as written by tutti probe")
      ->type_name("FILE")
      ->required();
  verb->add_option("--svg", options->svg, "picture of the pools to write, such as pools.svg, or /dev/stdout")
      ->type_name("FILE");
  verb->add_flag("--refresh", options->refresh,
                 "measure the bandwidths again, and write the network's file anew");
  verb->add_option("--budget", options->budget, "time for measuring the bandwidths again")
      ->type_name("TIME")
      ->capture_default_str();
  options->launcher.add_to_measuring(*verb, "[-- LAUNCHER]");
  verb->callback([options] { pools(*options); });
}

}  // namespace

namespace verbs {

Verb pools() {
  return {.name = "pools",
          .summary = "show which ranks of a network are near to each other",
          .purpose = Purpose::understand,
          .declare = declare_pools};
}

}  // namespace verbs

}  // namespace tutti::tools
