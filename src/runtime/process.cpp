#include "runtime/process.hpp"

#include <algorithm>
#include <vector>

#include "runtime/hosts.hpp"

namespace tutti::runtime {
namespace {

std::atomic<Process*> the_process{nullptr};
std::atomic<bool> off{false};

bool mpi_is_running() {
  int initialized = 0, finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  return initialized && !finalized;
}

}  // namespace

Attached* find_slowly(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return nullptr;
  Process* process = Process::instance();
  const std::uint64_t now = generation.load(std::memory_order_acquire);
  if (!process) {
    if (off) memo = {memo.inside, comm, now, nullptr};
    return nullptr;
  }
  const Inside inside;
  Attached* attached = process->attach(comm);
  memo = {memo.inside, comm, now, attached};
  return attached;
}

Process* Process::instance() {
  if (Process* process = the_process.load(std::memory_order_acquire)) return process;
  if (off || !mpi_is_running()) return nullptr;
  static std::mutex starting;
  const std::lock_guard lock(starting);
  if (Process* process = the_process.load()) return process;
  // Lives as long as the process: calls may come from threads we know nothing of.
  auto* process = new Process;
  if (process->configuration_.off) {
    delete process;
    off = true;
    return nullptr;
  }
  the_process.store(process, std::memory_order_release);
  return process;
}

Process::Process() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Fingerprint here = fingerprint_here();
  configuration_ = read_environment(here);
  if (configuration_.off) return;
  log_ = {configuration_.log_level, rank == 0};
  for (const std::string& complaint : configuration_.complaints) log_.say(LogLevel::error, "{}", complaint);
  log_.say(LogLevel::info, "started on {} ({})", here.mpi, here.machine);
  rules_ = std::make_shared<const Rules>(configuration_.rules);
  rules_text_ = RulesText::of(*rules_);
  host_id_ = host_id();
  timing = configuration_.stats;
  cache_totals.limit = configuration_.cache_bytes;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_comm_deleted, &comm_key_, this);
  // MPI_Finalize may not be seen, but it frees the attributes of MPI_COMM_SELF first of all.
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_self_deleted, &self_key_, this);
  PMPI_Comm_set_attr(MPI_COMM_SELF, self_key_, this);
}

int Process::on_comm_deleted(MPI_Comm, int, void* attached, void* process) {
  static_cast<Process*>(process)->detach(static_cast<Attached*>(attached));
  return MPI_SUCCESS;
}

int Process::on_self_deleted(MPI_Comm, int, void*, void* process) {
  static_cast<Process*>(process)->finish();
  return MPI_SUCCESS;
}

Attached* Process::attach(MPI_Comm comm) {
  void* known = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, comm_key_, &known, &found) != MPI_SUCCESS) return nullptr;
  if (found) return static_cast<Attached*>(known);
  if (finished_) return nullptr;
  auto attached = std::make_unique<Attached>(comm);
  route(*attached);
  if (PMPI_Comm_set_attr(comm, comm_key_, attached.get()) != MPI_SUCCESS) return nullptr;
  const std::lock_guard lock(mutex_);
  attached_.insert(attached.get());
  return attached.release();
}

void Process::route(Attached& attached) {
  int inter = 0;
  PMPI_Comm_test_inter(attached.communicator.user(), &inter);
  if (inter || attached.communicator.ranks() == 1) {
    attached.routes.fill(Route(inter ? "intercommunicator" : "one rank"));
    return;
  }
  const Placement placement = agree(attached);
  for (const CollectiveTraits& collective : collectives)
    attached.route(collective.collective) = Route(collective.collective, *attached.rules, placement);
}

// All ranks have to decide alike, but the environment and the files may differ between hosts: where they do, rank 0's
// count. Also counts the hosts.
Placement Process::agree(Attached& attached) {
  const MPI_Comm comm = attached.communicator.user();
  const auto ranks = static_cast<std::size_t>(attached.communicator.ranks());
  struct Facts {
    std::uint64_t rules, host;
  };
  const Facts mine{rules_text_.hash, host_id_};
  std::vector<Facts> all(ranks);
  native().allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm);

  const bool alike = std::all_of(all.begin(), all.end(), [&](const Facts& f) { return f.rules == all[0].rules; });
  attached.rules = rules_;
  if (!alike) {
    std::uint64_t length = rules_text_.text.size();
    native().bcast(&length, sizeof length, MPI_BYTE, 0, comm);
    RulesText agreed{rules_text_.text, all[0].rules};
    agreed.text.resize(length);
    native().bcast(agreed.text.data(), static_cast<int>(length), MPI_BYTE, 0, comm);
    if (mine.rules != agreed.hash) {
      // From now on this process says the same as that rank 0, so that agreement is the rule.
      attached.rules = std::make_shared<const Rules>(agreed.rules());
      const std::lock_guard lock(mutex_);
      rules_ = attached.rules;
      rules_text_ = std::move(agreed);
    }
    log_.say(LogLevel::warn, "the ranks were started with different settings or tables; those of rank 0 count");
  }
  std::vector<std::uint64_t> hosts;
  for (const Facts& facts : all) hosts.push_back(facts.host);
  return {static_cast<int>(ranks), count_distinct(std::move(hosts))};
}

void Process::detach(Attached* attached) {
  generation.fetch_add(1, std::memory_order_release);
  {
    const std::lock_guard lock(mutex_);
    if (attached_.erase(attached) == 0) return;  // freed when we finished
    for (const CollectiveTraits& collective : collectives) {
      const Route& route = attached->route(collective.collective);
      for (const auto* decisions : {&route.decisions(), &route.exceptions()})
        for (const Decision& decision : *decisions)
          if (decision.use.calls > 0) totals_[{collective.collective, decision.label}] += decision.use;
    }
  }
  delete attached;  // frees the hidden communicator, outside the lock
}

void Process::finish() {
  std::vector<Attached*> rest;
  {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    finished_ = true;
    rest.assign(attached_.begin(), attached_.end());
  }
  const std::size_t cached = cache_totals.programs, cached_bytes = cache_totals.bytes;
  for (Attached* attached : rest) detach(attached);
  if (configuration_.stats && log_.speaker) Log::print(statistics(cached, cached_bytes));
}

std::string Process::statistics(std::size_t cached, std::size_t cached_bytes) const {
  std::string text = fmt::format("tutti: collectives of rank 0\ntutti:   {:<14}{:<44}{:>12}{:>16}{:>14}\n", "operation", "plan",
                                 "calls", "bytes", "seconds");
  for (const auto& [what, use] : totals_)
    text += fmt::format("tutti:   {:<14}{:<44}{:>12}{:>16}{:>14.6f}\n", traits(what.first).mpi_name, what.second, use.calls,
                        use.bytes, use.seconds);
  if (totals_.empty()) text += "tutti:   none\n";
  text += fmt::format("tutti:   cached schedules: {} in {} bytes; evicted: {}\n", cached, cached_bytes,
                      cache_totals.evicted.load());
  return text;
}

void Process::report_fallback(Collective collective, const std::string& reason) {
  if (configuration_.fallback == Fallback::silent) return;
  const std::string line = fmt::format("{} runs natively: {}", traits(collective).mpi_name, reason);
  {
    const std::lock_guard lock(mutex_);
    if (!reported_.insert(line).second) return;
  }
  log_.say(configuration_.fallback == Fallback::error ? LogLevel::error : LogLevel::warn, "{}", line);
}

}  // namespace tutti::runtime
