#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/synthesis/known_network.hpp"

namespace tutti::tools {

/// Operations: of plans of more the price is told from fewer ranks, where that goes and nobody
/// wants it exact. `tutti price` carries out what is asked for by name all the same, after saying
/// what that will take.
inline constexpr std::size_t many_operations = 1'500'000;

/// The network in a file of `tutti probe`, for prices on `ranks` ranks; ends the verb where it
/// knows fewer.
Network read_network(const std::string& path, int ranks);

/// The network as schedules are computed for it, and its sites are found, which takes p² steps.
/// Nothing where links go by hosts and ranks are many, unless plans are asked for that go by it.
std::optional<KnownNetwork> known_network(const Network& network, int ranks, bool is_asked_for);

}  // namespace tutti::tools
