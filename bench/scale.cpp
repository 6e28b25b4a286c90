// What things cost for RANKS ranks, one a run, so that the peak of memory is its own. Prints
// seconds, mebibytes at the peak, and a count.
//
// Usage: bench-scale price|sampled|part|verify OPERATION PLAN RANKS RANKS_A_HOST BYTES
//        bench-scale candidates OPERATION - RANKS RANKS_A_HOST BYTES

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "choose/planner/candidates.hpp"
#include "core/network/by_hosts.hpp"
#include "core/network/price.hpp"
#include "core/plan/plan_symmetry.hpp"
#include "core/plan/prove.hpp"
#include "core/plan/sampled_price.hpp"

using namespace tutti;

namespace {

Network network_of(int ranks, int ranks_a_host) {
  Network network = Network::uniform({.alpha = 5e-6, .beta = 8e-11, .gamma = 1e-10});
  network.links.push_back(Link::busy({.alpha = 5e-7, .beta = 2e-11}));
  network.link_on_host = 1;
  network.hosts = filled_hosts(ranks, (ranks + ranks_a_host - 1) / ranks_a_host);
  network.ports = PortUse::shared;
  return network;
}

std::size_t peak_kibibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  const std::string_view what = argv[1];
  const auto collective = collective_named(argv[2]);
  if (!collective) return 2;
  const int ranks = std::atoi(argv[4]), each = std::atoi(argv[5]);
  const auto size = static_cast<std::size_t>(std::atoll(argv[6]));
  const Network network = network_of(ranks, each);
  const Setting setting{.ranks = ranks, .hosts = &network.hosts};
  const std::size_t bytes = total_bytes(*collective, ranks, size), before = peak_kibibytes();
  const std::size_t held = mallinfo2().uordblks;
  std::size_t count = 0;

  const auto begin = std::chrono::steady_clock::now();
  double seconds = 0;
  const auto stop = [&] {
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  if (what == "candidates") {
    const Site site{.fingerprint = {}, .ranks = ranks, .hosts = network.hosts, .simulated = true};
    count = candidates({*collective, ranks, size}, site, network, {4}).known;
    stop();
  } else {
    const auto plan = make_plan(*collective, argv[3]);
    if (!plan || plan->refusal(setting)) return 3;
    const Shape shape = shape_of(*plan, setting, 0, bytes);
    if (what == "price") {
      const Outline needed(*plan, shape, bytes, network);
      price(needed.schedule(), bytes, network);
      count = needed.operations();
      stop();
    } else if (what == "sampled") {
      const auto sampled = sampled_price(*plan, ranks, size, network);
      if (!sampled) return 4;
      stop();
      count = static_cast<std::size_t>(sampled->ranks.back());
    } else if (what == "part") {
      const Part part = generate(*plan, shape, ranks / 3);
      stop();
      count = part.operations().size();
      fmt::print("{:.6f} {:.3f} {}\n", seconds, static_cast<double>(mallinfo2().uordblks - held) / (1 << 20),
                 count);
      return 0;
    } else if (what == "verify") {
      const Proof proof = prove(*plan, ranks, 0, &network.hosts);
      stop();
      count = proof.schedules;
      if (!proof.violation.empty()) return 4;
    } else {
      return 2;
    }
  }
  fmt::print("{:.6f} {:.1f} {}\n", seconds, static_cast<double>(peak_kibibytes() - before) / 1024, count);
  return 0;
}
