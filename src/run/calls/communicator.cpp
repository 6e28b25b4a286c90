#include "run/calls/communicator.hpp"

#include <algorithm>
#include <atomic>

#include "run/calls/constants.hpp"
#include "run/calls/memory_of_host.hpp"
#include "run/calls/under_way.hpp"
#include "run/mpi/agreed.hpp"
#include "run/mpi/hosts.hpp"

namespace tutti::run {
namespace {

std::atomic<int> groups_of_process{0};

}  // namespace

Communicator::Communicator(MPI_Comm user) : user_(user) {
  PMPI_Comm_rank(user, &rank_);
  PMPI_Comm_size(user, &ranks_);
}

Communicator::~Communicator() {
  groups_of_process -= static_cast<int>(groups_.size());
}

bool Communicator::take_context(Wanted wanted) {
  const Blocking agreeing(user_);
  context_ = Contexts::instance().take(user_, wanted);
  return has_met();
}

bool Communicator::meet_now() {
  const bool well = take_context(Wanted::now);
  if (!well) calls_to_pass_ = calls_passed_ *= 2;
  return well;
}

bool Communicator::meet_at_birth() {
  return context_ || take_context(Wanted::by_few);
}

// Twice as many each time: what is reserved in vain is no more than what was used.
std::optional<ContextNumber> Communicator::context_of_made() {
  if (reserved_.empty() && made_to_pass_-- <= 0) {
    const Blocking agreeing(user_);
    reserved_ = Contexts::instance().reserve(user_, reserved_next_);
    reserved_next_ = std::min(2 * reserved_next_, calls::most_reserved_contexts);
    if (reserved_.empty()) made_to_pass_ = made_passed_ *= 2;
  }
  if (reserved_.empty()) return std::nullopt;
  std::optional<ContextNumber> number(std::move(reserved_.back()));
  reserved_.pop_back();
  return number;
}

void Communicator::spoil() {
  if (context_) context_->spoil();
  if (memory_) memory_->spoil();
}

void Communicator::use_network(std::shared_ptr<const KnownNetwork> network) {
  if (network_ && network && network_->fingerprint == network->fingerprint) return;
  network_ = std::move(network);
  programs_.clear();
  programs_without_memory_.clear();
}

bool Communicator::adapt() {
  if (!adaptation_) return false;
  auto now = adaptation_->before_call(user_, *context_, *network_);
  if (!now) return false;
  use_network(std::move(now));
  return true;
}

Tags Communicator::next_tags() {
  if (calls_begun_ >= context_->calls() - calls_kept_) calls_begun_ = 0;
  return context_->tags_of_call(1 + calls_begun_++);
}

Tags Communicator::keep_tags() {
  return context_->tags_of_call(context_->calls() - calls_kept_++);
}

void Communicator::find_topology() {
  if (knows_topology_) return;
#ifndef TUTTI_SIMULATED  // SimGrid has grids, but calls nobody a neighbour
  neighbors_ = Neighbors::in(user_, ranks_);
#endif
  knows_topology_ = true;
}

void Communicator::use_topology(Topology topology) {
  neighbors_.emplace(std::move(topology));
  knows_topology_ = true;
}

void Communicator::prepare_phases(const Plan& plan, const Part& part) {
  if (!plan.has_native_phases() || plans_prepared_.contains(plan.id())) return;
  const Blocking making(user_);
  std::set<std::vector<Rank>> missing;
  for (const NativePhase& phase : part.native_phases())
    if (!is_everybody(phase.group) && !groups_.contains(phase.group)) missing.insert(phase.group);
  const bool well = groups_of_process + static_cast<int>(missing.size()) <= calls::most_groups;
  if (!all_say(well, user_)) throw NoCommunicatorLeft();
  bool made = true;
  for (const auto& group : missing) made = group_comm(group) != MPI_COMM_NULL && made;
  if (!all_say(made, user_)) throw NoCommunicatorLeft();
  plans_prepared_.insert(plan.id());
}

bool Communicator::is_everybody(const std::vector<Rank>& group) const {
  return static_cast<int>(group.size()) == ranks_ && std::is_sorted(group.begin(), group.end());
}

MPI_Comm Communicator::group_comm(const std::vector<Rank>& group) {
  if (is_everybody(group)) return user_;
  const auto [entry, added] = groups_.try_emplace(group);
  if (added) {
    ++groups_of_process;
    entry->second = context_->among(context_->numbers_of(group));
  }
  return entry->second.get();
}

Surroundings Communicator::surroundings(bool through_memory) {
  return {rank_, context_->numbers(), [this](const std::vector<Rank>& group) { return group_comm(group); },
          through_memory ? memory() : nullptr};
}

void Communicator::share_memory() {
  if (memory_) return;
  const Blocking making(user_);
  if (hosts_.empty()) hosts_ = hosts_of(user_);
  std::vector<Rank> here;
  for (Rank rank = 0; rank < ranks_; ++rank)
    if (hosts_[static_cast<std::size_t>(rank)] == hosts_[static_cast<std::size_t>(rank_)])
      here.push_back(rank);
  memory_ = memory_of_host(user_, *context_, here);
  news_of_memory_ = true;
}

}  // namespace tutti::run
