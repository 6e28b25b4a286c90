#include <fmt/format.h>

#include <chrono>
#include <map>

#include "cli/progress_bar.hpp"
#include "cli/verb.hpp"
#include "cli/worker_client.hpp"
#include "network/network_file.hpp"
#include "plan/size.hpp"
#include "tuning/probing.hpp"
#include "tuning/table.hpp"

namespace tutti::cli {
namespace {

struct ProbeOptions {
  std::string output, budget = "60s", largest = "1M";
  LauncherOptions launcher;
};

// How many pairs of ranks each link serves.
std::map<int, std::size_t> pairs_by_link(const Network& network, int ranks) {
  if (network.link_of.empty())
    return {{0, static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks - 1) / 2}};
  std::map<int, std::size_t> pairs;
  for (Rank a = 0; a < ranks; ++a)
    for (Rank b = a + 1; b < ranks; ++b)
      ++pairs[network.link_of[static_cast<std::size_t>(a) * static_cast<std::size_t>(ranks) +
                              static_cast<std::size_t>(b)]];
  return pairs;
}

void print(const Network& network, int ranks) {
  fmt::print("{:>6}{:>10}{:>14}{:>16}{:>12}{:>8}\n", "links", "pairs", "alpha", "beta, 1/beta", "", "f_beta");
  for (const auto& [number, pairs] : pairs_by_link(network, ranks)) {
    const Link& link = network.links[static_cast<std::size_t>(number)];
    const Hockney straight = hockney_of(link);
    fmt::print("{:>6}{:>10}{:>14}{:>13}/MB{:>7.4g} MB/s{:>8.2f}\n", number, pairs, time_text(straight.alpha),
               time_text(straight.beta * 1e6), 1e-6 / straight.beta, link.both_ways);
  }
  fmt::print("eager up to {} bytes; a sum of doubles {}/MB\n", network.eager, time_text(network.gamma * 1e6));
}

void probe(const ProbeOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const ProbeRequest request{.budget_s = read_seconds(options.budget),
                             .largest = value_or_fail(parse_size(options.largest))};
  WorkerClient worker = value_or_fail(WorkerClient::start(options.launcher.recognise()));
  ProgressBar bar;
  const ProbeHooks hooks{
      .progress = [&](double share, const std::string& doing) { bar.show(share, doing, ""); },
      .clock =
          [begin] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
          }};
  auto network = tutti::probe(request, worker, hooks);
  bar.clear();
  const Network learnt = value_or_fail(std::move(network));
  value_or_fail(write_file(options.output, to_text(learnt)));
  print(learnt, worker.site().ranks);
  fmt::print(stderr, "wrote {}\n", options.output);
}

}  // namespace

void add_probe(CLI::App& app) {
  auto options = std::make_shared<ProbeOptions>();
  CLI::App* verb = app.add_subcommand("probe", "learn the network between the ranks, for price and tune");
  verb->footer("Example: tutti probe -o network.json -- mpirun -n 16");
  verb->add_option("-o,--output", options->output, "the file to write")->required();
  verb->add_option("--budget", options->budget, "time for everything")->capture_default_str();
  verb->add_option("--largest", options->largest, "the largest message sent")->capture_default_str();
  options->launcher.add_to(*verb);
  verb->callback([options] { probe(*options); });
}

}  // namespace tutti::cli
