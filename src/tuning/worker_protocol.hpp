#pragma once

#include <string_view>

namespace tutti::protocol {

/// How `tutti` talks to the measuring program that it starts through the user's launcher: JSON, one object a
/// line, requests on the standard input of rank 0, replies on its standard output.
///
///   at the start           → {"mpi", "machine", "ranks", "hosts": [by rank], "simulated"}
///   {"do": "experiment", "what", "groups": [[rank, …], …], "bytes", "repetitions"}
///                          → {"seconds": [by group]}
///   {"do": "combine"}      → {"combinations": [[operation, type, seconds a byte], …]}
///   {"do": "network", "network": its file's text}
///                          → {}; schedules are computed for it from then on
///   {"do": "measure", "operation", "ranks", "size", "plans", "repetitions", "seconds"}
///                          → {"hosts", "samples": [[seconds, …] for each plan]}
///   {"do": "quit"}, or the end of input
/// A request that can't be carried out is answered with {"error"}.

/// Begins each reply, so that it stands out from what launchers and libraries print.
inline constexpr std::string_view reply_mark = "@tutti ";

}  // namespace tutti::protocol
