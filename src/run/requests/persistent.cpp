#include "run/requests/persistent.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "run/calls/inside.hpp"
#include "run/calls/reported.hpp"
#include "run/requests/progress.hpp"

namespace tutti::run {
namespace {

// A call, and what releases its communicator, which may outlive the user's.
struct Entry {
  std::shared_ptr<Pending> pending;
  void (*release)(Communicator&);
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

void keep_persistent(const std::shared_ptr<Pending>& call, void (*release)(Communicator&)) {
  call->communicator().add_persistent_request();
  persistent_requests.fetch_add(1, std::memory_order_relaxed);
  Entries::instance().add(call->request(), {call, release});
}

int start_persistent(MPI_Request* request) {
  const Inside inside;
  const Entry own = Entries::instance().find(*request);
  if (!own.pending) return PMPI_Start(request);
  Communicator& communicator = own.pending->communicator();
  return reported(communicator.reports_to(), communicator, [&] { return begin(own.pending); });
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
  Communicator& communicator = own.pending->communicator();
  own.pending.reset();  // the MPI library's request with it
  persistent_requests.fetch_sub(1, std::memory_order_relaxed);
  if (communicator.drop_persistent_request()) own.release(communicator);
  return MPI_SUCCESS;
}

void free_all_persistent() {
  for (const auto& [request, entry] : Entries::instance().take_all())
    entry.pending->communicator().drop_persistent_request();
  persistent_requests.store(0, std::memory_order_relaxed);
}

}  // namespace tutti::run
