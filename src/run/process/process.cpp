#include "run/process/process.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/file.hpp"
#include "base/size.hpp"
#include "choose/settings/variables.hpp"
#include "core/synthesis/schedule_store.hpp"
#include "run/calls/freeing.hpp"
#include "run/calls/memory_of_host.hpp"
#include "run/execution/constants.hpp"
#include "run/execution/device_staging.hpp"
#include "run/mpi/datatype.hpp"
#include "run/mpi/here.hpp"
#include "run/mpi/hosts.hpp"
#include "run/mpi/launcher.hpp"
#include "run/mpi/library_progress.hpp"
#include "run/mpi/presence.hpp"
#include "run/mpi/ranks.hpp"
#include "run/mpi/watching.hpp"
#include "run/mpi/world.hpp"
#include "run/online/constants.hpp"
#include "run/process/constants.hpp"
#include "run/process/function_counts.hpp"
#include "run/requests/persistent.hpp"
#include "run/requests/progress.hpp"

namespace tutti::run {
namespace {

std::atomic<Process*> the_process{nullptr};
std::atomic<bool> off{false};

bool mpi_is_running() {
  return open_sessions.load(std::memory_order_relaxed) > 0 || world::has_communicator();
}

// What was profiled on this rank, whatever of MPI has ended since, and on the others as they told
// it last.
struct Profiled {
  std::mutex mutex;
  TickLength tick;
  Profile gone;  // communicators
  Profile others;
};
Profiled& profiled() {
  static auto* const all = new Profiled;  // calls may come when statics are gone
  return *all;
}

// Whether some ranks know nothing of Tutti: nothing can be agreed with them. All ranks find the
// same.
bool misses_ranks() {
  const int ranks = ranks_of_world();
  const auto absent = absent_ranks && ranks > 1 ? absent_ranks(ranks) : std::nullopt;
  if (!absent || absent->empty()) return false;
  int first = 0;  // that can speak for those that have it
  while (std::ranges::find(*absent, first) != absent->end()) ++first;
  const std::vector<int> named(
      absent->begin(),
      absent->begin() + static_cast<long>(std::min(absent->size(), process::most_absent_named)));
  if (rank_in_world() == first)
    Log::print(fmt::format(
        "tutti: {} of {} ranks run without Tutti ({}{}), so that all collectives are left to "
        "the MPI library; see tutti doctor\n",
        absent->size(), ranks, fmt::join(named, ", "), named.size() < absent->size() ? ", …" : ""));
  return true;
}

// Tells a communicator of the network between its ranks, where they are known to be in it.
void learn_network(CommunicatorState& state, const Network& known) {
  if (!knows_links(known, state.in_network)) return;
  Communicator& communicator = state.communicator;
  const Network network = network_between(known, state.in_network);
  communicator.use_network(
      std::make_shared<const KnownNetwork>(KnownNetwork::of(network, communicator.ranks())));
  if (state.rules->adapt_s > 0) communicator.adapt_every(state.rules->adapt_s, network);
}

}  // namespace

[[gnu::noinline]] std::unique_ptr<Route> CommunicatorState::made(Called called) {
  if (only_native) return std::make_unique<Route>(*only_native);
  Setting setting = communicator.setting();
  if (traits(called.collective).on_neighbors) {
    communicator.find_topology();
    setting.topology = communicator.topology_for(called);
  }
  auto route = std::make_unique<Route>(called, *rules, setting);
  // Only now the table's measurements may have been read.
  if (const std::string complaint = rules->table ? rules->table->complaint() : ""; !complaint.empty())
    Process::instance()->say_once(LogLevel::error, complaint);
  return route;
}

void CommunicatorState::choose(Called called, const Plan* plan) {
  calls.forget();
  if (plan) {
    if (called.mode != Mode::blocking) prepare();
    if (!choices_) choices_ = std::make_unique<Choices>();
    Setting setting = communicator.setting();
    if (traits(called.collective).on_neighbors) setting.topology = communicator.topology_for(called);
    choices_->choose(called, *plan, *rules, setting);
  } else if (choices_) {
    choices_->give_back(called);
  }
}

CommunicatorState* attach_slowly(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return nullptr;
  Process* process = Process::instance();
  const std::uint64_t now = generation.load(std::memory_order_acquire);
  if (!process) {
    if (off) memo = {memo.inside, memo.blocks, memo.waits, comm, now, nullptr};
    return nullptr;
  }
  if (Freeing::is_under_way(comm)) return nullptr;
  const Inside inside;
  CommunicatorState* state = process->attach(comm);
  memo = {memo.inside, memo.blocks, memo.waits, comm, now, state};
  return state;
}

// A look at the network within one host is short enough to be taken before anybody needs it.
// Between hosts it is taken where programs are known to make such calls.
void prepare_world() {
  CommunicatorState* const state = attach_once(MPI_COMM_WORLD);
  if (!state || state->serves_at_once() || !state->learner || !state->learner->learns_at_once()) return;
  const Inside inside;
  if (count(state->communicator.hosts()) == 1) state->learner->await_probe();
  state->prepare();
}

CommunicatorState* find_known(MPI_Comm comm) {
  if (memo.inside || comm == MPI_COMM_NULL) return nullptr;
  if (memo.comm == comm && memo.generation == generation.load(std::memory_order_acquire)) return memo.state;
  Process* process = Freeing::is_under_way(comm) ? nullptr : Process::instance();
  CommunicatorState* state = process ? process->known(comm) : nullptr;
  return state || !process || !process->may_attach_alone(comm) ? state : attach_slowly(comm);
}

Process* Process::running() {
  return the_process.load(std::memory_order_acquire);
}

Process* Process::instance() {
  if (Process* process = running()) return process;
  if (off || !mpi_is_running()) return nullptr;
  const auto stay_off = [] {
    off = true;
    return nullptr;
  };
  if (is_switched_off()) return stay_off();
  static std::mutex starting;
  const std::lock_guard lock(starting);
  if (Process* process = the_process.load()) return process;
  if (!world::has_communicator() && !world::open_session()) {
    if (launcher::rank().value_or(0) == 0)
      Log::print("tutti: the MPI library opens no session for it; nothing is tuned\n");
    return stay_off();
  }
  if (misses_ranks()) {
    if (world::is_of_sessions) world::close_session();
    return stay_off();
  }
  // It lives as long as the program does: calls may come from threads we know nothing of.
  auto* process = new Process;
  the_process.store(process, std::memory_order_release);
  return process;
}

Process::Process() {
  profiled();  // from now on
  const int rank = rank_in_world();
  here_ = fingerprint_here();
  configuration_ = read_environment({here_, ranks_of_world()});
  log_ = {configuration_.log_level, rank == 0};
  for (const std::string& complaint : configuration_.complaints) log_.say(LogLevel::error, "{}", complaint);
  for (const std::string& remark : configuration_.remarks) log_.say(LogLevel::info, "{}", remark);
  log_.say(LogLevel::info, "started on {} ({}), ranks bound to {}", stack_text(here_), here_.machine,
           here_.binding.empty() ? "what is not known" : here_.binding);
  if (const char* method = std::getenv(watching_parameter))
    log_.say(LogLevel::info, "connections are watched by {}", method);
  rules_ = AgreedRules::of(std::move(configuration_.rules));
  host_id_ = host_id();
  ids_in_host_ = ids_in_host();
  groups_ = groups_here(configuration_.groups, !in_environment(variable::groups));
  timing = configuration_.stats;
  cache_totals.limit = configuration_.limits.schedules;
  host_memory_limit = configuration_.limits.host_memory;
  in_flight.messages = std::min<std::size_t>(configuration_.limits.messages, execution::tags_of_a_call);
  static_assert(Limits().messages == execution::most_messages_in_flight &&
                Limits().bytes == execution::most_bytes_in_flight);
  in_flight.bytes = configuration_.limits.bytes;
  mpi_may_be_handed_devices = rules_.rules->device == DeviceMemory::automatic;
  ScheduleStore::instance().use_folder(configuration_.cache);
  begin_driving();
  if (configuration_.progress == ProgressBy::thread && !drive_by_thread())
    log_.say(LogLevel::warn,
             "{}=thread: MPI was not started for several threads that call; calls drive on what is under way",
             variable::progress);
  learning_ = std::make_unique<Learning>(configuration_.cache, here_, log_, PMPI_Wtime());
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_comm_deleted, &comm_key_, this);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_newborn_deleted, &newborn_key_, nullptr);
  if (world::is_of_sessions) return;
  // MPI_Finalize may not be seen, but it frees the attributes of MPI_COMM_SELF first of all.
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_self_deleted, &self_key_, this);
  PMPI_Comm_set_attr(MPI_COMM_SELF, self_key_, this);
}

int Process::on_comm_deleted(MPI_Comm, int, void* state, void* process) {
  static_cast<Process*>(process)->detach(static_cast<CommunicatorState*>(state));
  return MPI_SUCCESS;
}

int Process::on_self_deleted(MPI_Comm, int, void*, void* process) {
  static_cast<Process*>(process)->finish();
  return MPI_SUCCESS;
}

CommunicatorState* Process::known(MPI_Comm comm) const {
  void* known = nullptr;
  int found = 0;
  if (finished_ || PMPI_Comm_get_attr(comm, comm_key_, &known, &found) != MPI_SUCCESS) return nullptr;
  return found ? static_cast<CommunicatorState*>(known) : nullptr;
}

CommunicatorState* Process::attach(MPI_Comm comm) {
  if (finished_) return nullptr;
  if (CommunicatorState* state = known(comm)) return state;
  if (Newborn* from_birth = newborn(comm)) {
    CommunicatorState* state = attach_new(comm, std::move(from_birth->number), nullptr);
    if (state) {
      state->sees_at_once = true;  // or it would have had to wait for its first call
      state->communicator.meet_by(std::move(*from_birth->context));
    }
    PMPI_Comm_delete_attr(comm, newborn_key_);
    return state;
  }
  const Blocking agreeing(comm);
  CommunicatorState* state = attach_new(comm, {++communicators_}, nullptr);
  if (state && state->serves_at_once()) state->prepare();
  return state;
}

CommunicatorState* Process::attach_new(MPI_Comm comm, BirthNumber number,
                                       const CommunicatorState* made_from) {
  auto state = std::make_unique<CommunicatorState>(comm);
  state->number = std::move(number);
  if (profiles()) state->profile = std::make_unique<CommunicatorProfile>();
  route(*state, made_from);
  if (PMPI_Comm_set_attr(comm, comm_key_, state.get()) != MPI_SUCCESS) return nullptr;
  const std::lock_guard lock(mutex_);
  states_.push_back(state.get());
  return state.release();
}

// Whether communicators that are made of one may have to be made ready.
bool Process::makes_ready_of(MPI_Comm from) {
  return !finished_ && !world::is_of_sessions && !Freeing::is_under_way(from) &&
         (!nothing_is_served_at_once() || sees_at_once(from));
}

bool Process::sees_at_once(MPI_Comm comm) const {
  if (comm == MPI_COMM_NULL) return false;
  const CommunicatorState* const state = known(comm);
  return state ? state->sees_at_once : newborn(comm) != nullptr;
}

// What decides is what all ranks know that are here: what they have agreed on `from`.
void Process::welcome(MPI_Comm from, MPI_Comm made) {
  if (!makes_ready_of(from)) return;
  const Inside inside;
  CommunicatorState* origin = from == MPI_COMM_NULL ? nullptr : attach(from);
  if (from != MPI_COMM_NULL && (!origin || !origin->serves_at_once())) return;
  const bool reserves = origin && origin->communicator.reserves_contexts() && may_follow_world();
  auto context = reserves ? origin->communicator.context_of_made() : std::nullopt;
  if (made == MPI_COMM_NULL) return;
  if (reserves && (!context || keeps(made, std::move(*context), *origin))) return;
  CommunicatorState* state = attach_new(made, {++communicators_}, origin);
  if (state) state->sees_at_once = origin && origin->sees_at_once;
  if (state && state->serves_at_once()) state->prepare_at_birth();
}

// Most communicators never see such a call, or any: what the first one needs, which then waits for
// nobody, is an attribute until it comes. Where ranks have to tell each other of their neighbours
// they do so now; without calls between these nobody asks, for SimGrid 3.32 ends programs that do.
bool Process::keeps(MPI_Comm made, ContextNumber context, const CommunicatorState& made_from) {
  if (made_from.prepares_neighbors() && !Neighbors::are_known_to_all(made)) return false;
  keep(made, std::make_unique<Newborn>(Newborn{{++communicators_}, std::move(context)}));
  return true;
}

void Process::keep(MPI_Comm made, std::unique_ptr<Newborn> newborn) const {
  if (PMPI_Comm_set_attr(made, newborn_key_, newborn.get()) == MPI_SUCCESS) newborn.release();
}

Process::Newborn* Process::newborn(MPI_Comm comm) const {
  void* kept = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, newborn_key_, &kept, &found);
  return found ? static_cast<Newborn*>(kept) : nullptr;
}

int Process::on_newborn_deleted(MPI_Comm, int, void* kept, void*) {
  delete static_cast<Newborn*>(kept);
  return MPI_SUCCESS;
}

bool Process::may_attach_alone(MPI_Comm comm) const {
  if (finished_) return false;
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  return inter || ranks_of(comm) == 1 || newborn(comm);
}

bool Process::nothing_is_served_at_once() {
  const std::lock_guard lock(mutex_);
  return world_ && world_->agreement.one_thread_calls && !rules_.rules->prepares_nonblocking() &&
         !world_->agreement.knows_at_once;
}

bool Process::profiles() {
  const std::lock_guard lock(mutex_);
  return rules_.rules->profile;
}

void Process::route(CommunicatorState& state, const CommunicatorState* made_from) {
  int inter = 0;
  PMPI_Comm_test_inter(state.communicator.user(), &inter);
  if (inter) return leave_native(state, "intercommunicator");
  if (state.communicator.ranks() == 1) return leave_native(state, "one rank");
  // Processes that were spawned, or that connected, may know nothing of Tutti: nothing can be
  // agreed with them.
  const auto in_world = ranks_in_world(state.communicator.user());
  if (std::find(in_world.begin(), in_world.end(), MPI_UNDEFINED) != in_world.end())
    return leave_native(state, "another world's processes");
  if (!follow(state, made_from) && !follow_world(state, in_world)) agree(state, in_world);
  state.communicator.combines = state.agreement.combines;
  state.communicator.goes_on_while_blocked = state.agreement.goes_on_while_blocked;
  state.gathers_profiles =
      state.agreement.of_sessions && state.rules->profile && state.communicator.ranks() == ranks_of_world();
  if (state.agreement.uses_device && state.rules->device == DeviceMemory::native)
    return leave_native(state, "device");
  if (const Network* network = state.rules->computed_for()) learn_network(state, *network);
  state.sizes = std::make_unique<CallSizes>(*learning_, state.communicator);
  const Rules& rules = *state.rules;
  if (rules.learn || (rules.guard && (rules.table || rules.builtin)))
    state.learner =
        std::make_unique<Learner>(*learning_, state.communicator, rules, state.agreement.learns_at_once);
  if (state.learner && state.agreement.knows_at_once) state.learner->await_probe();
}

void Process::leave_native(CommunicatorState& state, const char* because) {
  state.only_native = because;
}

void Process::add_to(Statistics& statistics, const CommunicatorState& state) {
  state.for_each_route([&](Called called, const Route& route) { statistics.add(called, route); });
  if (!state.learner) return;
  state.learner->for_each([&](const ClassTuner& tuner) { statistics.add(tuner); });
}

// Calls for which no communicator was ready are known to the next program.
void Process::tell_unprepared() {
  if (!rules_.rules->learn || rank_in_world() != 0 || !may_be_called_by_library()) return;
  const Placement placement{ranks_of_world(), world_ ? count(world_->hosts) : 1};
  for_each_called([&](Called called) {
    const auto calls = static_cast<double>(unprepared_[called]);
    if (called.mode == Mode::nonblocking && calls > online::calls_unprepared)
      learning_->writer.take(
          CallClass{.collective = called.collective, .placement = placement, .size = {}, .mode = called.mode}
              .as_shared(),
          "native", {.calls = calls}, PMPI_Wtime());
  });
}

void Process::add_unprepared_to(Statistics& statistics) const {
  for_each_called([&](Called called) {
    if (const Use use{.calls = unprepared_[called]}; use.calls > 0)
      statistics.add(called, native_label(unprepared), use);
  });
}

Statistics Process::statistics() {
  const std::lock_guard lock(mutex_);
  Statistics all = statistics_;
  for (const CommunicatorState* state : states_) add_to(all, *state);
  add_unprepared_to(all);
  return all;
}

void Process::forsake(MPI_Comm comm) {
  if (finished_) return;
  const Inside inside;
  if (known(comm)) PMPI_Comm_delete_attr(comm, comm_key_);
  if (newborn(comm)) PMPI_Comm_delete_attr(comm, newborn_key_);
}

void Process::detach(CommunicatorState* state) {
  generation.fetch_add(1, std::memory_order_release);
  {
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(states_, state) == states_.end()) return;  // we have left it
  }
  const MPI_Comm freed = state->communicator.user();
  finish_errands_before(freed);
  const bool gathers = state->gathers_profiles;
  keep_profile(*state);
  if (!state->communicator.outlive_users()) leave(state);  // else another thread may do so
  if (gathers) gather_profiles(freed);
}

// What was profiled there, while the communicator still has its name.
void Process::keep_profile(CommunicatorState& state) {
  if (!state.profile) return;
  Profiled& all = profiled();
  const std::lock_guard lock(all.mutex);
  state.profile->add_to(all.gone, state.communicator, all.tick.seconds());
  state.profile.reset();
}

void Process::leave(CommunicatorState* state) {
  if (!state->communicator.outlives_users()) finish_errands_before(state->communicator.user());
  complete_all_on(state->communicator);
  keep_profile(*state);
  {
    const std::lock_guard lock(mutex_);
    std::erase(states_, state);
    add_to(statistics_, *state);
  }
  generation.fetch_add(1, std::memory_order_release);
  delete state;  // frees the hidden communicator, outside the lock
}

void Process::release(const Communicator& communicator) {
  CommunicatorState* state = nullptr;
  {
    const std::lock_guard lock(mutex_);
    for (CommunicatorState* one : states_)
      if (&one->communicator == &communicator) state = one;
  }
  if (state) leave(state);
}

// A class tuner that ends may write what it has found out, which others need not wait for.
void Process::retire(const Communicator& communicator, const ClassTuner& tuner) {
  std::unique_ptr<ClassTuner> gone;
  const std::lock_guard lock(mutex_);
  for (CommunicatorState* state : states_)
    if (&state->communicator == &communicator && state->learner) gone = state->learner->take(tuner);
  if (gone) statistics_.add(*gone);
}

void Process::before(Ending ending) {
  const bool leaves_sessions = open_sessions > (ending == Ending::session ? 1 : 0);
  if (ending == Ending::session && (leaves_sessions || world::has_communicator())) return;
  Process* const process = instance();
  if (!process) return;
  if (!leaves_sessions || !world::is_of_sessions)
    process->finish();
  else if (process->known(MPI_COMM_WORLD))
    PMPI_Comm_delete_attr(MPI_COMM_WORLD, process->comm_key_);
}

void Process::finish() {
  if (finished_.exchange(true)) return;
  const Inside inside;
  std::vector<CommunicatorState*> rest;
  {
    const std::lock_guard lock(mutex_);
    rest = states_;
  }
  std::ranges::sort(rest, {}, &CommunicatorState::number);
  log_.say(LogLevel::debug, "{} communicators agreed on what to do, {} followed MPI_COMM_WORLD", agreements_,
           followers_);
  log_.say(LogLevel::debug, "{} nonblocking calls began later than they were started", calls_held_back);
  const std::size_t programs = cache_totals.programs, bytes = cache_totals.bytes;
  end_driving();
  free_all_persistent();
  // Open MPI 5 loses the attributes that MPI_COMM_WORLD still has when MPI ends.
  for (CommunicatorState* state : rest)
    if (state->communicator.user() != MPI_COMM_WORLD ||
        PMPI_Comm_delete_attr(MPI_COMM_WORLD, comm_key_) != MPI_SUCCESS)
      leave(state);
  add_unprepared_to(statistics_);
  PMPI_Comm_free_keyval(&comm_key_);
  PMPI_Comm_free_keyval(&newborn_key_);
  if (self_key_ != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&self_key_);
  forget_types();
  release_agreements();
  release_memory_of_host();
  release_pinned_blocks();
  Contexts::instance().release();
  tell_unprepared();
  learning_->writer.write();
  if (rules_.rules->profile) write_profile();
  if (configuration_.stats && log_.speaker)
    Log::print(statistics_.report(programs, bytes, cache_totals.evicted, device_counts));
  if (!world::is_of_sessions) return;
  world::close_session();
  the_process.store(nullptr, std::memory_order_release);  // another session may begin
}

// What this rank has profiled so far on communicators that are gone, and of other functions.
Profile Process::own_profile() {
  Profiled& all = profiled();
  const std::lock_guard lock(all.mutex);
  Profile own = all.gone;
  own.seconds = all.tick.elapsed_s();
  own.profiled_ranks = 1;
  add_function_counts(own, all.tick.seconds());
  return own;
}

// Tells rank 0 what the others have profiled: all ranks of a communicator of the world's are here.
void Process::gather_profiles(MPI_Comm comm) {
  const Inside inside;
  auto others = collected(rank_in_world() == 0 ? Profile() : own_profile(), comm);
  if (!others) return;
  Profiled& all = profiled();
  const std::lock_guard lock(all.mutex);
  all.others = std::move(*others);
}

// Writes the profile of all ranks, if all of them have once agreed that they profile; else each
// rank has its own, and only rank 0's is kept.
void Process::write_profile() {
  if (!world::is_of_sessions && world_) gather_profiles(MPI_COMM_WORLD);
  if (rank_in_world() != 0) return;
  Profile profile = own_profile();
  profile.merge(profiled().others);
  profile.settle_samples();
  profile.fingerprint = fingerprint_here();
  profile.date = date_text(today());
  profile.ranks = ranks_of_world();
  profile.hosts = world_ ? count(world_->hosts) : 0;
  if (const auto written = write_file(configuration_.profile, to_text(profile)); !written)
    log_.say(LogLevel::error, "{}; the profile is lost", written.error().message);
}

void Process::report_adaptation() const {
  log_.say(LogLevel::info, "the network has changed; schedules are computed anew");
}

void Process::report_memory(const Communicator& communicator) const {
  const HostMemory* memory = communicator.memory();
  if (!memory)
    log_.say(LogLevel::info, "ranks of this host share no memory: messages go through the MPI library");
  else
    log_.say(LogLevel::info, "{} ranks share memory of this host, {} at most; long messages are {}",
             memory->ranks(), size_text(memory->bytes()),
             memory->lends_from() == HostMemory::never
                 ? "copied in pieces: the system lets nobody read another's"
                 : "read where they are");
}

void Process::report_fallback(Called called, Fallback fallback, const std::string& reason) {
  if (fallback == Fallback::silent) return;
  say_once(fallback == Fallback::error ? LogLevel::error : LogLevel::warn,
           fmt::format("{} runs natively: {}", called.mpi_name(), reason));
}

void Process::say_once(LogLevel importance, const std::string& line) {
  {
    const std::lock_guard lock(mutex_);
    if (!reported_.insert(line).second) return;
  }
  log_.say(importance, "{}", line);
}

}  // namespace tutti::run
