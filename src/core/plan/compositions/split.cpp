// A gather, scatter, allgather or alltoall as a series of smaller ones: every rank's block is cut
// into pieces of bounded size. Between the pieces of a gather all ranks wait for each other, so
// that never more than one piece of everybody is on its way to the root: queues that would overflow
// do not.

#include "core/plan/compositions/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/size.hpp"
#include "core/plan/compose.hpp"
#include "core/plan/phases.hpp"

namespace tutti::inline core {
namespace {

constexpr std::size_t most_pieces = 4096;

bool serves(Collective collective) {
  using enum Collective;
  return collective == gather || collective == gatherv || collective == scatter || collective == scatterv ||
         collective == allgather || collective == alltoall;
}

class Split final : public Composition {
 public:
  Split(const CompositionKind& kind, std::size_t piece, const PhasePlans& given, std::vector<Plan> plan)
      : Composition(kind, traits(given.whole()).regular, given, std::move(plan)), piece_(piece) {}

  Result<Plan> with_phases(const PhasePlans& given) const override { return make(kind(), piece_, given); }
  static Result<Plan> make(const CompositionKind& kind, std::size_t piece, const PhasePlans& given) {
    auto plan = given.plan(0, traits(given.whole()).regular);
    if (!plan) return plan;
    return Plan(given.whole(), std::make_shared<Split>(kind, piece, given, std::vector{std::move(*plan)}));
  }

  bool relays() const override { return plan(0).relays(); }
  bool goes_by_bytes() const override { return true; }
  bool waits_in_library() const override { return has_barriers() || Composition::waits_in_library(); }

  int pieces(const Setting& setting, std::size_t bytes) const override {
    const std::size_t block = bytes / static_cast<std::size_t>(setting.ranks);
    const std::size_t wanted = block / piece_ + (block % piece_ != 0 ? 1 : 0);
    return static_cast<int>(std::clamp<std::size_t>(wanted, 1, most_pieces));
  }

  void generate(Builder& b) const override {
    const int pieces = tutti::pieces(b.shape());
    Group everybody{std::vector<Rank>(static_cast<std::size_t>(b.ranks())), b.root()};
    std::iota(everybody.ranks.begin(), everybody.ranks.end(), 0);
    const bool root = b.rank() == b.root();
    const auto from = only_if(root || collective() != Collective::scatter, Vector{Buffer::input});
    const auto into = only_if(root || collective() != Collective::gather, Vector{Buffer::output});
    for (int piece = 0; piece < pieces; ++piece) {
      std::vector<Ranges> bundles;
      for (Rank rank = 0; rank < b.ranks(); ++rank)
        bundles.emplace_back(BlockRange{Buffer::output, rank * pieces + piece, 1});
      Phases phases(b, true);
      if (piece > 0 && has_barriers())
        phases.run(Plan::native(Collective::barrier), everybody, BlockRange{Buffer::output, 0, 0}, {}, {});
      phases.run(plan(0), everybody, bundles, from, into);
    }
  }

 private:
  bool has_barriers() const { return collective() == Collective::gather; }
  std::string head() const override { return fmt::format("split({})", size_text(piece_)); }
  std::optional<std::string> own_refusal(const Setting&) const override { return std::nullopt; }
  std::vector<PhaseUse> uses(const Setting& setting) const override { return {{&plan(0), setting.ranks}}; }

  std::size_t piece_;  // bytes
};

Result<Plan> composed(const Composing& text) {
  if (!serves(text.collective())) return text.fail(fmt::format("{} can't be split", name(text.collective())));
  const auto& arguments = text.syntax().arguments;
  if (arguments.size() != 1 || !arguments.front().key.empty())
    return text.fail("split needs the size of a piece, such as split(8K)");
  const auto& size = arguments.front();
  if (size.value == "auto")
    return text.fail(
        size.column,
        "no threshold is known for split(auto); write a size, or give tutti bench a --network in which the "
        "collective was probed and needs to be split");
  const auto piece = parse_size(size.value);
  if (!piece || *piece == 0)
    return text.fail(size.column,
                     fmt::format("'{}' is no size of a piece; write bytes, such as 8K", size.value));
  if (text.syntax().phases.size() > 1) return text.fail("split has one plan for all pieces");
  return Split::make(text.kind(), *piece, text.phases());
}

// What has to be split is what posts everything at once.
std::vector<CompositionTemplate> all_templates(const TemplateRequest& request) {
  std::vector<CompositionTemplate> found;
  if (!serves(request.collective)) return found;
  for (const std::size_t piece : request.pieces)
    found.push_back({.head = Split::make(request.kind, piece, PhasePlans(request.collective)).value(),
                     .slots = {{request.regular(), request.setting.ranks}},
                     .group = "split",
                     .priced = false,
                     .plans = {Plan::of(request.regular(), "linear")}});
  return found;
}

}  // namespace

std::string with_pieces(std::string_view text, std::size_t bytes) {
  constexpr std::string_view open = "split(auto)";
  std::string result(text);
  if (bytes > 0)
    for (auto at = result.find(open); at != result.npos; at = result.find(open))
      result.replace(at, open.size(), fmt::format("split({})", size_text(bytes)));
  return result;
}

namespace compositions {

CompositionKind split() {
  return {.name = "split",
          .summary = "a series of smaller operations",
          .source =
              "Lastovetsky, O'Flynn, Rychkov, Optimization of Collective Communications in HeteroMPI, "
              "2007",
          .compose = composed,
          .templates = all_templates};
}

}  // namespace compositions
}  // namespace tutti::inline core
