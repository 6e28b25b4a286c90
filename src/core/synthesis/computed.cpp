// Schedules that are computed for one network, as algorithms of the catalogue: Min³ and the
// strategies for grids of clusters that it is compared with, and pools.

#include <fmt/format.h>

#include "core/algorithms/algorithm.hpp"
#include "core/synthesis/broadcast_trees.hpp"
#include "core/synthesis/coordinators.hpp"
#include "core/synthesis/known_network.hpp"
#include "core/synthesis/min3.hpp"
#include "core/synthesis/pools.hpp"
#include "core/synthesis/schedule_store.hpp"

namespace tutti::inline core::families {
namespace {

constexpr std::string_view gupta_2007 = "Gupta, Vadhiyar, An Efficient MPI_Allgather for Grids, 2007";

const Network& network_of(const Builder& b) {
  return b.shape().network->network;
}

// Bytes of a block.
double bytes_of(const Builder& b) {
  return static_cast<double>(b.shape().bytes) / b.blocks();
}

// Every rank looks for the schedule; the first one keeps it for other runs.
template <typename Compute>
void write_stored(Builder& b, const std::string& name, Compute compute) {
  const Shape& shape = b.shape();
  const std::string key = fmt::format("{} {} ranks {} root {} blocks {} bytes {} network {:016x}", name,
                                      traits(shape.collective).name, shape.ranks, shape.root, shape.blocks,
                                      shape.bytes, shape.network->fingerprint);
  write(b, *ScheduleStore::instance().find(key, b.rank() == 0, compute));
}

bool is_half_duplex(const Arguments& arguments) {
  return arguments.text("duplex") == "half";
}

int block_a_rank_there(const KnownNetwork& network, const Arguments&, std::size_t) {
  return network.ranks;
}

std::optional<std::string> needs_sites(const KnownNetwork& network) {
  if (network.sites.size() > 1) return std::nullopt;
  return "the network is one site; other plans are better there";
}

// Of a block of every rank for every other one.
std::optional<std::string> needs_few_ranks(const KnownNetwork& network) {
  const auto ranks = static_cast<std::size_t>(network.ranks);
  if (ranks * ranks <= most_transfers) return std::nullopt;
  return fmt::format("every rank would compute {} messages; the most are {}", ranks * ranks, most_transfers);
}

std::optional<std::string> needs_sites_and_few_ranks(const KnownNetwork& network) {
  const auto why = needs_sites(network);
  return why ? why : needs_few_ranks(network);
}

// Ranks on which every one's tree is found: it takes the fourth power of their number. It was
// chosen by hand, for seconds.
constexpr int most_trees = 64;

std::optional<std::string> needs_very_few_ranks(const KnownNetwork& network) {
  if (network.ranks <= most_trees) return std::nullopt;
  return fmt::format("finding a tree for each of {} ranks takes too long; it serves {} at most",
                     network.ranks, most_trees);
}

std::vector<Parameter> ports() {
  return {{"duplex", "what a host's port does: receives while it sends, or not", {"full", "half"}}};
}

void min3(Builder& b, const Arguments& arguments) {
  const bool half = is_half_duplex(arguments);
  write_stored(b, half ? "min3(half)" : "min3",
               [&] { return min3_allgather(network_of(b), b.shape().network->pools, bytes_of(b), half); });
}

void magpie(Builder& b, const Arguments&) {
  write(b, magpie_allgather(b.shape().network->sites, pieces(b.shape())));
}

void mpich_g2(Builder& b, const Arguments&) {
  write(b, mpich_g2_allgather(b.shape().network->sites, pieces(b.shape())));
}

void trees(Builder& b, const Arguments& arguments) {
  const bool half = is_half_duplex(arguments);
  const std::string_view which = arguments.text("trees");
  write_stored(b, fmt::format("trees({},{})", which, half ? "half" : "full"), [&] {
    const Sites& sites = b.shape().network->sites;
    std::vector<Tree> trees;
    for (Rank root = 0; root < b.ranks(); ++root)
      trees.push_back(which == "ecef" ? earliest_completing_edges(network_of(b), b.ranks(), bytes_of(b), root)
                                      : annealed(network_of(b), sites, bytes_of(b), root));
    return allgather_by_trees(trees, network_of(b), bytes_of(b), half);
  });
}

void pools(Builder& b, const Arguments& arguments) {
  const Sites& sites = b.shape().network->sites;
  if (b.shape().collective == Collective::alltoall) return write_alltoall(b, sites);
  write_stored(b, fmt::format("pools({})", arguments.text("pieces")),
               [&] { return across_sites(b.shape(), network_of(b), sites, bytes_of(b)); });
}

// Every rank's share of a piece is combined, and what became of it comes to every rank.
int pieces_of_vector(const KnownNetwork& known, const Arguments& arguments, std::size_t bytes) {
  return pieces_across(known.network, known.sites, true, arguments.number("pieces"),
                       static_cast<double>(bytes), 2 * static_cast<std::size_t>(known.ranks));
}

int pieces_of_blocks(const KnownNetwork& known, const Arguments& arguments, std::size_t bytes,
                     std::size_t transfers_a_block) {
  const auto ranks = static_cast<std::size_t>(known.ranks);
  return known.ranks * pieces_across(known.network, known.sites, false, arguments.number("pieces"),
                                     static_cast<double>(bytes) / known.ranks, ranks * transfers_a_block);
}

// A block between its rank and the root has two ranks on its way.
int pieces_to_root(const KnownNetwork& known, const Arguments& arguments, std::size_t bytes) {
  return pieces_of_blocks(known, arguments, bytes, 3);
}

int pieces_to_all(const KnownNetwork& known, const Arguments& arguments, std::size_t bytes) {
  return pieces_of_blocks(known, arguments, bytes, static_cast<std::size_t>(known.ranks));
}

Algorithm pools_of(Collective collective) {
  const bool relays = collective == Collective::gather || collective == Collective::scatter;
  Algorithm algorithm{
      .collective = collective,
      .name = "pools",
      .summary = "pieces cross between sites by all pairs of hosts at once, each into every site once",
      .wins = "several sites with slow connections that carry many messages at once",
      .source = gupta_2007,
      .section = "3 (the premise)",
      .parameters = {{"pieces", "of what crosses, for each pair of hosts", {"1", "2", "4"}, true}},
      .commutative_only = traits(collective).reduces,
      .relays = relays,
      .generate = pools,
      .blocks_on = relays                         ? pieces_to_root
                   : has_block_a_rank(collective) ? pieces_to_all
                                                  : pieces_of_vector,
      .refusal_on = has_block_a_rank(collective) && !relays ? needs_sites_and_few_ranks : needs_sites};
  if (collective != Collective::alltoall) return algorithm;
  algorithm.summary = "blocks for other sites leave first, all at once";
  algorithm.parameters.clear();
  algorithm.blocks_on = block_a_rank_there;
  algorithm.for_any_bytes = true;
  algorithm.refusal_on = needs_sites;
  return algorithm;
}

}  // namespace

Family computed() {
  Family family{
      {.collective = Collective::allgather,
       .name = "min3",
       .summary =
           "of all transfers by which a block enters another site, the one complete first is next; then "
           "the same in each site",
       .wins = "several sites with slow connections, blocks of one message",
       .source = gupta_2007,
       .section = "5",
       .parameters = ports(),
       .generate = min3,
       .blocks_on = block_a_rank_there,
       .refusal_on = needs_few_ranks},
      {.collective = Collective::allgather,
       .name = "magpie",
       .summary = "one coordinator a site: gather, exchange among them, binomial broadcast",
       .wins = "short blocks on several sites",
       .source = "Kielmann, Hofman, Bal, Plaat, Bhoedjang, MagPIe: MPI's Collective Communication Operations "
                 "for Clustered Wide Area Systems, 1999",
       .generate = magpie,
       .blocks_on = block_a_rank_there,
       .for_any_bytes = true,
       .refusal_on = needs_sites_and_few_ranks},
      {.collective = Collective::allgather,
       .name = "mpich_g2",
       .summary = "recursive doubling up the levels, binomial broadcast down",
       .wins = "short blocks on several sites",
       .source = "Karonis, de Supinski, Foster, Gropp, Lusk, Bresnahan, Exploiting Hierarchy in Parallel "
                 "Computer Networks to Optimize Collective Operation Performance, 2000",
       .generate = mpich_g2,
       .blocks_on = block_a_rank_there,
       .for_any_bytes = true,
       .refusal_on = needs_sites_and_few_ranks},
      {.collective = Collective::allgather,
       .name = "trees",
       .summary =
           "a broadcast tree for each block, by earliest completing edges or by simulated annealing in "
           "each site; of all edges the one complete first is next",
       .wins = "to compare with",
       .source = gupta_2007,
       .section = "6.1",
       .parameters = {{"trees", "how they are found", {"ecef", "annealed"}}, ports().front()},
       .generate = trees,
       .blocks_on = block_a_rank_there,
       .refusal_on = needs_very_few_ranks},
  };
  using enum Collective;
  for (const Collective collective :
       {bcast, gather, scatter, allgather, alltoall, reduce, allreduce, reduce_scatter_block})
    family.push_back(pools_of(collective));
  return family;
}

}  // namespace tutti::inline core::families
