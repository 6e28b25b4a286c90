#include "run/calls/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "base/quick_hash.hpp"
#include "choose/libraries/mpich.hpp"
#include "choose/libraries/open_mpi.hpp"
#include "run/calls/constants.hpp"
#include "run/calls/memory_of_host.hpp"
#include "run/calls/under_way.hpp"
#include "run/mpi/agreed.hpp"
#include "run/mpi/hosts.hpp"
#include "run/mpi/library_switch.hpp"

namespace tutti::run {
namespace {

std::atomic<int> groups_of_process{0}, memories_at_once_of_process{0};
constinit std::mutex persistent_requests_of_all;

}  // namespace

Communicator::Communicator(MPI_Comm user) : user_(user) {
  PMPI_Comm_rank(user, &rank_);
  PMPI_Comm_size(user, &ranks_);
}

Communicator::~Communicator() {
  groups_of_process -= static_cast<int>(groups_.size());
  memories_at_once_of_process -= memory_at_once() != nullptr;
}

void Communicator::starts(const Tags& of_request) {
  const std::array<std::uint64_t, 2> behind{order_of_starts_, static_cast<std::uint64_t>(of_request.first)};
  order_of_starts_ = quick_hash({reinterpret_cast<const char*>(behind.data()), sizeof behind});
}

void Communicator::add_persistent_request() {
  const std::lock_guard lock(persistent_requests_of_all);
  ++persistent_requests_;
}

bool Communicator::drop_persistent_request() {
  const std::lock_guard lock(persistent_requests_of_all);
  return --persistent_requests_ == 0 && outlives_users_;
}

bool Communicator::outlive_users() {
  const std::lock_guard lock(persistent_requests_of_all);
  return outlives_users_ = persistent_requests_ > 0;
}

bool Communicator::take_context(Wanted wanted) {
  const Blocking agreeing(user_);
  context_ = Contexts::instance().take(user_, wanted);
  return has_met();
}

bool Communicator::meet_now() {
  const bool well = take_context(Wanted::now);
  if (!well) meeting_.failed();
  return well;
}

bool Communicator::meet_at_birth() {
  return context_ || take_context(Wanted::by_few);
}

// Twice as many each time: what is reserved in vain is no more than what was used.
std::optional<ContextNumber> Communicator::context_of_made() {
  if (reserved_.empty() && reserving_.is_due()) {
    const Blocking agreeing(user_);
    reserved_ = Contexts::instance().reserve(user_, reserved_next_);
    reserved_next_ = std::min(2 * reserved_next_, calls::most_reserved_contexts);
    if (reserved_.empty()) reserving_.failed();
  }
  if (reserved_.empty()) return std::nullopt;
  std::optional<ContextNumber> number(std::move(reserved_.back()));
  reserved_.pop_back();
  return number;
}

PromisedNumber Communicator::context_of_duplicate() {
  if (!reservation_ || !reservation_->has_place()) {
    // One of which nobody waits to hear, since what it was for has failed, goes when it is known.
    if (reservation_) see_to({user_, [last = reservation_] { return last->is_known(); }});
    reservation_ = std::make_shared<Reservation>(user_, promised_next_);
    promised_next_ = std::min(2 * promised_next_, calls::most_reserved_contexts);
  }
  return PromisedNumber(reservation_);
}

bool Communicator::adapt() {
  if (!adaptation_) return false;
  auto now = adaptation_->before_call(user_, *context_, adapted_ ? *adapted_ : *network_);
  if (!now) return false;
  adapted_ = std::move(now);
  return true;
}

Tags Communicator::next_tags() {
  if (calls_begun_ >= context_->calls() - kept_tags_.count()) calls_begun_ = 0;
  return context_->tags_of_call(1 + calls_begun_++);
}

void Communicator::collect_kept_tags() {
  if (has_tags_to_keep() || !collecting_tags_.is_due()) return;
  const Blocking agreeing(user_);
  if (!kept_tags_.collect(user_)) collecting_tags_.failed();
}

void Communicator::find_topology() {
  if (find_topology_alone()) return;
  const Blocking agreeing(user_);
  look_for_neighbors();
}

bool Communicator::find_topology_alone() {
  if (!knows_topology_ && (simulated || Neighbors::are_known_to_all(user_))) look_for_neighbors();
  return knows_topology_;
}

// SimGrid has grids, but calls nobody a neighbour.
void Communicator::look_for_neighbors() {
  if (!simulated) neighbors_ = Neighbors::in(user_, ranks_);
  knows_topology_ = true;
}

void Communicator::use_topology(Topology topology) {
  neighbors_.emplace(std::move(topology));
  knows_topology_ = true;
}

void Communicator::prepare_phases(const Plan& plan, Rank root, const Part& part) {
  if (!plan.waits_in_library() || prepared_.contains({plan.id(), root})) return;
  const Blocking making(user_);
  std::map<GroupKey, LeftToLibrary> missing;
  std::string why;
  for (const NativePhase& phase : part.native_phases()) {
    LeftToLibrary what{phase.group, phase.collective, phase.algorithm};
    if (why.empty()) why = refusal_of(what);
    // Where blocks of a call may differ in size either operation has to have the algorithm.
    if (why.empty() && is_irregular(plan.collective()) &&
        phase.collective == traits(plan.collective()).regular)
      why = refusal_of({phase.group, plan.collective(), phase.algorithm});
    if (!why.empty()) continue;
    if (auto key = key_of(what); !is_users(key) && !groups_.contains(key))
      missing.emplace(std::move(key), std::move(what));
  }
  if (why.empty() && groups_of_process + static_cast<int>(missing.size()) > calls::most_groups)
    why = no_communicator_left;
  if (!all_say(why.empty(), user_)) throw NotHad{why.empty() ? "another rank can't have its part" : why};
  bool made = true;
  for (const auto& [key, phase] : missing) made = comm_for(phase) != MPI_COMM_NULL && made;
  if (!all_say(made, user_)) {
    for (const auto& [key, phase] : missing) groups_of_process -= static_cast<int>(groups_.erase(key));
    throw NotHad{no_communicator_left};
  }
  prepared_.emplace(plan.id(), root);
}

std::string Communicator::refusal_of(const LeftToLibrary& what) const {
  if (what.algorithm.empty()) return "";
  if (auto why = LibrarySwitch::refusal_of_all(); !why.empty()) return why;
  const LibrarySwitch& by = LibrarySwitch::of(what.collective);
  if (auto why = by.refusal(what.algorithm, count(hosts_)); !why.empty()) return why;
  const auto refusal_on_ranks = by.is_read_at_calls() ? mpich_refusal : open_mpi_refusal;
  return refusal_on_ranks(what.collective, what.algorithm, static_cast<int>(what.ranks.size()));
}

bool Communicator::is_everybody(const std::vector<Rank>& group) const {
  return static_cast<int>(group.size()) == ranks_ && std::is_sorted(group.begin(), group.end());
}

// An empty text: whatever the library chooses, or is told at each call.
Communicator::GroupKey Communicator::key_of(const LeftToLibrary& what) {
  const bool any = what.algorithm.empty() || LibrarySwitch::of(what.collective).is_read_at_calls();
  return {what.ranks, any ? "" : fmt::format("{} {}", name(what.collective), what.algorithm)};
}

MPI_Comm Communicator::comm_for(const LeftToLibrary& what) {
  GroupKey key = key_of(what);
  if (is_users(key)) return user_;
  const auto [entry, added] = groups_.try_emplace(std::move(key));
  if (added) {
    ++groups_of_process;
    const auto make = [&] { return context_->among(context_->numbers_of(what.ranks)); };
    entry->second =
        entry->first.second.empty() ? make() : under_switches(what.collective, what.algorithm, make);
  }
  return entry->second.get();
}

Surroundings Communicator::surroundings(const HostMemory* memory) {
  return {rank_, context_->numbers(),
          [this](const NativePhase& phase) {
            return comm_for({phase.group, phase.collective, phase.algorithm});
          },
          memory};
}

// The ranks of this rank's host. The first call is collective.
std::vector<Rank> Communicator::ranks_here() {
  if (hosts_.empty()) hosts_ = hosts_of(user_);
  std::vector<Rank> here;
  for (Rank rank = 0; rank < ranks_; ++rank)
    if (hosts_[static_cast<std::size_t>(rank)] == hosts_[static_cast<std::size_t>(rank_)])
      here.push_back(rank);
  return here;
}

void Communicator::share_memory() {
  if (memory_) return;
  const Blocking making(user_);
  memory_ = memory_of_host(user_, *context_, ranks_here());
  news_of_memory_ = true;
}

void Communicator::share_memory_at_once() {
  if (memory_at_once_) return;
  const Blocking making(user_);
  const bool may_be_more = memories_at_once_of_process < calls::most_memories_at_once;
  memory_at_once_ = new_memory_of_host(*context_, ranks_here(), may_be_more ? host_memory_limit : 0);
  memories_at_once_of_process += memory_at_once() != nullptr;
}

}  // namespace tutti::run
