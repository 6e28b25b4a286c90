#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "core/plan/plan.hpp"
#include "core/synthesis/known_network.hpp"
#include "run/calls/adaptation.hpp"
#include "run/calls/constants.hpp"
#include "run/calls/context.hpp"
#include "run/calls/kept_tags.hpp"
#include "run/calls/neighbors.hpp"
#include "run/calls/reservation.hpp"
#include "run/calls/retry.hpp"
#include "run/calls/told_groups.hpp"
#include "run/calls/turns.hpp"
#include "run/calls/workspace.hpp"
#include "run/execution/program_cache.hpp"

namespace tutti::run {

#ifdef TUTTI_SIMULATED
/// In a simulation ranks begin at the same time, and times repeat exactly: one call says all. All
/// of them are processes of this host, but what they say to each other goes through the simulated
/// network.
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif
/// Whether ranks of one host may share memory.
inline constexpr bool may_share_memory = !simulated;

/// What plans leave to the MPI library can't be had on some rank: an algorithm that the library
/// can't be told to use, or more communicators than it has, or than Tutti takes of those that
/// belong to the program.
struct NotHad {
  std::string why;
};

/// Why a communicator can't be had.
inline constexpr const char* no_communicator_left = "MPI has no communicator left";

/// What the MPI library carries out for a plan: a collective of some ranks, by an algorithm of its
/// own, or by its choice.
struct LeftToLibrary {
  std::vector<Rank> ranks;
  Collective collective;
  std::string algorithm;
};

/// What running plans on one of the user's intracommunicators needs: a context for their messages,
/// taken when the first plan runs; bound programs; memory.
class Communicator {
 public:
  explicit Communicator(MPI_Comm user);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  /// Requests of the user's that are started again and again need this still when the user's
  /// communicator is freed, and any thread may make and free them.
  /// @{
  void add_persistent_request();
  /// Whether that was the last one that it was kept for.
  bool drop_persistent_request();
  /// The user's communicator is about to be freed; whether this is needed still.
  bool outlive_users();
  bool outlives_users() const { return outlives_users_.load(std::memory_order_relaxed); }
  /// Where an error of such a request is reported.
  MPI_Comm reports_to() const { return outlives_users() ? context().comm() : user_; }
  /// Notes that the request with these tags is started, for one thread; and a number that is the
  /// same on ranks that have started the same ones in the same order.
  void starts(const Tags& of_request);
  std::uint64_t order_of_starts() const { return order_of_starts_; }
  /// @}

  /// Calls that return at once wait for one in which all ranks meet: for what they need to be made,
  /// or to begin before it.
  bool is_awaited = false;
  /// Nonblocking calls might go by plans here, had the communicator been prepared for it: the next
  /// blocking one does that.
  bool is_unprepared = false;
  void await_preparation() { is_unprepared = is_awaited = true; }
  /// A nonblocking call's plan goes through memory, which the next preparation makes.
  bool wants_memory_at_once = false;

  /// Whether all ranks can combine values by themselves, as plans of reductions have them do.
  bool combines = true;
  /// Whether calls under way go on while a rank blocks in the MPI library, on all ranks.
  bool goes_on_while_blocked = true;

  MPI_Comm user() const { return user_; }
  Rank rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// The host of each rank; empty until it is known.
  Hosts& hosts() { return hosts_; }
  const Hosts& hosts() const { return hosts_; }

  /// Where each rank is within its host; empty where ranks are bound to nothing, and until it is
  /// known.
  PlacesInHosts& in_hosts() { return in_hosts_; }
  const PlacesInHosts& in_hosts() const { return in_hosts_; }

  /// The groups that its hosts were told to be in; null: none.
  const std::shared_ptr<const ToldGroups>& told_groups() const { return told_; }
  void use_groups(std::shared_ptr<const ToldGroups> told) { told_ = std::move(told); }

  /// The network that a plan goes by now, or null: schedules are computed for what was measured
  /// last; all else goes by what was told, by which it was chosen.
  const std::shared_ptr<const KnownNetwork>& network_for(const Plan& plan) const {
    return adapted_ && plan.is_computed() ? adapted_ : network_;
  }
  /// Schedules are computed for this network, until it is measured again.
  void use_network(std::shared_ptr<const KnownNetwork> network) {
    network_ = std::move(network);
    adapted_.reset();
  }

  /// Measures the network between the ranks again from time to time.
  void adapt_every(double interval_s, Network network) {
    adaptation_ = std::make_unique<Adaptation>(std::move(network), interval_s);
  }
  /// Measures the network again, if it is time, before a call by a computed plan: collective.
  /// Returns whether there is another network now.
  bool adapt();

  /// What plans have to serve here. Its network stays the one that was told: what follows from it
  /// may be asked at any time.
  Setting setting(bool commutative = true) const {
    return {.ranks = ranks_,
            .commutative = commutative,
            .hosts = &hosts_,
            .in_hosts = &in_hosts_,
            .levels = told_ ? told_->levels() : nullptr,
            .groups = told_ ? &told_->network() : nullptr,
            .network = network_.get(),
            .has_memory = may_share_memory,
            .topology = topology(),
            .needs_connections = !simulated};
  }

  /// Takes a context for the messages of plans, if there is none yet: collective. False on all
  /// ranks where one of them can't have it now; some calls later it is tried again.
  bool meet() { return context_ || (meeting_.is_due() && meet_now()); }
  /// Takes a context for a communicator that was just made, as `meet` does, but only where contexts
  /// are plenty: most communicators never need one, and `meet` tries again.
  bool meet_at_birth();
  /// Takes the context with a number that the communicator it was made of had reserved, without a
  /// word to other ranks.
  void meet_by(ContextNumber number) { context_ = Contexts::instance().with(std::move(number), user_); }
  /// Whether numbers can be reserved: all ranks come to all calls in one order.
  bool reserves_contexts() const { return context_ && context_->is_in_order(); }
  /// All ranks have just made another communicator of this one: the number of its context; nothing
  /// on all ranks where contexts are scarce. Collective now and then.
  std::optional<ContextNumber> context_of_made();
  /// The number of the context of one whose making waits for nobody: all ranks come here in the
  /// order of the communicator's collectives, and hear later which it is.
  PromisedNumber context_of_duplicate();
  bool has_met() const { return context_ != nullptr; }
  /// The context, after `meet`.
  const Context& context() const { return *context_; }
  /// A call has failed halfway: nobody else gets its tags.
  void spoil_context() {
    if (context_) context_->spoil();
  }
  /// Lets plans' messages travel on the user's communicator, on which nobody else sends any.
  void send_on_users() { context_ = Context::on(user_); }

  /// Who is whose neighbour; null where there are none, and until it is known.
  const Topology* topology() const { return neighbors_ ? &neighbors_->topology() : nullptr; }
  /// The topology with several edges between the same ranks as the MPI library's own function
  /// matches them.
  const Topology* topology_for(Called called) {
    return neighbors_ ? neighbors_->as_matched_by(called) : nullptr;
  }
  /// Finds the topology out: collective, the first time.
  void find_topology();
  /// Finds it out where each rank can do so by itself. Whether it is known then.
  bool find_topology_alone();
  void use_topology(Topology topology);

  /// Makes communicators for the phases that a plan's part leaves to the MPI library, as far as
  /// there are none yet. Collective, the first time that the plan is carried out with that root.
  /// Throws NotHad on all ranks where one of them can't have its own.
  void prepare_phases(const Plan& plan, Rank root, const Part& part);
  /// Why the MPI library can't be told to carry that out by its algorithm, as far as this rank
  /// sees; empty: it can.
  std::string refusal_of(const LeftToLibrary& what) const;
  /// A communicator of some of the ranks, on which the MPI library goes by that algorithm, unless
  /// it is told at each call; collective among them where none has been needed so far.
  MPI_Comm comm_for(const LeftToLibrary& what);
  /// The ways by which a part reaches the other ranks, that memory too if it is not null.
  Surroundings surroundings(const HostMemory* memory);

  /// Memory shared with the ranks of this host. Null before `share_memory` was called, and where
  /// there is none.
  HostMemory* memory() const { return memory_ && *memory_ ? memory_.get() : nullptr; }
  /// Whether `share_memory` was called since this was last asked.
  bool has_news_of_memory() { return std::exchange(news_of_memory_, false); }
  /// The first call is collective.
  void share_memory();
  /// A call by a plan that goes through that memory has failed, and did not come to all of its
  /// messages: nobody goes on in it, nor on other communicators that share it.
  void spoil_memory(int error) {
    if (memory_) memory_->spoil(error);
  }

  /// Memory that nonblocking calls share with the ranks of this host. They may come in another
  /// order on another communicator, so that it is this one's alone. They use it one after another,
  /// in the order in which they began.
  /// @{
  HostMemory* memory_at_once() const {
    return memory_at_once_ && *memory_at_once_ ? memory_at_once_.get() : nullptr;
  }
  bool has_tried_memory_at_once() const { return memory_at_once_ != nullptr; }
  void share_memory_at_once();
  Turns& turns_at_once() { return turns_at_once_; }
  /// @}

  ProgramCache& programs() { return programs_; }
  /// Programs of calls that do not block, which other threads may drive: of those that go through
  /// memory, and of others.
  /// @{
  SharedProgramCache& programs_at_once() { return programs_at_once_; }
  SharedProgramCache& programs_without_memory() { return programs_without_memory_; }
  /// @}
  const ProgramCache& programs() const { return programs_; }
  /// The workspace of blocking calls.
  Workspace& workspace() { return workspace_; }
  const Workspace& workspace() const { return workspace_; }

  /// Whether there are tags for one more call that is under way beside others; and these. All ranks
  /// start such calls in one order, so that they give each the same.
  bool has_tags() const { return kept_tags_.count() < context_->calls(); }
  Tags next_tags();
  /// Whether there are tags for one more request that keeps them until it is freed, for it is
  /// started again and again, on each rank when it likes; and these. Some stay for other calls,
  /// half of them where there are few.
  bool has_tags_to_keep() const {
    const int calls = context_->calls();
    return kept_tags_.has_free() ||
           kept_tags_.count() < calls - std::min(calls / 2, calls::least_calls_of_context);
  }
  TagsOfRequest keep_tags() { return kept_tags_.take(*context_); }
  /// Where there are none, looks for those that all ranks have given back; collective now and then.
  void collect_kept_tags();

 private:
  bool take_context(Wanted wanted);
  bool meet_now();
  void look_for_neighbors();
  // Ranks, and where the MPI library is told of an algorithm, the operation and that.
  using GroupKey = std::pair<std::vector<Rank>, std::string>;
  static GroupKey key_of(const LeftToLibrary& what);
  std::vector<Rank> ranks_here();
  bool is_everybody(const std::vector<Rank>& group) const;
  bool is_users(const GroupKey& key) const { return key.second.empty() && is_everybody(key.first); }

  MPI_Comm user_;
  Rank rank_ = 0;
  int ranks_ = 0;
  Hosts hosts_;
  PlacesInHosts in_hosts_;
  std::shared_ptr<const ToldGroups> told_;
  std::uint64_t order_of_starts_ = 0;
  int persistent_requests_ = 0;  // these two change under a lock
  std::atomic<bool> outlives_users_ = false;
  std::shared_ptr<const KnownNetwork> network_, adapted_;
  std::unique_ptr<Adaptation> adaptation_;
  std::unique_ptr<Context> context_;
  std::vector<ContextNumber> reserved_;
  std::shared_ptr<Reservation> reservation_;  // the last one whose places are promised
  int reserved_next_ = 1, promised_next_ = 1;
  Retry reserving_, meeting_, collecting_tags_;
  std::map<GroupKey, OwnComm> groups_;
  std::set<std::pair<int, Rank>> prepared_;  // plans, by their numbers, and roots
  std::shared_ptr<HostMemory> memory_;
  std::unique_ptr<HostMemory> memory_at_once_;
  Turns turns_at_once_;
  bool news_of_memory_ = false;
  ProgramCache programs_;
  SharedProgramCache programs_at_once_, programs_without_memory_;
  Workspace workspace_;
  int calls_begun_ = 0;
  KeptTags kept_tags_;
  bool knows_topology_ = false;
  std::optional<Neighbors> neighbors_;
};

}  // namespace tutti::run
