#include "cli/worker_client.hpp"

#include <fmt/format.h>

#include <iostream>
#include <limits>

namespace tutti::cli {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

}  // namespace

Result<WorkerClient> WorkerClient::start(const Launcher& launcher, double start_limit_s) {
  auto child = Child::start(launcher.worker_command());
  if (!child) return tl::unexpected(child.error());
  WorkerClient client(std::move(*child));
  auto site = client.next_reply<Site>(start_limit_s);
  if (!site) return tl::unexpected(site.error());
  client.site_ = std::move(*site);
  return client;
}

// Replies stand out by their mark; what launchers and libraries print is passed on.
template <typename Answer>
Result<Answer> WorkerClient::next_reply(double limit_s) {
  for (auto next = child_.read_line(limit_s); next.kind != Child::Read::end;
       next = child_.read_line(limit_s)) {
    if (next.kind == Child::Read::nothing_yet) {
      child_.kill();
      return failure(
          fmt::format("the launcher has started no measuring program within {:.0f} s; see whether it "
                      "starts other MPI programs, or give it longer with --start-limit",
                      limit_s));
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
  const std::string end = child_.finish();
  return failure(fmt::format("the launcher ended before the measurement did ({}); see what it says above",
                             end.empty() ? "exit status 0" : end));
}

template <typename Answer>
Result<Answer> WorkerClient::ask(const protocol::Request& request) {
  child_.write_line(protocol::to_text(request));  // if that fails, the end of its output says why
  return next_reply<Answer>(no_limit);
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

Result<void> WorkerClient::use_network(const Network& network) {
  const auto done = ask<protocol::Done>(protocol::UseNetwork{network});
  if (!done) return tl::unexpected(done.error());
  return {};
}

Result<Measurer::Samples> WorkerClient::measure(const Point& point, const std::vector<Plan>& plans,
                                                Effort effort) {
  auto samples = ask<Samples>(protocol::MeasurePlans{point, plans, effort});
  if (samples && samples->seconds.size() != plans.size())
    return failure("the measuring program left plans out");
  return samples;
}

}  // namespace tutti::cli
