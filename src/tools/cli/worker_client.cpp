#include "tools/cli/worker_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <limits>

namespace tutti::tools {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

}  // namespace

void let_library_listen() {
  setenv(listens_parameter, "1", 0);
}

Result<WorkerClient> WorkerClient::start(const Launcher& launcher, double start_limit_s) {
  WorkerClient client(launcher, start_limit_s);
  if (const auto started = client.start(); !started) return tl::unexpected(started.error());
  return client;
}

Result<void> WorkerClient::start() {
  auto child = Child::start(launcher_.worker_command());
  if (!child) return tl::unexpected(child.error());
  child_.emplace(std::move(*child));
  network_is_told_ = false;
  auto site = next_reply<Site>(start_limit_s_);
  if (!site) return tl::unexpected(site.error());
  if (!*site)
    return failure(
        fmt::format("the launcher has started no measuring program within {:.0f} s; see whether it "
                    "starts other MPI programs, or give it longer with --start-limit",
                    start_limit_s_));
  // Others may be looking at it; started again it is the same.
  if (site_.ranks == 0) site_ = std::move(**site);
  return {};
}

// Replies stand out by their mark; what launchers and libraries print is passed on.
template <typename Answer>
Result<std::optional<Answer>> WorkerClient::next_reply(double limit_s) {
  for (auto next = child_->read_line(limit_s); next.kind != Child::Read::end;
       next = child_->read_line(limit_s)) {
    if (next.kind == Child::Read::nothing_yet) {
      child_->kill();
      child_.reset();
      return std::nullopt;
    }
    auto reply = protocol::parse_reply(next.line);
    if (!reply) {
      std::cerr << next.line << "\n";
      continue;
    }
    if (auto* error = std::get_if<Error>(&*reply)) return tl::unexpected(std::move(*error));
    if (auto* answer = std::get_if<Answer>(&*reply)) return std::move(*answer);
    return failure("the measuring program answers something else than it was asked; is it of this version?");
  }
  const std::string end = child_->finish();
  // Simulated libraries abort for some calls: the next request starts them again. A real job that
  // ended has a reason.
  if (site_.simulated) child_.reset();
  return failure(fmt::format("the launcher ended before the measurement did ({}); see what it says above{}",
                             end.empty() ? "exit status 0" : end,
                             end.empty() ? ", and name no program behind it: it starts Tutti's own" : ""));
}

template <typename Answer>
Result<std::optional<Answer>> WorkerClient::ask_within(double limit_s, const protocol::Request& request) {
  if (!child_)
    if (const auto started = start(); !started) return tl::unexpected(started.error());
  child_->write_line(protocol::to_text(request));  // if that fails, the end of its output says why
  return next_reply<Answer>(limit_s);
}

template <typename Answer>
Result<Answer> WorkerClient::ask(const protocol::Request& request) {
  auto answer = ask_within<Answer>(no_limit, request);
  if (!answer) return tl::unexpected(answer.error());
  return std::move(**answer);
}

Result<std::vector<double>> WorkerClient::run(Experiment experiment,
                                              const std::vector<std::vector<Rank>>& groups, std::size_t bytes,
                                              int repetitions) {
  auto seconds = ask<protocol::Seconds>(protocol::MakeExperiment{experiment, groups, bytes, repetitions});
  if (seconds && seconds->size() != groups.size()) return failure("the measuring program left groups out");
  return seconds;
}

Result<std::vector<Combination>> WorkerClient::combine() {
  return ask<protocol::Combinations>(protocol::Combine{});
}

Result<protocol::Places> WorkerClient::places() {
  return ask<protocol::Places>(protocol::TellPlaces{});
}

Result<void> WorkerClient::tell_network() {
  if (!network_ || network_is_told_) return {};
  const auto done = ask<protocol::Done>(protocol::UseNetwork{*network_});
  if (!done) return tl::unexpected(done.error());
  network_is_told_ = true;
  return {};
}

Result<LibrarySamples> WorkerClient::measure_library(const Point& point, Effort effort) {
  auto samples = ask_within<LibrarySamples>(effort.latest_s, protocol::MeasureLibrary{point, effort});
  if (!samples) return tl::unexpected(samples.error());
  return *samples ? std::move(**samples) : LibrarySamples{};
}

Result<Measurer::Samples> WorkerClient::measure_beside(const std::vector<std::vector<Rank>>& groups,
                                                       const Point& point, const std::vector<Plan>& plans,
                                                       Effort effort) {
  if (std::any_of(plans.begin(), plans.end(), [](const Plan& plan) { return plan.goes_by_network(); }))
    if (const auto told = tell_network(); !told) return tl::unexpected(told.error());
  auto samples = ask_within<Samples>(effort.latest_s,
                                     protocol::MeasurePlans{point, plans, effort, groups, arrival_(point)});
  if (!samples) return tl::unexpected(samples.error());
  if (!*samples)
    return Samples{0, std::vector<std::vector<double>>(plans.size()),
                   fmt::format("{}{} of {} bytes on {} ranks has not ended within {:.0f} s",
                               name(point.collective), plans.size() == 1 ? " " + plans.front().text() : "",
                               point.size, point.ranks, effort.latest_s)};
  if ((*samples)->seconds.size() != plans.size()) return failure("the measuring program left plans out");
  return std::move(**samples);
}

}  // namespace tutti::tools
