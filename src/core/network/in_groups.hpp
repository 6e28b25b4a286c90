#pragma once

#include "core/network/network.hpp"

namespace tutti::inline core {

/// The network with links by hosts (by_hosts) and, where some way of a group of hosts is narrow or
/// sites share a trunk, with the groups of its own hosts, their trunks, and these hosts' names.
/// Parts of hosts are left out.
Network by_hosts_in_groups(const Network& network);

/// The network of ranks on hosts, by a `model` of links by hosts that may know groups of others.
/// `groups`: those that these hosts are in; null: they are not known, and ways let through whatever
/// comes. Where nothing is said of their ways, each has those that the model's groups with as many
/// levels of groups in them mostly have; nothing is narrow where they have more levels than the
/// model.
Network network_in_groups(const Network& model, const Hosts& hosts, const Network* groups);

}  // namespace tutti::inline core
