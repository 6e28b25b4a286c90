#pragma once

#include "cli/launcher.hpp"
#include "cli/process.hpp"
#include "tuning/measurer.hpp"
#include "tuning/prober.hpp"
#include "tuning/worker_protocol.hpp"

namespace tutti::cli {

/// Measures by way of the measuring program, started through the user's launcher.
class WorkerClient final : public Measurer, public Prober {
 public:
  /// Fails if the program has not begun after `start_limit_s`.
  static Result<WorkerClient> start(const Launcher& launcher, double start_limit_s);

  const Site& site() const override { return site_; }
  Result<Samples> measure(const Point& point, const std::vector<Plan>& plans, Effort effort) override;
  Result<std::vector<double>> run(Experiment experiment, const std::vector<std::vector<Rank>>& groups,
                                  std::size_t bytes, int repetitions) override;
  Result<std::vector<Combination>> combine() override;
  /// What schedules are computed for from now on.
  Result<void> use_network(const Network& network);

 private:
  explicit WorkerClient(Child child) : child_(std::move(child)) {}
  /// The reply to a request, of the kind that is answered to it.
  template <typename Answer>
  Result<Answer> ask(const protocol::Request& request);
  template <typename Answer>
  Result<Answer> next_reply(double limit_s);

  Child child_;
  Site site_;
};

}  // namespace tutti::cli
