#include "run/calls/adaptation.hpp"

#include <algorithm>

#include "choose/probing/constants.hpp"
#include "choose/probing/probing.hpp"
#include "run/calls/constants.hpp"
#include "run/calls/under_way.hpp"
#include "run/mpi/native.hpp"
#include "run/mpi/ranks.hpp"

namespace tutti::run {
namespace {

// Seconds one way, of a message there and back; the first round trip makes connections and is not
// counted.
double ping_pong(const Context& context, Rank with, bool first) {
  const MPI_Comm comm = context.comm();
  const Rank partner = context.number_of(with);
  const int tag = context.first_tag();
  std::vector<char> memory(probing::long_bytes);
  const auto bytes = static_cast<int>(memory.size());
  double seconds = 0;
  for (const int length : {1, bytes}) {
    const double begin = PMPI_Wtime();
    if (first) PMPI_Send(memory.data(), length, MPI_BYTE, partner, tag, comm);
    PMPI_Recv(memory.data(), length, MPI_BYTE, partner, tag, comm, MPI_STATUS_IGNORE);
    if (!first) PMPI_Send(memory.data(), length, MPI_BYTE, partner, tag, comm);
    seconds = (PMPI_Wtime() - begin) / 2;
  }
  return seconds;
}

}  // namespace

std::shared_ptr<const KnownNetwork> Adaptation::before_call(MPI_Comm comm, const Context& context,
                                                            const KnownNetwork& known) {
  if (calls_left_-- > 0) return nullptr;
  const Blocking measuring(comm);
  if (!is_due(comm)) return nullptr;
  network_ = remeasured(network_, known.ranks, probing::long_bytes, measure(comm, context), known.sites);
  auto now = std::make_shared<const KnownNetwork>(KnownNetwork::of(network_, known.ranks));
  return now->fingerprint == known.fingerprint ? nullptr : now;
}

bool Adaptation::is_due(MPI_Comm comm) {
  struct {
    int due, calls;
  } decision{};
  if (rank_in(comm) == 0) {
    const double now = PMPI_Wtime(), each = (now - asked_at_) / calls_between_;
    decision.due = !measured_ || now - measured_at_ >= interval_s_;
    const double left = decision.due ? interval_s_ : interval_s_ - (now - measured_at_);
    decision.calls = measured_ ? static_cast<int>(std::clamp(left / std::max(each, 1e-9), 1.0, 1e6)) : 1;
    asked_at_ = now;
    if (decision.due) measured_at_ = now;
  }
  native().MPI_Bcast(&decision, sizeof decision, MPI_BYTE, 0, comm);
  calls_left_ = decision.calls - 1;
  calls_between_ = decision.calls;
  measured_ = measured_ || decision.due;
  return decision.due;
}

// Measures round by round as far as the time goes, and goes on from there the next time.
std::vector<PairTime> Adaptation::measure(MPI_Comm comm, const Context& context) {
  const int ranks = ranks_of(comm), me = rank_in(comm);
  const auto rounds = static_cast<std::size_t>(count_rounds(ranks));
  const double begin = PMPI_Wtime();
  std::vector<PairTime> times;
  for (std::size_t done = 0, more = 1; done < rounds && more != 0; ++done) {
    const auto pairs = round_of_pairs(ranks, static_cast<int>(next_round_++ % rounds));
    std::vector<double> mine(pairs.size()), all(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (const auto [a, b] = pairs[i]; a == me || b == me) {
        const double seconds = ping_pong(context, a == me ? b : a, a == me);
        if (a == me) mine[i] = seconds;
      }
    native().MPI_Allreduce(mine.data(), all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM, comm);
    for (std::size_t i = 0; i < pairs.size(); ++i) times.push_back({pairs[i].first, pairs[i].second, all[i]});
    more = PMPI_Wtime() - begin < calls::share_for_measuring * interval_s_;
    native().MPI_Bcast(&more, sizeof more, MPI_BYTE, 0, comm);
  }
  return times;
}

}  // namespace tutti::run
