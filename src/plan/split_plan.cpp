#include "plan/split_plan.hpp"

#include <algorithm>
#include <numeric>

#include "plan/phases.hpp"

namespace tutti {
namespace {

constexpr std::size_t most_pieces = 4096;

}  // namespace

bool SplitPlan::serves(Collective collective) {
  switch (collective) {
    case Collective::gather:
    case Collective::gatherv:
    case Collective::scatter:
    case Collective::scatterv:
    case Collective::allgather:
    case Collective::alltoall:
      return true;
    default:
      return false;
  }
}

int SplitPlan::pieces(const Setting& setting, std::size_t bytes) const {
  const std::size_t block = bytes / static_cast<std::size_t>(setting.ranks);
  return static_cast<int>(std::clamp<std::size_t>((block + piece_ - 1) / piece_, 1, most_pieces));
}

void SplitPlan::generate(Builder& b) const {
  const int pieces = tutti::pieces(b.shape());
  Group everybody{std::vector<Rank>(static_cast<std::size_t>(b.ranks())), b.root()};
  std::iota(everybody.ranks.begin(), everybody.ranks.end(), 0);
  const bool root = b.rank() == b.root();
  const Collective collective = b.shape().collective;
  const auto from = only_if(root || collective != Collective::scatter, Vector{Buffer::input});
  const auto into = only_if(root || collective != Collective::gather, Vector{Buffer::output});
  for (int piece = 0; piece < pieces; ++piece) {
    std::vector<Ranges> bundles;
    for (Rank rank = 0; rank < b.ranks(); ++rank)
      bundles.emplace_back(BlockRange{Buffer::output, rank * pieces + piece, 1});
    Phases phases(b, true);
    if (piece > 0 && collective == Collective::gather)
      phases.run(Plan::native(Collective::barrier), everybody, BlockRange{Buffer::output, 0, 0}, {}, {});
    phases.run(plan(0), everybody, bundles, from, into);
  }
}

}  // namespace tutti
