#include "tools/cli/priced_network.hpp"

#include <fmt/format.h>

#include "tools/cli/options.hpp"

namespace tutti::tools {
namespace {

// Ranks: where nobody asks for them by name, schedules are not computed for more between sites.
constexpr int most_ranks_between_sites = 1024;

}  // namespace

Network read_network(const std::string& path, int ranks) {
  Network network = read_network(path);
  const auto known = network.known_ranks();
  if (known > 0 && known < static_cast<std::size_t>(ranks))
    throw Failure{fmt::format("network {} knows {} ranks, not {}; probe with as many", path, known, ranks)};
  return network;
}

std::optional<KnownNetwork> known_network(const Network& network, int ranks, bool is_asked_for) {
  if (ranks > most_ranks_between_sites && network.link_of.empty() && !is_asked_for) return std::nullopt;
  return KnownNetwork::of(network, ranks);
}

}  // namespace tutti::tools
