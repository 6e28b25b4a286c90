// Collectives by way of others. A gathering by a reduction adds zeros to everybody's blocks: bitwise or.

#include "plan/via_plan.hpp"

#include <fmt/format.h>

#include <numeric>

#include "plan/phases.hpp"

namespace tutti {
namespace {

constexpr Vector in_input{Buffer::input}, in_output{Buffer::output};

using Plans = std::vector<Plan>;

Group everybody(const Builder& b, Rank root = 0) {
  std::vector<Rank> ranks(static_cast<std::size_t>(b.ranks()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return {std::move(ranks), root};
}

BlockRange whole_vector(const Builder& b) {
  return {Buffer::output, 0, b.blocks()};
}

// A share of the vector for every rank: its block where there is one.
std::vector<Ranges> shares(const Builder& b) {
  return even_bundles(whole_vector(b), b.ranks());
}

// A vector that is zero but for the rank's own block.
void own_block_among_zeros(Builder& b, Vector where) {
  const int after = b.rank() + 1;
  b.clear(where.at(0, b.rank()));
  b.clear(where.at(after, b.blocks() - after));
  b.copy(where.at(b.rank()), input(b.rank()));
}

void allgather_by_gather_bcast(Builder& b, const Plans& plans) {
  Phases phases(b);
  phases.run(plans[0], everybody(b), shares(b), in_input, only_if(b.rank() == 0, in_output));
  phases.run(plans[1], everybody(b), whole_vector(b), in_output, in_output);
}

void allgather_by_allreduce(Builder& b, const Plans& plans) {
  own_block_among_zeros(b, in_output);
  Phases(b).run(plans[0], everybody(b), whole_vector(b), in_output, in_output);
}

void allgather_by_alltoall(Builder& b, const Plans& plans) {
  Phases phases(b);
  const BlockRange own = phases.copy_of_vector().at(b.rank());  // in place MPI would get where it gives
  b.copy(own, input(b.rank()));
  std::vector<Ranges> into;
  for (Rank rank = 0; rank < b.ranks(); ++rank) into.emplace_back(output(rank));
  phases.exchange(plans[0], everybody(b), std::vector<Ranges>(into.size(), own), into, true);
}

void bcast_by_scatter_allgather(Builder& b, const Plans& plans) {
  Phases phases(b);
  phases.run(plans[0], everybody(b, b.root()), shares(b), only_if(b.rank() == b.root(), in_output),
             in_output);
  phases.run(plans[1], everybody(b), shares(b), in_output, in_output);
}

void allreduce_by_reduce_bcast(Builder& b, const Plans& plans) {
  Phases phases(b);
  phases.run(plans[0], everybody(b), whole_vector(b), in_input, only_if(b.rank() == 0, in_output));
  phases.run(plans[1], everybody(b), whole_vector(b), in_output, in_output);
}

void allreduce_by_reduce_scatter_allgather(Builder& b, const Plans& plans) {
  Phases phases(b);
  phases.run(plans[0], everybody(b), shares(b), in_input, in_output);
  phases.run(plans[1], everybody(b), shares(b), in_output, in_output);
}

void reduce_by_reduce_scatter_gather(Builder& b, const Plans& plans) {
  Phases phases(b);
  const bool root = b.rank() == b.root();
  const Vector share = phases.copy_of_vector();
  phases.run(plans[0], everybody(b), shares(b), in_input, share);
  phases.run(plans[1], everybody(b, b.root()), shares(b), share, only_if(root, in_output));
}

void reduce_by_allreduce(Builder& b, const Plans& plans) {
  Phases phases(b);
  const Vector result = b.rank() == b.root() ? in_output : phases.copy_of_vector();
  phases.run(plans[0], everybody(b), whole_vector(b), in_input, result);
}

void reduce_scatter_by_reduce_scatter(Builder& b, const Plans& plans) {
  Phases phases(b);
  const Vector result = phases.copy_of_vector();
  const auto at_root = only_if(b.rank() == 0, result);
  phases.run(plans[0], everybody(b), whole_vector(b), in_input, at_root);
  phases.run(plans[1], everybody(b), shares(b), at_root, in_output);
}

void reduce_scatter_by_allreduce(Builder& b, const Plans& plans) {
  Phases phases(b);
  const Vector result = phases.copy_of_vector();
  phases.run(plans[0], everybody(b), whole_vector(b), in_input, result);
  b.copy(output(b.rank()), result.at(b.rank()));
}

void gather_by_allgather(Builder& b, const Plans& plans) {
  Phases phases(b);
  const Vector result = b.rank() == b.root() ? in_output : phases.copy_of_vector();
  phases.run(plans[0], everybody(b), shares(b), in_input, result);
}

void gather_by_reduce(Builder& b, const Plans& plans) {
  Phases phases(b);
  const Vector given = phases.copy_of_vector();
  own_block_among_zeros(b, given);
  phases.run(plans[0], everybody(b, b.root()), whole_vector(b), given,
             only_if(b.rank() == b.root(), in_output));
}

void scatter_by_bcast(Builder& b, const Plans& plans) {
  Phases phases(b);
  const Vector all = phases.copy_of_vector();
  if (b.rank() == b.root()) b.copy(all.at(0, b.blocks()), in_input.at(0, b.blocks()));
  phases.run(plans[0], everybody(b, b.root()), whole_vector(b), all, all);
  b.copy(output(b.rank()), all.at(b.rank()));
}

// The rank's own input is kept aside: in place the result of the first phase takes its place.
void scan_by_exscan(Builder& b, const Plans& plans) {
  Phases phases(b);
  const BlockRange own = phases.copy_of_vector().at(0, b.blocks()), result = in_output.at(0, b.blocks());
  b.copy(own, in_input.at(0, b.blocks()));
  phases.run(plans[0], everybody(b), whole_vector(b), in_input, in_output);
  if (b.rank() > 0) b.reduce(own, result, OperandOrder::from_first);
  b.copy(result, own);
}

}  // namespace

const std::vector<ViaPlan::Way>& ViaPlan::ways() {
  using enum Collective;
  static const std::vector<Way> all{
      {allgather, {"gather", "bcast"}, {gather, bcast}, false, allgather_by_gather_bcast},
      {allgather, {"allreduce"}, {allreduce}, false, allgather_by_allreduce},
      {allgather, {"alltoall"}, {alltoall}, false, allgather_by_alltoall},
      {bcast, {"scatter", "allgather"}, {scatter, allgather}, false, bcast_by_scatter_allgather},
      {allreduce, {"reduce", "bcast"}, {reduce, bcast}, false, allreduce_by_reduce_bcast},
      {allreduce,
       {"reduce_scatter_block", "allgather"},
       {reduce_scatter_block, allgather},
       false,
       allreduce_by_reduce_scatter_allgather},
      {reduce,
       {"reduce_scatter_block", "gather"},
       {reduce_scatter_block, gather},
       false,
       reduce_by_reduce_scatter_gather},
      {reduce, {"allreduce"}, {allreduce}, false, reduce_by_allreduce},
      {reduce_scatter_block,
       {"reduce", "scatter"},
       {reduce, scatter},
       false,
       reduce_scatter_by_reduce_scatter},
      {reduce_scatter_block, {"allreduce"}, {allreduce}, false, reduce_scatter_by_allreduce},
      {gather, {"allgather"}, {allgather}, false, gather_by_allgather},
      {gather, {"reduce"}, {reduce}, true, gather_by_reduce},
      {scatter, {"bcast"}, {bcast}, false, scatter_by_bcast},
      {scan, {"exscan", "reduce_local"}, {exscan}, false, scan_by_exscan},
  };
  return all;
}

bool ViaPlan::relays() const {
  return collective() == Collective::gather || collective() == Collective::scatter;
}

// Blocks that an alltoall passes on may lie anywhere, those of an allgather in their own places only.
std::optional<std::string> ViaPlan::own_refusal(const Setting&) const {
  for (const Plan& plan : plans())
    if (plan.collective() == Collective::alltoall && plan.relays())
      return fmt::format("{} passes on blocks of others", plan.text());
  return std::nullopt;
}

std::vector<PhaseUse> ViaPlan::uses(const Setting& setting) const {
  std::vector<PhaseUse> uses;
  for (const Plan& plan : plans()) uses.push_back({&plan, setting.ranks});
  return uses;
}

}  // namespace tutti
