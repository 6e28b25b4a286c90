// What the ranks of a communicator have to know alike before one of them decides: rules, hosts,
// groups, what their processes can do. They tell each other, or have done so on a communicator that
// this one follows.

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "choose/evidence/knowledge_store.hpp"
#include "choose/settings/variables.hpp"
#include "core/network/groups.hpp"
#include "core/schedule/by_place.hpp"
#include "run/execution/device.hpp"
#include "run/mpi/hosts.hpp"
#include "run/mpi/library_progress.hpp"
#include "run/mpi/native.hpp"
#include "run/mpi/ranks.hpp"
#include "run/mpi/threads.hpp"
#include "run/mpi/world.hpp"
#include "run/online/group_look.hpp"
#include "run/process/process.hpp"
#include "run/requests/progress.hpp"

namespace tutti::run {

// A communicator's ranks have agreed where all of them were here when it was made of another one's.
bool Process::follow(CommunicatorState& state, const CommunicatorState* made_from) {
  // Libraries of devices may have been loaded since.
  if (!made_from || made_from->rules->device == DeviceMemory::native) return false;
  state.rules = made_from->rules;
  state.agreement = made_from->agreement;
  const Communicator& origin = made_from->communicator;
  const auto ranks = ranks_in(origin.user(), state.communicator.user());
  state.communicator.hosts() = places_among(ranks, origin.hosts());
  state.communicator.in_hosts() = places_among(ranks, origin.in_hosts());
  state.communicator.use_groups(ToldGroups::of(origin.told_groups(), ranks));
  state.in_network = made_from->in_network.among(ranks);
  return true;
}

// Calls on different communicators may come in another order on another rank, from different
// threads. Libraries of devices may be loaded later.
bool Process::may_follow_world() {
  const std::lock_guard lock(mutex_);
  return !world::is_of_sessions && world_ && world_->agreement.one_thread_calls &&
         rules_.rules->device != DeviceMemory::native;
}

// Once all ranks of the world have agreed, communicators within it need not. They all know:
// collectives come in one order on all ranks of two communicators that share some, so that what
// came before on one has come before on all. Sessions begin and end on each rank when it likes.
bool Process::follow_world(CommunicatorState& state, const std::vector<Rank>& in_world) {
  if (!may_follow_world()) return false;
  std::shared_ptr<const World> world;
  {
    const std::lock_guard lock(mutex_);
    ++followers_;
    state.rules = rules_.rules;
    world = world_;
  }
  state.communicator.hosts() = places_among(in_world, world->hosts);
  state.communicator.in_hosts() = places_among(in_world, world->in_hosts);
  state.communicator.use_groups(ToldGroups::of(world->groups, in_world));
  state.in_network = world->in_network.among(in_world);
  state.agreement = world->agreement;
  return true;
}

// Learns which groups hosts are in, where all ranks can tell. The first that can't says so, once,
// if it was given a file; launchers may hand on what Slurm tells another host.
void Process::hear_groups(Communicator& communicator, const std::vector<bool>& tells) {
  const auto lacking = static_cast<Rank>(std::ranges::find(tells, false) - tells.begin());
  if (!configuration_.groups && std::ranges::find(tells, true) == tells.end()) return;
  if (lacking < communicator.ranks()) {
    if (configuration_.groups && lacking == communicator.rank() && !said_groups_lack_.exchange(true))
      Log::print(fmt::format("tutti: {}: host {} is in no group; add where it is\n",
                             configuration_.groups->source, host_name()));
    log_.say(LogLevel::info, "rank {} can't tell which groups its host is in; there are none", lacking);
    return;
  }
  Network told =
      with_groups_around({.hosts = communicator.hosts()}, groups_of_ranks(communicator.user(), groups_));
  if (!told.groups.empty())
    communicator.use_groups(std::make_shared<const ToldGroups>(std::move(told)));
  else
    log_.say(LogLevel::error,
             "hosts are in several groups of one level, by what ranks are told ({}); there are none",
             variable::groups);
}

// The groups of ranks' hosts that programs have found, by rank; empty where not all of them are
// known.
std::vector<std::vector<std::uint64_t>> Process::found_groups(const std::vector<std::uint64_t>& hosts) {
  if (configuration_.cache.empty() || !may_have_groups(hosts_from(hosts))) return {};
  const std::lock_guard lock(mutex_);
  if (!known_groups_) known_groups_ = KnowledgeStore(configuration_.cache).found_groups(here_.machine);
  const FoundGroups* const found = found_of(*known_groups_, hosts);
  return found ? groups_of_hosts(found->whereabouts, hosts) : std::vector<std::vector<std::uint64_t>>();
}

// What somebody tells counts for more than what was found.
void Process::hear_found_groups(Communicator& communicator,
                                const std::vector<std::vector<std::uint64_t>>& found) {
  const auto groups = groups_by_root(communicator.user(), found);
  if (!communicator.told_groups())
    communicator.use_groups(
        std::make_shared<const ToldGroups>(with_groups_around({.hosts = communicator.hosts()}, groups)));
}

// What a table's model says of groups of hosts, where all ranks are on hosts that it names. It says
// nothing else of hosts, so that others are no mistake.
void Process::hear_groups_of_table(Communicator& communicator, const Table& table,
                                   const std::vector<std::uint64_t>& hosts) {
  if (communicator.told_groups() || !table.model || table.model->host_names.empty()) return;
  const StandIns there = StandIns::of(*table.model, hosts);
  if (there.on_strange_host) {
    log_.say(LogLevel::info,
             "the table was tuned without the host of rank {}; it tells no groups of hosts here",
             *there.on_strange_host);
    return;
  }
  communicator.use_groups(std::make_shared<const ToldGroups>(groups_between(*table.model, there)));
}

// Finds out where ranks are in the network that all of them know: by their hosts' names, else by
// their own numbers in the world, where it is of as many ranks. By names it tells the groups of
// hosts where nobody else does. The first rank on a host that it does not know says so, once.
void Process::find_in_network(CommunicatorState& state, const std::vector<std::uint64_t>& hosts,
                              const std::vector<Rank>& in_world) {
  const Network* network = state.rules->known_network();
  if (!network) {
    if (state.rules->table) hear_groups_of_table(state.communicator, *state.rules->table, hosts);
    return;
  }
  if (network->host_names.empty()) {
    const auto known = static_cast<int>(network->known_ranks());
    if (known == 0 || known == ranks_of_world()) state.in_network.ranks = in_world;
    return;
  }
  Communicator& communicator = state.communicator;
  state.in_network = StandIns::of(*network, hosts);
  if (state.in_network.on_strange_host) {
    if (state.in_network.on_strange_host == communicator.rank() && !said_network_lacks_.exchange(true))
      Log::print(fmt::format(
          "tutti: {} does not know host {}, so that nothing goes by it; {}\n",
          state.rules->network ? "the network" : "the table's network", host_name(),
          state.rules->network
              ? fmt::format("name one that was probed with that host ({})", variable::network)
              : fmt::format("tune with that host, or name a network that knows it ({})", variable::network)));
    return;
  }
  if (!knows_links(*network, state.in_network))
    log_.say(
        LogLevel::info,
        "the network has fewer ranks on some host than there are here; no schedules are computed for it");
  if (!communicator.told_groups() && !network->group_of.empty())
    communicator.use_groups(std::make_shared<const ToldGroups>(groups_between(*network, state.in_network)));
}

// All ranks have to decide alike, but the environment and the files may differ between hosts: where
// they do, rank 0's count. Also learns which hosts they are on, and which parts of these.
void Process::agree(CommunicatorState& state, const std::vector<Rank>& in_world) {
  const MPI_Comm comm = state.communicator.user();
  const auto ranks = static_cast<std::size_t>(state.communicator.ranks());
  struct Facts {
    std::uint64_t rules, host;
    ByHostPart<std::uint64_t> in_host;
    std::uint64_t uses_device, of_sessions, combines, goes_on_while_blocked, learns_at_once, known_at_once,
        one_thread_calls, tells_groups, knows_groups;
  };
  AgreedRules own;
  {
    const std::lock_guard lock(mutex_);
    ++agreements_;
    own = rules_;
  }
  state.rules = own.rules;
  const bool one_thread_calls = !several_threads_call();
  const bool learns_at_once = one_thread_calls && may_be_called_by_library();
  const bool says_of_them = learns_at_once && state.communicator.rank() == 0;
  const Facts mine{own.hash,
                   host_id_,
                   ids_in_host_,
                   loaded_device_library() != nullptr,
                   world::is_of_sessions,
                   world::combines_alone(),
                   goes_on_while_blocked(),
                   learns_at_once,
                   static_cast<std::uint64_t>(says_of_them ? learns_of_nonblocking({here_, ranks_of_world()})
                                                           : KnownNonblocking::none),
                   one_thread_calls,
                   !groups_.empty(),
                   false};
  // Facts go along a tree and back: connections last as long as the program, and some libraries
  // look at all of them whenever they wait.
  std::vector<Facts> all(ranks);
  native().MPI_Gather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, 0, comm);
  std::vector<std::vector<std::uint64_t>> found;
  if (state.communicator.rank() == 0 && own.rules->learn && std::ranges::none_of(all, &Facts::tells_groups)) {
    std::vector<std::uint64_t> hosts;
    for (const Facts& facts : all) hosts.push_back(facts.host);
    found = found_groups(hosts);
    all[0].knows_groups = !found.empty();
  }
  native().MPI_Bcast(all.data(), static_cast<int>(all.size() * sizeof mine), MPI_BYTE, 0, comm);

  const bool alike =
      std::all_of(all.begin(), all.end(), [&](const Facts& f) { return f.rules == all[0].rules; });
  if (!alike) {
    AgreedRules agreed = own.handed_on(all[0].rules, comm);
    state.rules = agreed.rules;
    if (own.hash != agreed.hash) {
      // From now on this process says the same as that rank 0, so that agreement is the rule.
      const std::lock_guard lock(mutex_);
      rules_ = std::move(agreed);
    }
    log_.say(LogLevel::warn,
             "the ranks were started with different settings or tables; those of rank 0 are used");
  }
  std::vector<std::uint64_t> hosts;
  std::vector<ByHostPart<std::uint64_t>> in_hosts;
  for (const Facts& facts : all) {
    hosts.push_back(facts.host);
    in_hosts.push_back(facts.in_host);
  }
  state.communicator.hosts() = hosts_from(hosts);
  state.communicator.in_hosts() = places_in_hosts(state.communicator.hosts(), in_hosts);
  std::vector<bool> tells;
  for (const Facts& facts : all) tells.push_back(facts.tells_groups != 0);
  hear_groups(state.communicator, tells);
  find_in_network(state, hosts, in_world);
  if (all[0].knows_groups != 0) hear_found_groups(state.communicator, found);
  state.agreement = {.uses_device = std::ranges::any_of(all, &Facts::uses_device),
                     .of_sessions = std::ranges::all_of(all, &Facts::of_sessions),
                     .combines = std::ranges::all_of(all, &Facts::combines),
                     .goes_on_while_blocked = std::ranges::all_of(all, &Facts::goes_on_while_blocked),
                     .learns_at_once = std::ranges::all_of(all, &Facts::learns_at_once),
                     .one_thread_calls = std::ranges::all_of(all, &Facts::one_thread_calls)};
  const auto known =
      static_cast<KnownNonblocking>(std::ranges::max(all, {}, &Facts::known_at_once).known_at_once);
  state.agreement.knows_at_once = state.agreement.learns_at_once && known != KnownNonblocking::none;
  state.agreement.knows_neighbors_at_once =
      state.agreement.learns_at_once && known == KnownNonblocking::between_neighbors;
  const bool all_in_world = std::ranges::none_of(all, &Facts::of_sessions);
  state.agreement.of_world = all_in_world && static_cast<int>(ranks) == ranks_of_world();
  if (state.agreement.of_world) {
    std::vector<Rank> here(ranks);  // by rank of the world
    for (std::size_t rank = 0; rank < ranks; ++rank)
      here[static_cast<std::size_t>(in_world[rank])] = static_cast<Rank>(rank);
    auto world = std::make_shared<World>(World{places_among(here, state.communicator.hosts()),
                                               places_among(here, state.communicator.in_hosts()),
                                               ToldGroups::of(state.communicator.told_groups(), here),
                                               state.in_network.among(here), state.agreement});
    const std::lock_guard lock(mutex_);
    world_ = std::move(world);
  }
}

}  // namespace tutti::run
