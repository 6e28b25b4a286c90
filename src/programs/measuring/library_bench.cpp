#include "programs/measuring/library_bench.hpp"

#include "core/plan/phases.hpp"
#include "programs/measuring/measuring_ranks.hpp"
#include "programs/measuring/rounds.hpp"
#include "run/mpi/errors_returned.hpp"
#include "run/mpi/library_switch.hpp"

namespace tutti::run {
namespace {

// One algorithm, on a communicator that was made under its switch.
class Arm {
 public:
  Arm(Communicator& of, const Point& point, LibrarySwitch& by, std::string algorithm)
      : algorithm_(std::move(algorithm)), by_(by) {
    by_.choose(algorithm_);
    MPI_Comm made = MPI_COMM_NULL;
    PMPI_Comm_dup(of.user(), &made);
    comm_ = OwnComm(made);
    returned_.emplace(made);
    own_ = std::make_unique<Communicator>(made);
    own_->send_on_users();
    own_->hosts() = of.hosts();
    own_->in_hosts() = of.in_hosts();
    team_.emplace(MeasuringRanks{
        .all = of, .workload = make_workload(*own_, point.collective, point.size), .ranks = point.ranks});
  }

  const std::string& algorithm() const { return algorithm_; }
  /// Calls function(team) under the switch.
  template <typename Function>
  auto under_switch(Function&& function) {
    by_.choose(algorithm_);
    auto result = function(*team_);
    by_.choose("");
    return result;
  }

 private:
  std::string algorithm_;
  LibrarySwitch& by_;
  OwnComm comm_;
  std::optional<ErrorsReturned> returned_;
  std::unique_ptr<Communicator> own_;
  std::optional<MeasuringRanks> team_;
};

}  // namespace

LibrarySamples measure_library(Communicator& own, const Point& point, Measurer::Effort effort) {
  const Rounds rounds(Trees(own), effort);
  LibrarySamples samples{count(own.hosts()), {}, {}, {}};
  if (!why_too_large(point, own).empty()) return samples;
  LibrarySwitch& by = LibrarySwitch::of(point.collective);
  if (const auto& above = by.above(); above && above->serves(point.collective, samples.hosts)) {
    samples.above = {*above};
    return samples;
  }
  const Plan native = Plan::native(point.collective);
  std::vector<std::unique_ptr<Arm>> arms;
  const auto add = [&](const std::string& algorithm) {
    auto arm = std::make_unique<Arm>(own, point, by, algorithm);
    if (arm->under_switch([&](const MeasuringRanks& team) { return try_out(team, native); }))
      arms.push_back(std::move(arm));
  };
  add("");
  const std::vector<Rank> everybody = own_order(own.ranks());
  for (const std::string& algorithm : by.algorithms(point.size))
    if (own.refusal_of({everybody, point.collective, algorithm}).empty() && !rounds.time_is_up())
      add(algorithm);
  if (arms.empty()) return samples;

  const int calls =
      arms.front()->under_switch([&](const MeasuringRanks& team) { return calls_a_sample(team, native); });
  samples.seconds = rounds.slowest(arms.size(), [&](std::size_t i) {
    return arms[i]->under_switch([&](const MeasuringRanks& team) { return timed(team, native, calls); });
  });
  for (const auto& arm : arms)
    samples.algorithms.push_back(arm->algorithm().empty() ? "native" : arm->algorithm());
  return samples;
}

}  // namespace tutti::run
