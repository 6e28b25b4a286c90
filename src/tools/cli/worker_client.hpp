#pragma once

#include <functional>
#include <optional>

#include "choose/evidence/measurer.hpp"
#include "choose/offline/worker_protocol.hpp"
#include "choose/probing/prober.hpp"
#include "tools/cli/child.hpp"
#include "tools/cli/launcher.hpp"

namespace tutti::tools {

/// Has the MPI library of measuring programs listen to which of its own algorithms it is to use.
void let_library_listen();

/// Measures by way of the measuring program, started through the user's launcher.
class WorkerClient final : public Measurer, public Prober {
 public:
  /// Fails if the program has not begun after `start_limit_s`.
  static Result<WorkerClient> start(const Launcher& launcher, double start_limit_s);

  const Site& site() const override { return site_; }
  Result<Samples> measure(const Point& point, const std::vector<Plan>& plans, Effort effort) override {
    return measure_beside({}, point, plans, effort);
  }
  /// Measures in groups of the point's number of ranks, all of them at once; none: on the first
  /// ranks.
  Result<Samples> measure_beside(const std::vector<std::vector<Rank>>& groups, const Point& point,
                                 const std::vector<Plan>& plans, Effort effort);
  /// The MPI library's own algorithms for a blocking operation, in turn.
  Result<LibrarySamples> measure_library(const Point& point, Effort effort);
  Result<std::vector<double>> run(Experiment experiment, const std::vector<std::vector<Rank>>& groups,
                                  std::size_t bytes, int repetitions) override;
  Result<std::vector<Combination>> combine() override;
  /// What hosts are called, and where they are.
  Result<protocol::Places> places();
  /// What schedules are computed for from now on. The ranks are told before they first need it.
  void use_network(Network network) {
    network_ = std::move(network);
    network_is_told_ = false;
  }
  /// When ranks come to the calls of plans from now on, by point.
  void use_arrival(std::function<ArrivalPattern(const Point&)> arrival) { arrival_ = std::move(arrival); }

 private:
  WorkerClient(Launcher launcher, double start_limit_s)
      : launcher_(std::move(launcher)), start_limit_s_(start_limit_s) {}
  /// Starts the measuring program; again, where it had to be ended.
  Result<void> start();
  /// The reply to a request, of the kind that is answered to it. Nothing if it has not come within
  /// `limit_s` seconds: then the measuring program has been ended.
  template <typename Answer>
  Result<std::optional<Answer>> ask_within(double limit_s, const protocol::Request& request);
  template <typename Answer>
  Result<Answer> ask(const protocol::Request& request);
  template <typename Answer>
  Result<std::optional<Answer>> next_reply(double limit_s);
  Result<void> tell_network();

  Launcher launcher_;
  double start_limit_s_;
  std::optional<Child> child_;
  Site site_;
  std::optional<Network> network_;
  bool network_is_told_ = false;
  std::function<ArrivalPattern(const Point&)> arrival_ = [](const Point&) { return ArrivalPattern{}; };
};

}  // namespace tutti::tools
