#pragma once

#include <nlohmann/json.hpp>

#include "cli/launcher.hpp"
#include "cli/process.hpp"
#include "tuning/measurer.hpp"
#include "tuning/prober.hpp"

namespace tutti::cli {

/// Measures by way of the measuring program, started through the user's launcher.
class WorkerClient final : public Measurer, public Prober {
 public:
  static Result<WorkerClient> start(const Launcher& launcher);

  const Site& site() const override { return site_; }
  Result<Samples> measure(const Point& point, const std::vector<Plan>& plans, Effort effort) override;
  Result<std::vector<double>> run(Experiment experiment, const std::vector<std::vector<Rank>>& groups,
                                  std::size_t bytes, int repetitions) override;
  Result<std::vector<Combination>> combine() override;
  /// What schedules are computed for from now on.
  Result<void> use_network(const Network& network);

 private:
  explicit WorkerClient(Child child) : child_(std::move(child)) {}
  Result<nlohmann::json> ask(const nlohmann::json& request);
  Result<nlohmann::json> next_reply();

  Child child_;
  Site site_;
};

}  // namespace tutti::cli
