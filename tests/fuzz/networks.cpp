// Networks: what is accepted is written, and read again, as the same; its pools are found, and a
// broadcast has a price.

#include "core/network/network_file.hpp"
#include "core/network/price.hpp"
#include "core/plan/plan.hpp"
#include "core/synthesis/known_network.hpp"
#include "fuzz.hpp"

void try_text(const std::string& text) {
  using namespace tutti;
  const auto network = parse_network(text, "fuzzed");
  if (!network) return require(network.error().message.starts_with("network fuzzed: "));
  const std::string written = to_text(*network);
  const auto again = parse_network(written, "written");
  require(again && to_text(*again) == written);
  const auto known_ranks = static_cast<int>(network->known_ranks());
  const int ranks = known_ranks == 0 ? 4 : known_ranks;
  if (ranks < 2 || ranks > 16) return;
  const KnownNetwork known = KnownNetwork::of(*network, ranks);
  const Setting setting{.ranks = ranks, .network = &known};
  const Plan plan = make_plan(Collective::bcast, "binomial").value();
  const double seconds = price(generate(plan, shape_of(plan, setting, 0, 1000)), 1000, *network).seconds;
  require(seconds >= 0);
}
