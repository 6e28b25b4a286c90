// The measuring program: `tutti` starts it on all ranks through the user's launcher and tells rank
// 0 what to measure. What they say to each other is in choose/offline/worker_protocol.hpp.

#include <iostream>
#include <string>
#include <vector>

#include "choose/offline/worker_protocol.hpp"
#include "core/schedule/by_place.hpp"
#include "programs/measuring/bench.hpp"
#include "programs/measuring/experiments.hpp"
#include "programs/measuring/measuring_ranks.hpp"
#include "programs/measuring/places.hpp"
#include "run/mpi/here.hpp"
#include "run/mpi/hosts.hpp"
#include "run/mpi/tool_interface.hpp"

namespace tutti::run {
namespace {

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

void reply(const protocol::Reply& message) {
  if (world_rank() == 0) std::cout << protocol::to_text(message) << std::endl;
}

// Carries requests out.
class Server {
 public:
  Server() {
    everybody_.send_on_users();
    everybody_.hosts() = hosts_from(Trees(everybody_).everyones(host_id()));
    everybody_.in_hosts() = places_in_hosts(everybody_.hosts(), everyones_ids_in_hosts());
  }

  // What connects hosts says nothing of one, where it may change.
  Site site() const {
    Site here{fingerprint_here(), world_size(), everybody_.hosts(), simulated};
    here.in_hosts = everybody_.in_hosts();
    if (count(here.hosts) == 1) here.fingerprint.fabric.clear();
    const ToolInterface tools;
    here.components =
        library_components({tools.names(), [&tools](const std::string& name) { return tools.read(name); }});
    return here;
  }

  // The next line of rank 0's input, on all ranks; "" at its end.
  std::string next_request() {
    std::string line;
    if (world_rank() == 0) std::getline(std::cin, line);
    return Trees(everybody_).tell(std::move(line));
  }

  protocol::Reply operator()(const protocol::Quit&) const { return protocol::Done{}; }
  protocol::Reply operator()(const protocol::Combine&) const {
    return world_rank() == 0 ? measure_combining() : protocol::Combinations{};
  }
  protocol::Reply operator()(const protocol::TellPlaces&) const { return places_of(everybody_.hosts()); }
  protocol::Reply operator()(const protocol::UseNetwork& use) {
    bench_.use_network(use.network);
    return protocol::Done{};
  }
  protocol::Reply operator()(const protocol::MakeExperiment& make) {
    return run_experiment(everybody_, make.experiment, make.groups, make.bytes, make.repetitions);
  }
  protocol::Reply operator()(const protocol::MeasurePlans& measure) {
    Bench::Reply measured = bench_.measure(measure);
    if (!measured.error.empty()) return Error{measured.error};
    return Measurer::Samples{measured.hosts, std::move(measured.samples), std::move(measured.left_out),
                             std::move(measured.leaves)};
  }
  protocol::Reply operator()(const protocol::MeasureLibrary& measure) { return bench_.measure(measure); }

 private:
  std::vector<ByHostPart<std::uint64_t>> everyones_ids_in_hosts() {
    const auto mine = ids_in_host();
    std::vector<ByHostPart<std::uint64_t>> ids(static_cast<std::size_t>(world_size()));
    for (const HostPartWords& each : host_parts) {
      const auto all = Trees(everybody_).everyones(mine[each.part]);
      for (std::size_t rank = 0; rank < ids.size(); ++rank) ids[rank][each.part] = all[rank];
    }
    return ids;
  }

  Communicator everybody_{MPI_COMM_WORLD};
  Bench bench_{everybody_};
};

void serve() {
  Server server;
  reply(server.site());
  for (std::string line = server.next_request(); !line.empty(); line = server.next_request()) {
    const auto request = protocol::parse_request(line, world_size());
    if (request && std::holds_alternative<protocol::Quit>(*request)) return;
    try {
      reply(request ? std::visit(server, *request) : Error{request.error()});
    } catch (const std::exception& error) {
      reply(Error{error.what()});  // the same request on all ranks, so the same error
    }
  }
}

}  // namespace
}  // namespace tutti::run

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  tutti::run::serve();
  MPI_Finalize();
  return 0;
}
