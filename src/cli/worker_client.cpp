#include "cli/worker_client.hpp"

#include <fmt/format.h>

#include <iostream>

#include "network/network_file.hpp"
#include "tuning/worker_protocol.hpp"

namespace tutti::cli {

using nlohmann::json;

Result<WorkerClient> WorkerClient::start(const Launcher& launcher) {
  auto child = Child::start(launcher.worker_command());
  if (!child) return tl::unexpected(child.error());
  WorkerClient client(std::move(*child));
  const auto hello = client.next_reply();
  if (!hello) return tl::unexpected(hello.error());
  client.site_ = {{hello->at("mpi"), hello->at("machine")},
                  hello->at("ranks"),
                  hello->at("hosts").get<Hosts>(),
                  hello->at("simulated")};
  return client;
}

// Replies stand out by their mark; what launchers and libraries print is passed on.
Result<json> WorkerClient::next_reply() {
  while (auto line = child_.read_line()) {
    const auto at = line->find(protocol::reply_mark);
    if (at == line->npos) {
      std::cerr << *line << "\n";
      continue;
    }
    const json reply = json::parse(line->substr(at + protocol::reply_mark.size()), nullptr, false);
    if (reply.is_discarded())
      return failure("the measuring program's output was garbled; keep its standard output a line at a time");
    if (reply.contains("error")) return failure(reply["error"].get<std::string>());
    return reply;
  }
  const std::string end = child_.finish();
  return failure(fmt::format("the launcher ended before the measurement did ({}); see what it says above",
                             end.empty() ? "exit status 0" : end));
}

Result<json> WorkerClient::ask(const json& request) {
  if (!child_.write_line(request.dump())) return next_reply();  // says how it ended
  return next_reply();
}

Result<std::vector<double>> WorkerClient::run(Experiment experiment,
                                              const std::vector<std::vector<Rank>>& groups, std::size_t bytes,
                                              int repetitions) {
  const auto reply = ask({{"do", "experiment"},
                          {"what", name(experiment)},
                          {"groups", groups},
                          {"bytes", bytes},
                          {"repetitions", repetitions}});
  if (!reply) return tl::unexpected(reply.error());
  return reply->at("seconds").get<std::vector<double>>();
}

Result<std::vector<Combination>> WorkerClient::combine() {
  const auto reply = ask({{"do", "combine"}});
  if (!reply) return tl::unexpected(reply.error());
  std::vector<Combination> list;
  for (const json& entry : reply->at("combinations")) list.push_back({entry.at(0), entry.at(1), entry.at(2)});
  return list;
}

Result<void> WorkerClient::use_network(const Network& network) {
  const auto reply = ask({{"do", "network"}, {"network", to_text(network)}});
  if (!reply) return tl::unexpected(reply.error());
  return {};
}

Result<Measurer::Samples> WorkerClient::measure(const Point& point, const std::vector<Plan>& plans,
                                                Effort effort) {
  std::vector<std::string> texts;
  for (const Plan& plan : plans) texts.push_back(plan.text());
  const auto reply = ask({{"do", "measure"},
                          {"operation", name(point.collective)},
                          {"ranks", point.ranks},
                          {"size", point.size},
                          {"plans", texts},
                          {"repetitions", effort.repetitions},
                          {"seconds", effort.seconds}});
  if (!reply) return tl::unexpected(reply.error());
  return Samples{reply->at("hosts"), reply->at("samples").get<std::vector<std::vector<double>>>()};
}

}  // namespace tutti::cli
