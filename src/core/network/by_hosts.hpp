#pragma once

#include "core/network/network.hpp"

namespace tutti::inline core {

/// The network with links by hosts alone, for any number of ranks: that which most pairs of
/// different hosts have, and that which most pairs of one host have. It knows no hosts, which are
/// to be filled in, no groups of them, and no torus.
Network by_hosts(const Network& network);

/// The network with links by hosts, where these say the same of all pairs; else unchanged.
Network by_hosts_if_equal(Network network);

/// Whether a network with links by hosts has one for ranks of one host and another for the rest. It
/// has one for all where no pairs of the other kind were seen, or both were alike.
bool knows_both_kinds_of_links(const Network& network);

/// Ranks on hosts as launchers place them unless told otherwise: the first host full first. They
/// are on `hosts` hosts, as equally as can be.
Hosts filled_hosts(int ranks, int hosts);
/// Ranks on hosts in order: `ranks_a_host` on each, and what is left on the last.
Hosts hosts_of(int ranks, int ranks_a_host);
/// Ranks dealt out to `hosts` hosts in turn.
Hosts dealt_hosts(int ranks, int hosts);

}  // namespace tutti::inline core
