#include "runtime/persistent.hpp"

#include <map>
#include <mutex>

#include "runtime/nonblocking.hpp"
#include "runtime/pending.hpp"
#include "runtime/process.hpp"
#include "runtime/progress.hpp"
#include "runtime/reported.hpp"

namespace tutti::runtime {
namespace {

// A request with the call that it starts. What the call needs of the communicator outlives the user's.
struct Entry {
  std::shared_ptr<Pending> pending;
  CommunicatorState* state;
};

// Entries by their requests.
class Entries {
 public:
  static Entries& instance() {
    static auto* const all = new Entries;  // calls may come when statics are gone
    return *all;
  }

  void add(MPI_Request request, Entry entry) {
    const std::lock_guard lock(mutex_);
    made_.emplace(request, std::move(entry));
  }
  // A request's entry, without a call where the request is not ours.
  Entry find(MPI_Request request) {
    const std::lock_guard lock(mutex_);
    const auto known = made_.find(request);
    return known == made_.end() ? Entry{} : known->second;
  }
  void remove(MPI_Request request) {
    const std::lock_guard lock(mutex_);
    made_.erase(request);
  }
  std::map<MPI_Request, Entry> take_all() {
    const std::lock_guard lock(mutex_);
    return std::exchange(made_, {});
  }

 private:
  std::mutex mutex_;
  std::map<MPI_Request, Entry> made_;
};

}  // namespace

#if MPI_VERSION >= 4
namespace {

template <Collective collective>
int init_here(MPI_Comm comm, const Call& call, MPI_Info info, MPI_Request* request) {
  constexpr Called called{collective, Mode::persistent};
  const auto natively = [&] { return init_natively(collective, comm, call, info, request); };
  CommunicatorState* state = attach_once(comm);
  if (!state) return natively();
  const Inside inside;
  if (!state->only_native && !state->route(called).always_native()) state->prepare();
  Way way = way_of(called, *state, call);
  auto user_request = way.decision ? make_restartable_request() : nullptr;
  if (way.decision && !user_request) {
    way.decision = nullptr;
    way.natively = &state->route(called).native_because("no request");
  }
  if (!way.decision) {
    if (way.natively) ++way.natively->calls;
    return natively();
  }
  Communicator& communicator = state->communicator;
  const auto pending =
      std::make_shared<Pending>(communicator, *way.decision, call, way.facts.commutative, way.facts.size,
                                communicator.keep_tags(), called.mode, std::move(user_request));
  *request = pending->request();
  ++state->persistent_requests;
  persistent_requests.fetch_add(1, std::memory_order_relaxed);
  Entries::instance().add(*request, {pending, state});
  return MPI_SUCCESS;
}

}  // namespace

template <Collective collective>
int init(MPI_Comm comm, const Call& call, MPI_Info info, MPI_Request* request) {
  return guarded(comm, [&] { return init_here<collective>(comm, call, info, request); });
}

#define TUTTI_INSTANCE(name, mpi_name, nonblocking) \
  template int init<Collective::name>(MPI_Comm, const Call&, MPI_Info, MPI_Request*);
TUTTI_COLLECTIVES(TUTTI_INSTANCE)
#undef TUTTI_INSTANCE
#endif

int start_persistent(MPI_Request* request) {
  const Inside inside;
  const Entry own = Entries::instance().find(*request);
  if (!own.pending) return PMPI_Start(request);
  Communicator& communicator = own.state->communicator;
  return reported(own.state->outlives_users ? communicator.context().comm() : communicator.user(),
                  communicator, [&] { return begin(own.pending); });
}

int start_all_persistent(int count, MPI_Request* requests) {
  for (int i = 0; i < count; ++i)
    if (const int error = start_persistent(requests + i); error != MPI_SUCCESS) return error;
  return MPI_SUCCESS;
}

int free_persistent(MPI_Request* request) {
  const Inside inside;
  Entry own = Entries::instance().find(*request);
  if (!own.pending) return PMPI_Request_free(request);
  complete(*own.pending);
  Entries::instance().remove(std::exchange(*request, MPI_REQUEST_NULL));
  own.pending.reset();  // the MPI library's request with it
  persistent_requests.fetch_sub(1, std::memory_order_relaxed);
  if (--own.state->persistent_requests == 0 && own.state->outlives_users)
    Process::instance()->detach(own.state);
  free_what_waits();
  return MPI_SUCCESS;
}

void free_all_persistent() {
  for (auto& [request, entry] : Entries::instance().take_all()) entry.state->persistent_requests = 0;
  persistent_requests.store(0, std::memory_order_relaxed);
}

}  // namespace tutti::runtime
