#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "choose/evidence/arrival_pattern.hpp"
#include "choose/evidence/library_samples.hpp"
#include "choose/evidence/measurer.hpp"
#include "choose/probing/prober.hpp"

namespace tutti::inline choose::protocol {

/// How `tutti` talks to the measuring program that it starts through the user's launcher: JSON, one
/// object a line, requests on the standard input of rank 0, replies on its standard output.
///
///   at the start           → {"mpi", "machine", "ranks", "hosts": [by rank], "simulated"}
///   {"do": "experiment", "what", "groups": [[rank, …], …], "bytes", "repetitions"}
///                          → {"seconds": [by group]}
///   {"do": "combine"}      → {"combinations": [[operation, type, seconds a byte], …]}
///   {"do": "places"}       → {"names": [by host], "addresses": [by host, as Slurm has them]}
///   {"do": "network", "network": its file's text}
///                          → {}; schedules are computed for it from then on
///   {"do": "measure", "operation", "ranks", "size", "plans", "repetitions", "seconds"}, with
///   "groups" of "ranks" ranks each: in all of them at once; "behind": 1 or 2, what ranks do
///   meanwhile (Measurer::Behind); "arrival": {"kind", "late_s", "mean_s"}, when ranks come,
///   with "calls": [{"others_s", "last": [[rank, seconds], …]}, …] as in those of a program;
///   "blocks": how long they are (BlockLengths)
///                          → {"hosts", "samples": [[seconds, …] for each plan], "left_out": why none has
///                          any, "leaves": of groups, when each rank was done, for each plan}
///   {"do": "library", "operation", "ranks", "size", "repetitions", "seconds"}
///                          → {"hosts", "algorithms": ["native", …], "library_samples": [[seconds, …] for
///                          each]}
///   {"do": "quit"}, or the end of input
/// A request that can't be carried out is answered with {"error"}.

/// Begins each reply, so that it stands out from what launchers and libraries print.
inline constexpr std::string_view reply_mark = "@tutti ";

struct Quit {};
struct Combine {};
struct TellPlaces {};
struct UseNetwork {
  Network network;
};
struct MakeExperiment {
  Experiment experiment;
  std::vector<std::vector<Rank>> groups;
  std::size_t bytes;
  int repetitions;
};
struct MeasurePlans {
  Point point;
  std::vector<Plan> plans;
  Measurer::Effort effort;
  std::vector<std::vector<Rank>> groups = {};  ///< that work at once; none: the first ranks
  ArrivalPattern arrival = {};
};
/// Measures the MPI library's own algorithms for a blocking operation, on the first ranks.
struct MeasureLibrary {
  Point point;
  Measurer::Effort effort;
};
using Request =
    std::variant<Quit, Combine, TellPlaces, UseNetwork, MakeExperiment, MeasurePlans, MeasureLibrary>;

/// A request's line, and back. Requests that `world_ranks` ranks can't carry out are errors.
std::string to_text(const Request& request);
Result<Request> parse_request(const std::string& line, int world_ranks);

struct Done {};
using Seconds = std::vector<double>;
using Combinations = std::vector<Combination>;
/// What hosts are called, and where they are as far as Slurm says; by host.
struct Places {
  std::vector<std::string> names, addresses;
};
/// What is answered to each kind of request; a Site at the start.
using Reply =
    std::variant<Done, Site, Seconds, Combinations, Places, Measurer::Samples, LibrarySamples, Error>;

/// A reply's line, mark and all.
std::string to_text(const Reply& reply);
/// The reply that a line of the launcher's output holds, or nothing if it is somebody else's. It
/// may begin within the line.
std::optional<Reply> parse_reply(const std::string& line);

}  // namespace tutti::inline choose::protocol
