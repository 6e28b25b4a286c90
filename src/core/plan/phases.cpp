#include "core/plan/phases.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/schedule/semantics.hpp"

namespace tutti::inline core {

// The blocks of a phase, by its own numbers, in the schedule it is part of.
struct Phases::Blocks {
  std::vector<Ranges> from, into;
  // Where the first copy of each block would lie in scratch; the next copies follow every `stride`
  // blocks.
  std::vector<Ranges> scratch;
  int stride;
  bool even;
};

namespace {

std::vector<Ranges> in(const std::optional<Vector>& where, const std::vector<Ranges>& bundles) {
  std::vector<Ranges> placed(bundles.size());
  if (!where) return placed;
  for (std::size_t i = 0; i < bundles.size(); ++i) placed[i] = where->at(bundles[i]);
  return placed;
}

bool all_alike(const std::vector<Ranges>& bundles) {
  return std::all_of(bundles.begin(), bundles.end(),
                     [&](const Ranges& bundle) { return bundle.count() == bundles.front().count(); });
}

// The phase's own number of blocks for a share of the vector: what its plan asks for, or as many as
// the share has where the plan takes any number.
int blocks_of(const Plan& plan, int ranks, int share) {
  constexpr std::size_t few = 1, many = std::size_t{1} << 40;
  const int at_few = blocks_for(plan, {.ranks = ranks}, few);
  return at_few == blocks_for(plan, {.ranks = ranks}, many) ? at_few : share;
}

}  // namespace

Ranges bundle(const std::vector<int>& blocks, Buffer buffer) {
  Ranges ranges;
  for (const int block : blocks) ranges.add({buffer, block, 1});
  return ranges;
}

std::vector<Ranges> single_bundles(const std::vector<int>& blocks) {
  std::vector<Ranges> bundles;
  for (const int block : blocks) bundles.emplace_back(BlockRange{Buffer::output, block, 1});
  return bundles;
}

std::vector<Ranges> even_bundles(BlockRange range, int parts) {
  const auto begin = [&](int part) {
    return range.first + static_cast<int>(std::int64_t{range.count} * part / parts);
  };
  std::vector<Ranges> bundles;
  for (int part = 0; part < parts; ++part)
    bundles.push_back(BlockRange{Buffer::output, begin(part), begin(part + 1) - begin(part)});
  return bundles;
}

// Where in scratch the next copy of the vector may begin.
int Phases::next_copy() const {
  const int blocks = b_.blocks();
  return (scratch_ + blocks - 1) / blocks * blocks;
}

void Phases::take(const Ranges& scratch) {
  for (const BlockRange& range : scratch) scratch_ = std::max(scratch_, range.first + range.count);
}

Rank Phases::member(const Group& group) const {
  return static_cast<Rank>(std::find(group.ranks.begin(), group.ranks.end(), b_.rank()) -
                           group.ranks.begin());
}

Vector Phases::copies_of_vector(int copies) {
  const int first = next_copy();
  scratch_ = first + copies * b_.blocks();
  return {Buffer::scratch, first};
}

int Phases::room(int blocks) {
  return std::exchange(scratch_, scratch_ + blocks);
}

void Phases::run(const Plan& plan, const Group& group, const std::vector<Ranges>& bundles,
                 std::optional<Vector> from, std::optional<Vector> into) {
  int copies = 1;
  for (const Ranges& blocks : bundles)
    for (const BlockRange& range : blocks)
      copies = std::max(copies, (range.first + range.count + b_.blocks() - 1) / b_.blocks());
  carry_out(plan, group,
            {.from = in(from, bundles),
             .into = in(into, bundles),
             .scratch = in(Vector{Buffer::scratch, next_copy()}, bundles),
             .stride = copies * b_.blocks(),
             .even = all_alike(bundles)});
}

void Phases::run(const Plan& plan, const Group& group, BlockRange share, std::optional<Vector> from,
                 std::optional<Vector> into) {
  run(plan, group, even_bundles(share, blocks_of(plan, static_cast<int>(group.ranks.size()), share.count)),
      from, into);
}

void Phases::exchange(const Plan& plan, const Group& group, std::vector<Ranges> from,
                      std::vector<Ranges> into, bool even) {
  int longest = 0;
  for (const auto* list : {&from, &into})
    for (const Ranges& bundle : *list) longest = std::max(longest, bundle.count());
  const Ranges place = BlockRange{Buffer::scratch, scratch_, longest};
  carry_out(plan, group,
            {.from = std::move(from),
             .into = std::move(into),
             .scratch = {place},
             .stride = longest,
             .even = even});
}

void Phases::carry_out(const Plan& plan, const Group& group, Blocks blocks) {
  if (apart_) b_.next_round();
  b_.next_phase();
  if (group.ranks.size() == 1) return carry_out_alone(plan, blocks);
  if (plan.is_left_to_library()) return carry_out_natively(plan, group, std::move(blocks));
  const Rank me = member(group);
  const Shape shape{plan.collective(), static_cast<int>(group.ranks.size()), group.root,
                    static_cast<int>(blocks.from.size()), b_.shape().commutative};
  const Part part = generate(plan, shape, me);
  const auto place_of = [&](Buffer buffer, int block) {
    const auto index = static_cast<std::size_t>(block);
    if (buffer == Buffer::input) return blocks.from[index];
    if (buffer == Buffer::output) return blocks.into[index];
    Ranges copy;
    for (BlockRange range : blocks.scratch[index % blocks.scratch.size()]) {
      range.first += static_cast<int>(index / blocks.scratch.size()) * blocks.stride;
      copy.add(range);
    }
    return copy;
  };
  b_.include(part, {.rank = [&](Rank member) { return group.ranks[static_cast<std::size_t>(member)]; },
                    .place =
                        [&](const BlockRange& range) {
                          Ranges here;
                          for (int block = range.first; block < range.first + range.count; ++block)
                            here.add(place_of(range.buffer, block));
                          return here;
                        }});
  for (int block = 0; block < part.scratch_blocks(); ++block) take(place_of(Buffer::scratch, block));
}

// A collective of one rank: what it gives is what it gets.
void Phases::carry_out_alone(const Plan& plan, const Blocks& blocks) {
  if (plan.collective() == Collective::exscan) return;
  for (std::size_t block = 0; block < blocks.from.size(); ++block)
    b_.copy(blocks.into[block], blocks.from[block]);
}

void Phases::carry_out_natively(const Plan& plan, const Group& group, Blocks blocks) {
  const Rank me = member(group);
  const Shape shape{plan.collective(), static_cast<int>(group.ranks.size()), group.root,
                    static_cast<int>(blocks.from.size())};
  if (plan.collective() == Collective::barrier) blocks.from = blocks.into = {};
  const bool bcast = plan.collective() == Collective::bcast, root = me == group.root;
  for (int block = 0; block < static_cast<int>(blocks.from.size()); ++block) {
    Ranges &from = blocks.from[static_cast<std::size_t>(block)],
           &into = blocks.into[static_cast<std::size_t>(block)];
    if (bcast ? !root : !is_present(shape, me, Buffer::input, block)) from = {};
    if (bcast ? root : !is_present(shape, me, Buffer::output, block)) into = {};
  }
  NativePhase phase{.collective = plan.collective(),
                    .group = group.ranks,
                    .root = group.root,
                    .even = blocks.even,
                    .algorithm = plan.library_algorithm(),
                    .into = std::move(blocks.into),
                    .from = std::move(blocks.from)};
  // In place MPI would put the result of a reduce-scatter elsewhere: it goes by way of scratch.
  const bool aside =
      plan.collective() == Collective::reduce_scatter_block && traits(b_.shape().collective).aliases;
  if (!aside) return b_.native(std::move(phase));
  const Ranges& place = blocks.scratch[static_cast<std::size_t>(me)];
  const Ranges result = std::exchange(phase.into[static_cast<std::size_t>(me)], place);
  take(place);
  b_.native(std::move(phase));
  b_.copy(result, place);
}

namespace {

std::optional<Vector> result_in(const Builder& b) {
  const Collective collective = b.shape().collective;
  const bool gets =
      (collective != Collective::gather && collective != Collective::reduce) || b.rank() == b.root();
  return only_if(gets, Vector{Buffer::output});
}

void exchange_all(Phases& phases, const Plan& plan, const Group& everybody, const std::vector<int>& blocks) {
  std::vector<Ranges> from, into;
  for (const int block : blocks) {
    from.emplace_back(input(block));
    into.emplace_back(output(block));
  }
  phases.exchange(plan, everybody, std::move(from), std::move(into), true);
}

}  // namespace

std::vector<Rank> own_order(int ranks) {
  std::vector<Rank> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void run_as_phase(Builder& b, const Plan& plan, const std::vector<Rank>& order) {
  const Collective collective = b.shape().collective;
  const auto root = std::find(order.begin(), order.end(), b.root()) - order.begin();
  const Group everybody{order, static_cast<int>(root)};
  Phases phases(b);
  if (!has_block_a_rank(collective)) {
    const bool from_output = collective == Collective::bcast || collective == Collective::barrier;
    const Vector from{from_output ? Buffer::output : Buffer::input};
    return phases.run(plan, everybody, BlockRange{Buffer::output, 0, b.blocks()}, from, result_in(b));
  }
  const int pieces = tutti::pieces(b.shape());
  std::vector<int> blocks;
  for (const Rank rank : order)
    for (int piece = 0; piece < pieces; ++piece) blocks.push_back(rank * pieces + piece);
  if (collective == Collective::alltoall) return exchange_all(phases, plan, everybody, blocks);
  const bool gives = collective != Collective::scatter || b.rank() == b.root();
  phases.run(plan, everybody, single_bundles(blocks), only_if(gives, Vector{Buffer::input}), result_in(b));
}

}  // namespace tutti::inline core
