// A collective by way of others on the same ranks, as performance guidelines have it: a library's
// collective should not be slower than what does the same by others of its own. A gathering by a
// reduction adds zeros to everybody's blocks: bitwise or.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "core/algorithms/patterns/team.hpp"
#include "core/plan/compose.hpp"
#include "core/plan/phases.hpp"

namespace tutti::inline core {
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

// Combines copies of the vector that follow each other, into the first of them, in the fixed order.
void combine_copies(Builder& b, Vector first, int copies) {
  if (copies == 1) return;
  const int left = power_of_two_below(copies - 1), m = b.blocks();
  const Vector right{first.buffer, first.first + left * m};
  combine_copies(b, first, left);
  combine_copies(b, right, copies - left);
  b.reduce(first.at(0, m), right.at(0, m), OperandOrder::into_first);
}

void allreduce_by_allgather(Builder& b, const Plans& plans) {
  Phases phases(b);
  const int m = b.blocks();
  const Vector copies = phases.copies_of_vector(b.ranks());
  phases.run(plans[0], everybody(b), even_bundles({Buffer::output, 0, b.ranks() * m}, b.ranks()),
             Vector{Buffer::input, -b.rank() * m}, copies);
  combine_copies(b, copies, b.ranks());
  b.copy(whole_vector(b), copies.at(0, m));
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

// One way for one collective.
struct Way {
  Collective collective;
  std::vector<std::string_view> names;  // as in the text: the phases', and reduce_local
  std::vector<Collective> phases;       // in the order of time
  bool of_equal_blocks;                 // the irregular variant can't go that way
  void (*write)(Builder& builder, const Plans& plans);
  bool of_whole_vectors = false;  // each of a phase's blocks is one, so that all of them are many bytes
  bool keeps_fixed_order = false;
};

// Where a rank gets all vectors, that is worth trying up to so many bytes in all. It was chosen by
// hand.
constexpr std::size_t most_bytes_of_whole_vectors = std::size_t{1} << 20;

const std::vector<Way>& ways() {
  using enum Collective;
  static const auto& all = *new std::vector<Way>{
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
      {allreduce, {"allgather"}, {allgather}, false, allreduce_by_allgather, true, true},
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

bool serves(const Way& way, Collective collective) {
  return way.collective == traits(collective).regular && !(way.of_equal_blocks && is_irregular(collective));
}

std::string text_of(const Way& way) {
  return fmt::format("via({})", fmt::join(way.names, ","));
}

class Via final : public Composition {
 public:
  Via(const CompositionKind& kind, const Way& way, const PhasePlans& given, Plans plans)
      : Composition(kind, way.collective, given, std::move(plans)), way_(way) {}

  Result<Plan> with_phases(const PhasePlans& given) const override { return make(kind(), way_, given); }
  static Result<Plan> make(const CompositionKind& kind, const Way& way, const PhasePlans& given) {
    auto plans = given.plans(way.phases);
    if (!plans) return tl::unexpected(plans.error());
    return Plan(given.whole(), std::make_shared<Via>(kind, way, given, std::move(*plans)));
  }

  void generate(Builder& builder) const override { way_.write(builder, plans()); }
  bool keeps_fixed_order(int) const override { return way_.keeps_fixed_order; }
  bool relays() const override {
    return collective() == Collective::gather || collective() == Collective::scatter;
  }

 private:
  std::string head() const override { return text_of(way_); }

  // Blocks that an alltoall passes on may lie anywhere, those of an allgather in their own places
  // only.
  std::optional<std::string> own_refusal(const Setting&) const override {
    for (const Plan& plan : plans())
      if (plan.collective() == Collective::alltoall && plan.relays())
        return fmt::format("{} passes on blocks of others", plan.text());
    return std::nullopt;
  }

  std::vector<PhaseUse> uses(const Setting& setting) const override {
    std::vector<PhaseUse> uses;
    for (const Plan& plan : plans())
      uses.push_back({.plan = &plan, .ranks = setting.ranks, .of_whole_vectors = way_.of_whole_vectors});
    return uses;
  }

  const Way& way_;
};

Result<Plan> composed(const Composing& text) {
  std::vector<std::string_view> names;
  for (const auto& argument : text.syntax().arguments) names.push_back(argument.value);
  std::vector<std::string> known;
  for (const Way& way : ways()) {
    if (!serves(way, text.collective())) continue;
    if (way.names == names) {
      const std::size_t given = text.syntax().phases.size();
      if (given > 1 && given != way.phases.size())
        return text.fail(fmt::format("{} plans for {} phases; give one for all or one for each", given,
                                     way.phases.size()));
      return Via::make(text.kind(), way, text.phases());
    }
    known.push_back(text_of(way));
  }
  if (known.empty())
    return text.fail(fmt::format("there is no way from {} to other collectives", name(text.collective())));
  return text.fail(fmt::format("{} can't go via({}); there is {}", name(text.collective()),
                               fmt::join(names, ","), fmt::join(known, ", ")));
}

std::vector<CompositionTemplate> all_templates(const TemplateRequest& request) {
  std::vector<CompositionTemplate> found;
  for (const Way& way : ways()) {
    if (!serves(way, request.collective)) continue;
    CompositionTemplate composition{
        .head = Via::make(request.kind, way, PhasePlans(request.collective)).value(),
        .slots = {},
        .group = "via",
        .priced = false};
    if (way.of_whole_vectors)
      composition.most_bytes = most_bytes_of_whole_vectors / static_cast<std::size_t>(request.setting.ranks);
    for (const Collective phase : way.phases) composition.slots.push_back({phase, request.setting.ranks});
    found.push_back(std::move(composition));
  }
  return found;
}

}  // namespace

namespace compositions {

CompositionKind via() {
  return {.name = "via",
          .summary = "other collectives on the same ranks, one after the other",
          .source = "Hunold, Carpen-Amarie, Autotuning MPI Collectives using Performance Guidelines, 2018",
          .compose = composed,
          .templates = all_templates,
          .is_guideline = true};
}

}  // namespace compositions
}  // namespace tutti::inline core
