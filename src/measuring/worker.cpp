// The measuring program: `tutti` starts it on all ranks through the user's launcher and tells rank 0 what to
// measure. What they say to each other is in tuning/worker_protocol.hpp.

#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "measuring/bench.hpp"
#include "measuring/experiments.hpp"
#include "mpi/hosts.hpp"
#include "network/network_file.hpp"
#include "runtime/here.hpp"
#include "tuning/worker_protocol.hpp"

namespace tutti::runtime {
namespace {

using nlohmann::json;

#ifdef TUTTI_SIMULATED
constexpr bool simulated = true;
#else
constexpr bool simulated = false;
#endif

int world_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int ranks = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

void reply(const json& message) {
  if (world_rank() == 0) std::cout << protocol::reply_mark << message.dump() << std::endl;
}

// The next line of rank 0's input, on all ranks; "" at its end.
std::string next_request() {
  std::string line;
  if (world_rank() == 0) std::getline(std::cin, line);
  auto length = static_cast<int>(line.size());
  native().bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  line.resize(static_cast<std::size_t>(length));
  if (length > 0) native().bcast(line.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return line;
}

Bench::Request read_request(const json& message) {
  Bench::Request request{};
  const auto collective = collective_named(message.at("operation").get<std::string>());
  if (!collective) throw std::invalid_argument("no such operation");
  request.collective = *collective;
  message.at("ranks").get_to(request.ranks);
  message.at("size").get_to(request.size);
  message.at("repetitions").get_to(request.repetitions);
  message.at("seconds").get_to(request.seconds);
  for (const auto& text : message.at("plans")) {
    auto plan = make_plan(*collective, text.get<std::string>());
    if (!plan) throw std::invalid_argument(plan.error().message);
    request.plans.push_back(std::move(*plan));
  }
  if (request.ranks < 1 || request.ranks > world_size())
    throw std::invalid_argument("there are not so many ranks");
  return request;
}

Experiment read_experiment(const json& message, const std::vector<std::vector<Rank>>& groups) {
  const auto experiment = experiment_named(message.at("what").get<std::string>());
  if (!experiment) throw std::invalid_argument("no such experiment");
  std::vector<bool> taken(static_cast<std::size_t>(world_size()));
  for (const auto& group : groups) {
    const bool well = *experiment == Experiment::crossing     ? group.size() >= 2 && group.size() % 2 == 0
                      : *experiment == Experiment::one_to_two ? group.size() == 3
                                                              : group.size() == 2;
    if (!well) throw std::invalid_argument("a group has not as many ranks as its experiment");
    for (const Rank rank : group) {
      if (rank < 0 || rank >= world_size() || taken[static_cast<std::size_t>(rank)])
        throw std::invalid_argument("a rank does not exist or is in two groups");
      taken[static_cast<std::size_t>(rank)] = true;
    }
  }
  return *experiment;
}

void serve() {
  Bench bench;
  const Fingerprint here = fingerprint_here();
  reply({{"mpi", here.mpi},
         {"machine", here.machine},
         {"ranks", world_size()},
         {"hosts", hosts_of(MPI_COMM_WORLD)},
         {"simulated", simulated}});
  for (std::string line = next_request(); !line.empty(); line = next_request()) {
    try {
      const json message = json::parse(line);
      const std::string wanted = message.at("do");
      if (wanted == "quit") return;
      if (wanted == "experiment") {
        const auto groups = message.at("groups").get<std::vector<std::vector<Rank>>>();
        reply({{"seconds", run_experiment(read_experiment(message, groups), groups, message.at("bytes"),
                                          message.at("repetitions"))}});
        continue;
      }
      if (wanted == "network") {
        auto network = parse_network(message.at("network"), "to measure on");
        if (!network) throw std::invalid_argument(network.error().message);
        bench.use_network(std::move(*network));
        reply(json::object());
        continue;
      }
      if (wanted == "combine") {
        auto list = json::array();
        if (world_rank() == 0)
          for (const auto& [operation, type, seconds] : measure_combining())
            list.push_back({operation, type, seconds});
        reply({{"combinations", list}});
        continue;
      }
      const Bench::Reply measured = bench.measure(read_request(message));
      reply(measured.error.empty() ? json{{"hosts", measured.hosts}, {"samples", measured.samples}}
                                   : json{{"error", measured.error}});
    } catch (const std::exception& error) {
      reply({{"error", error.what()}});  // the same request on all ranks, so the same error
    }
  }
}

}  // namespace
}  // namespace tutti::runtime

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  tutti::runtime::serve();
  MPI_Finalize();
  return 0;
}
