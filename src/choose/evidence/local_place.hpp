#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/schedule/host_parts.hpp"

// Where this process runs, as far as the system's files say. `root` is the folder in which sys is.

namespace tutti::inline choose {

/// The fastest network that a host is connected to: "InfiniBand 100 Gb/s", "Ethernet 10 Gb/s",
/// "Omni-Path", "virtual Ethernet"; empty where there is none.
std::string local_fabric(const std::string& root = "/");

/// What a process is bound to that may run on those processors: "core", "package", "12 processors",
/// or "nothing", where it may run on all of the host's; empty where that is not known.
std::string local_binding(const std::vector<int>& processors, const std::string& root = "/");

/// Numbers for the parts of its host that a process is in which may run on those processors: the
/// first processor of all that the part has. Nothing where they are of several, or that is not
/// known; a cache that but one core has is none.
ByHostPart<std::optional<int>> local_places(const std::vector<int>& processors,
                                            const std::string& root = "/");

/// Processors that this process may run on.
std::vector<int> own_processors();

}  // namespace tutti::inline choose
