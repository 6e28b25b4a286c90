#pragma once

#include <vector>

#include "core/network/network.hpp"

namespace tutti::inline core {

/// A network of sites: ranks are dealt out to sites as `site_of` says. Links within a site are
/// fast, those between two sites slow, each two sites with another latency and bandwidth.
Network network_of_sites(const std::vector<int>& site_of);

/// Networks on which to prove what is computed for one: of two sites, of three uneven ones, and of
/// three whose ranks do not follow one another, with a shared trunk.
std::vector<Network> sample_networks(int ranks);

/// Networks with levels on which to prove what goes by these: two sockets a host, two hosts a
/// switch, two switches a group, about, and two caches a NUMA domain, two of these a socket, two
/// sockets a host; with ranks that fill one after the other, and with ranks that are scattered over
/// them.
std::vector<Network> sample_networks_of_levels(int ranks);

}  // namespace tutti::inline core
