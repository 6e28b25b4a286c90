#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "choose/settings/log.hpp"
#include "core/network/stand_ins.hpp"
#include "run/calls/choices.hpp"
#include "run/calls/inside.hpp"
#include "run/calls/under_way.hpp"
#include "run/mpi/library_text.hpp"
#include "run/online/call_sizes.hpp"
#include "run/process/agreed_rules.hpp"
#include "run/process/call_statistics.hpp"
#include "run/process/held_back.hpp"
#include "run/process/known_calls.hpp"

namespace tutti::run {

/// When a communicator was made or first used, among the others of this rank; of one that was made
/// while ranks waited for nobody, its origin's number and how many such the origin had by then.
using BirthNumber = std::vector<std::uint64_t>;

/// One of the user's communicators as Tutti sees it: what happens to calls on it, and what running
/// plans needs.
struct CommunicatorState {
  explicit CommunicatorState(MPI_Comm comm) : communicator(comm) {}
  Communicator communicator;
  BirthNumber number;                            ///< alike on ranks that share several, in its order
  std::uint64_t duplicates = 0;                  ///< that were begun of it and wait for nobody
  std::shared_ptr<const Rules> rules;            // the routes' plans live here
  StandIns in_network;                           ///< of the ranks, in the network that the rules know
  std::unique_ptr<Learner> learner;              ///< null where nothing is learnt
  std::unique_ptr<CallSizes> sizes;              ///< null where calls can only go natively
  std::unique_ptr<CommunicatorProfile> profile;  ///< null where nothing is profiled
  /// Why calls can only go natively, between groups for example: their arguments are the MPI
  /// library's affair.
  std::optional<std::string> only_native;
  /// When the program frees the communicator all ranks tell rank 0 what they have profiled: of a
  /// program without MPI_COMM_WORLD there is no other place where they surely meet.
  bool gathers_profiles = false;
  /// What the ranks have told each other besides the rules.
  struct Agreement {
    bool uses_device = false;  ///< one of them has loaded a device's library
    bool of_sessions = false;  ///< none of them has MPI_COMM_WORLD
    bool combines = true;      ///< all of them can combine values by themselves
    /// In all of them what is under way goes on while they block in the MPI library.
    bool goes_on_while_blocked = true;
    /// Calls that return at once may be learnt of: in none of them several threads call, and the
    /// MPI library drives on what is under way while it blocks.
    bool learns_at_once = true;
    /// Such calls are learnt of, and rank 0 knows of programs that make them; and of some between
    /// neighbours.
    /// @{
    bool knows_at_once = false, knows_neighbors_at_once = false;
    /// @}
    /// In none of them several threads call. Processes may ask for levels of their own.
    bool one_thread_calls = true;
    /// It was all of the world that agreed, before or here.
    bool of_world = false;
  } agreement;
  /// A call that returns at once, and may be learnt of, was made here, or on the communicator that
  /// this one was made of: all ranks know that by the order of the calls there.
  bool sees_at_once = false;
  /// An MPI_Comm_idup may be under way that gets on by nonblocking collectives here, whenever the
  /// MPI library's progress is called. Calls that return at once begin where the program calls them
  /// then: none is learnt of, which might make one wait. All ranks know by the order of calls here.
  bool may_be_in_duplication = false;
  KnownCalls calls;
  HeldBack held_back{*this};

  /// All ranks are here: makes ready for calls that return at once, in which they can't agree.
  void prepare() {
    const Blocking here(communicator.user());
    communicator.is_unprepared = false;
    communicator.find_topology();
    const bool met = learner ? learner->meet() : communicator.meet();
    if (met && (communicator.wants_memory_at_once || rules->shares_memory_at_once() ||
                (learner && learner->learns_at_once())))
      communicator.share_memory_at_once();
    if (learner) learner->prepare();
  }
  /// All ranks are here, in a call that may block: does what calls that return at once wait for.
  void meet() {
    communicator.is_awaited = false;
    finish_errands_before(communicator.user());
    may_be_in_duplication = false;
    if (communicator.is_unprepared) prepare();
  }
  /// The program calls MPI_Comm_idup. Open MPI makes its steps collectives of the communicator.
  void begin_duplication() {
    if (!is_open_mpi()) return;
    may_be_in_duplication = true;
    communicator.is_awaited = true;  // a call that blocks ends it
  }
  /// Makes a communicator ready that was just made, on which no such call may ever come: it takes
  /// nothing that is scarce.
  void prepare_at_birth() {
    if (prepares_neighbors()) communicator.find_topology();
    communicator.meet_at_birth();
  }
  /// Whether calls that return at once are to go by plans here from the first on, or to be learnt
  /// of.
  bool serves_at_once() const {
    return !only_native && (rules->prepares_nonblocking() || agreement.knows_at_once || sees_at_once);
  }
  /// Whether calls between neighbours are among them.
  bool prepares_neighbors() const { return rules->prepares_neighbors() || agreement.knows_neighbors_at_once; }
  /// Whether it is about neighbours that this rank does not know and can't find by itself: in a
  /// distributed graph ranks would have to tell each other.
  bool lacks_topology_for(Collective collective) {
    return traits(collective).on_neighbors && !only_native && !communicator.find_topology_alone();
  }

  /// What the program itself has chosen, or else what serves such calls usually: made when it is
  /// first asked for, as most communicators see few of the operations.
  Route& route(Called called) {
    if (Route* chosen = choices_ ? choices_->of(called) : nullptr) return *chosen;
    auto& known = routes_[called];
    if (!known) known = made(called);
    return *known;
  }
  Route& route(Collective collective) { return route(Called{collective}); }
  /// Calls visit(called, route) for all that were made.
  template <typename Visit>
  void for_each_route(Visit&& visit) const {
    for_each_called([&](Called called) {
      if (const auto& known = routes_[called]) visit(called, *known);
    });
    if (choices_) choices_->for_each(visit);
  }

  /// The program wants that plan, of which it is known that it can serve here; or null: what is
  /// usual. All ranks of the communicator are here.
  void choose(Called called, const Plan* plan);
  bool has_chosen(Called called) const { return choices_ && choices_->of(called); }

 private:
  std::unique_ptr<Route> made(Called called);

  ByCalled<std::unique_ptr<Route>> routes_;  // each of its own: programs may keep thousands of communicators
  std::unique_ptr<Choices> choices_;         // null as long as there are none
};

/// Orders of operands that a reduction may take there; `facts` then says whether operands may
/// change places.
inline OperandOrders orders_of(const CommunicatorState& state, CallFacts& facts) {
  facts.whole = facts.whole && state.rules && state.rules->operations_whole;
  if (!facts.exact && state.rules) {
    if (state.rules->float_sums == FloatSums::reproducible) facts.commutative = false;
    if (state.rules->float_sums != FloatSums::any) return OperandOrders::in_fixed_order;
  }
  return facts.commutative ? OperandOrders::any : OperandOrders::in_rank_order;
}

/// What of MPI a program ends.
enum class Ending { world, session };

/// Tutti in this process: started by the first collective call, ended with MPI. In a program that
/// has sessions only that is with the last of them, and another may begin after.
class Process {
 public:
  /// Tutti in this process, started if it was not. Null before MPI_Init or the first session, after
  /// MPI_Finalize or the last session, and where Tutti is off.
  static Process* instance();
  /// Tutti in this process, if it was started and has not ended.
  static Process* running();

  /// What Tutti knows of a communicator. The first call on it is collective: the ranks agree on the
  /// rules.
  CommunicatorState* attach(MPI_Comm comm);
  /// What Tutti knows of a communicator, or null if there was no such call on it yet.
  CommunicatorState* known(MPI_Comm comm) const;
  /// Whether this rank may attach a communicator by itself.
  bool may_attach_alone(MPI_Comm comm) const;

  /// The program has just made a communicator, all ranks of which are here, as are those of the one
  /// it was made `from`, or MPI_COMM_NULL: makes it ready for nonblocking calls, if the ranks have
  /// agreed that some of these go by plans.
  void welcome(MPI_Comm from, MPI_Comm made);
  /// MPI_Comm_idup as `make` calls it, of which the program's arguments are `made` and `request`:
  /// the communicator is ready for nonblocking calls when the request is complete. Returns MPI's
  /// error code.
  int duplicate(MPI_Comm from, MPI_Comm* made, MPI_Request* request, const std::function<int()>& make);

  /// A nonblocking call on a communicator of which not enough is known, for no blocking one came
  /// before.
  void count_unprepared(Called called) { unprepared_[called].fetch_add(1, std::memory_order_relaxed); }

  /// The program is about to free a communicator: detaches its state now, on all ranks alike. The
  /// MPI library would delete the attribute before or after the program's, whose callbacks may call
  /// collectives, and only when what is under way there is complete.
  void forsake(MPI_Comm comm);
  /// The program frees a communicator, with what is known of it, unless persistent requests need
  /// that still: then with the last of these.
  void detach(CommunicatorState* state);
  /// Detaches the state of a communicator that has outlived the user's.
  void release(const Communicator& communicator);

  /// A persistent request is gone: its class tuner goes with it, and is counted.
  void retire(const Communicator& communicator, const ClassTuner& tuner);

  /// The program is about to call MPI_Finalize or MPI_Session_finalize: if nothing of MPI is left
  /// after that in which calls are served, prints the statistics if asked to and gives everything
  /// back.
  static void before(Ending ending);

  /// What this rank has run so far.
  Statistics statistics();

  /// Says that a plan could not serve a call, once for each reason.
  void report_fallback(Called called, Fallback fallback, const std::string& reason);
  /// Says a line, unless this process has said it before.
  void say_once(LogLevel importance, const std::string& line);

  /// Says that a network was measured again and has changed.
  void report_adaptation() const;
  void report_memory(const Communicator& communicator) const;

 private:
  Process();
  /// What a communicator has from its making on until a collective is called on it.
  struct Newborn {
    BirthNumber number;
    std::optional<ContextNumber> context;
  };
  struct Duplicate;
  bool is_complete(Duplicate& duplicate);
  bool makes_ready_of(MPI_Comm from);
  bool sees_at_once(MPI_Comm comm) const;
  static int on_newborn_deleted(MPI_Comm, int, void* newborn, void*);
  bool keeps(MPI_Comm made, ContextNumber context, const CommunicatorState& made_from);
  void keep(MPI_Comm made, std::unique_ptr<Newborn> newborn) const;
  Newborn* newborn(MPI_Comm comm) const;
  static int on_comm_deleted(MPI_Comm, int, void* state, void*);
  static int on_self_deleted(MPI_Comm, int, void*, void*);
  void finish();

  static void add_to(Statistics& statistics, const CommunicatorState& state);
  void add_unprepared_to(Statistics& statistics) const;
  void tell_unprepared();
  bool profiles();
  bool nothing_is_served_at_once();
  using Agreement = CommunicatorState::Agreement;
  CommunicatorState* attach_new(MPI_Comm comm, BirthNumber number, const CommunicatorState* made_from);
  void route(CommunicatorState& state, const CommunicatorState* made_from);
  void leave_native(CommunicatorState& state, const char* because);
  void agree(CommunicatorState& state, const std::vector<Rank>& in_world);
  void hear_groups(Communicator& communicator, const std::vector<bool>& tells);
  std::vector<std::vector<std::uint64_t>> found_groups(const std::vector<std::uint64_t>& hosts);
  static void hear_found_groups(Communicator& communicator,
                                const std::vector<std::vector<std::uint64_t>>& found);
  void hear_groups_of_table(Communicator& communicator, const Table& table,
                            const std::vector<std::uint64_t>& hosts);
  void find_in_network(CommunicatorState& state, const std::vector<std::uint64_t>& hosts,
                       const std::vector<Rank>& in_world);
  bool follow(CommunicatorState& state, const CommunicatorState* made_from);
  bool may_follow_world();
  bool follow_world(CommunicatorState& state, const std::vector<Rank>& in_world);
  void write_profile();
  Profile own_profile();
  void gather_profiles(MPI_Comm comm);
  void leave(CommunicatorState* state);
  static void keep_profile(CommunicatorState& state);

  Fingerprint here_;
  Log log_;
  Configuration configuration_;
  std::uint64_t host_id_ = 0;
  ByHostPart<std::uint64_t> ids_in_host_;
  std::vector<std::uint64_t> groups_;                     // that this host is in
  std::optional<std::vector<FoundGroups>> known_groups_;  // that programs have found, on rank 0
  int comm_key_ = MPI_KEYVAL_INVALID, newborn_key_ = MPI_KEYVAL_INVALID;
  int self_key_ = MPI_KEYVAL_INVALID;
  std::atomic<bool> said_groups_lack_ = false, said_network_lacks_ = false;
  std::atomic<bool> finished_ = false;
  std::atomic<std::uint64_t> communicators_ = 0;  // that were made ready, or attached
  ByCalled<std::atomic<std::uint64_t>> unprepared_;
  std::unique_ptr<Learning> learning_;

  std::mutex mutex_;  // guards what follows; never held in a collective
  AgreedRules rules_;
  // What all ranks of the world have told each other, once they have: by rank hosts and places in
  // them, groups, if any were told, and where ranks are in the network, if one is known.
  struct World {
    Hosts hosts;
    PlacesInHosts in_hosts;
    std::shared_ptr<const ToldGroups> groups;
    StandIns in_network;
    Agreement agreement;
  };
  std::shared_ptr<const World> world_;
  std::size_t agreements_ = 0, followers_ = 0;  // of communicators
  std::vector<CommunicatorState*> states_;
  Statistics statistics_;
  std::set<std::string> reported_;
};

/// How many sessions the program has open.
inline constinit std::atomic<int> open_sessions{0};

/// Goes up whenever a communicator is freed: what threads remember is then void.
inline constinit std::atomic<std::uint64_t> generation{1};

CommunicatorState* attach_slowly(MPI_Comm comm);

/// All ranks are here in MPI_Init: makes MPI_COMM_WORLD ready for calls that return at once, where
/// these have plans or may be learnt of.
void prepare_world();

/// What Tutti knows of a communicator, or null if calls on it pass through uncounted.
inline CommunicatorState* attach_once(MPI_Comm comm) {
  if (memo.inside) return nullptr;
  if (memo.comm == comm && memo.generation == generation.load(std::memory_order_acquire)) return memo.state;
  return attach_slowly(comm);
}

/// What Tutti knows of a communicator, without a collective: null, too, where that would take one
/// and none has come before.
CommunicatorState* find_known(MPI_Comm comm);

/// The label of nonblocking calls that come too early to go by a plan.
inline constexpr const char* unprepared = "before a blocking collective";

}  // namespace tutti::run
