#pragma once

#include <optional>
#include <string>
#include <vector>

// Where this process runs, as far as the system's files say. `root` is the folder in which sys is.

namespace tutti::inline choose {

/// The fastest network that a host is connected to: "InfiniBand 100 Gb/s", "Ethernet 10 Gb/s",
/// "Omni-Path", "virtual Ethernet"; empty where there is none.
std::string local_fabric(const std::string& root = "/");

/// What a process is bound to that may run on those processors: "core", "package", "12 processors",
/// or "nothing", where it may run on all of the host's; empty where that is not known.
std::string local_binding(const std::vector<int>& processors, const std::string& root = "/");

/// A number for the socket that a process is on which may run on those processors: the first of
/// all that the socket has. Nothing where they are of several, or that is not known.
std::optional<int> local_socket(const std::vector<int>& processors, const std::string& root = "/");

/// Processors that this process may run on.
std::vector<int> own_processors();

}  // namespace tutti::inline choose
